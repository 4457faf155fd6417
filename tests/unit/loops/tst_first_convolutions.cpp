// Which way the vectors of a network's first convolution go: few channels, many columns, and windows that move by two columns.

#include "engine/graph/builder.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/lowered/lowered.h"
#include "engine/passes/loops/lower_loops.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sw {
namespace {

class FirstConvolutions : public ::testing::Test, protected test::OneItem {
protected:
    FirstConvolutions() { m_device.vectorRegisters = 16; }

    // 16 outputs of 3 x 3 windows over 3 channels. The weights lie as their steps are done, the outputs of a step side by side.
    SchedulePtr convolution(DType image) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const std::int64_t places = 160;
        const std::int64_t across = 2 * places + 1;
        NodeId windows = builder.placeholder(origin, image, {3, across, across}, {.name = "x", .initial = nullptr});
        windows = builder
                      .view(origin, windows, {1, places, places, 3, 3, 3},
                            {.strides = {0, 2 * across, 2, across * across, across, 1}, .offset = 0, .mask = {}})
                      .value();
        if (image != DType::F32)
            windows = builder.cast(origin, windows, DType::F32).value();
        NodeId weights = builder.placeholder(origin, DType::F32, {27, 16}, {.name = "w", .initial = nullptr});
        weights = builder.permute(origin, weights, {1, 0}).value();
        weights = builder.reshape(origin, weights, {16, 1, 1, 3, 3, 3}).value();
        const std::array factors{windows, weights};
        const NodeId products = builder.broadcasted(origin, Op::Mul, factors).value();
        const NodeId sum = builder.reduce(origin, Op::Add, products, {3, 4, 5}).value();
        const NodeId result = builder.reshape(origin, sum, {16, places, places}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    bool hasVectorsOfOutputs(DType image) const
    {
        const SchedulePtr schedule = convolution(image);
        const auto program = test::loopsFor(schedule, m_device, {});
        EXPECT_TRUE(program) << toText(program.error());
        const LoopNest &nest = *(*program)->nests.front();
        const auto vector =
            std::ranges::find_if(nest.order, [&](AxisId leaf) { return nest.axes[leaf.value].type == AxisType::Vector; });
        EXPECT_NE(vector, nest.order.end()) << toText(nest, *schedule);
        return vector != nest.order.end() && unsplitAxis(nest, *vector) == nest.domain.front();
    }

    DeviceInfo m_device = test::vectorDevice(1, 32);
};

// With AVX2, lanes that lie two columns apart take longer to pick than a tile takes to transpose.
TEST_F(FirstConvolutions, haveVectorsOfOutputsWhereShufflesAreSlow)
{
    EXPECT_TRUE(hasVectorsOfOutputs(DType::F32));
}

// Each element of a tile's rows would be converted on its own, where a vector of columns is converted at once.
TEST_F(FirstConvolutions, haveVectorsOfColumnsWhereElementsAreConverted)
{
    EXPECT_FALSE(hasVectorsOfOutputs(DType::F16));
}

// The elements of eight columns that a tile transposes: a run of eight, or two that a half of a vector holds.
TEST_F(FirstConvolutions, areStoredInRunsOfHalfAVectorWhereItIsTwoHalves)
{
    const auto longestRun = [&](std::int64_t vectorBytes) {
        Schedule schedule = *convolution(DType::F32);
        schedule.devices.front().vectorBytes = vectorBytes;
        const auto shared = std::make_shared<const Schedule>(std::move(schedule));
        const auto plain = test::loopsFor(shared, m_device, {.optimize = false});
        EXPECT_TRUE(plain) << toText(plain.error());
        LoopNest nest = *(*plain)->nests.front();
        for (const char *line :
             {"split i0 8", "set_type i0.i vector", "split i2 8", "set_type i2.i upcast", "reorder i1 i2.o i0.o i2.i i0.i"}) {
            Result<LoopNest> changed = applyTransform(std::move(nest), parseTransform(line).value());
            EXPECT_TRUE(changed) << toText(changed.error());
            nest = std::move(*changed);
        }
        LoopProgram loops{.schedule = shared};
        loops.nests.push_back(std::make_shared<const LoopNest>(std::move(nest)));
        PassContext context(m_device, TargetLanguage::Lowered, {}, {});
        const auto lowered = lowerLoops(std::make_shared<const LoopProgram>(std::move(loops)), context);
        EXPECT_TRUE(lowered) << toText(lowered.error());
        std::uint32_t lanes = 0;
        const LoweredKernel &kernel = lowered->kernels.front();
        for (const Instruction &instruction : kernel.instructions)
            if (instruction.kind == InstructionKind::Store)
                lanes = std::max(lanes, kernel.instruction(instruction.operands.back()).lanes);
        return lanes;
    };
    EXPECT_EQ(longestRun(32), 4U);
    EXPECT_EQ(longestRun(64), 8U);
}

} // namespace
} // namespace sw
