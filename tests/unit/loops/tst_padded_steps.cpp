// Sums over the windows of a padded image by constant weights: which steps are left out, what that costs, and that any loops give
// the same values.

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/printer.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/loops/choose_transforms.h"
#include "engine/passes/loops/contraction_price.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/passes/schedule/group_kernels.h"
#include "engine/passes/schedule/lay_out_constants.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace sw {
namespace {

struct Windows {
    std::int64_t channels = 3;
    std::int64_t rows = 7;
    std::int64_t columns = 7;
    std::int64_t outputs = 16;
    std::int64_t stride = 1;
    double fill = 0;
    float special = 0; // in place of one of the weights, if not 0
    bool areConstant = true;
};

class PaddedStepsTest : public ::testing::Test, protected test::OneItem {
protected:
    // Windows of 3 x 3, with one row and column of padding on each side; the pad is a kernel of its own.
    SchedulePtr convolution(const Windows &size) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        NodeId x =
            builder.placeholder(origin, DType::F32, {size.channels, size.rows, size.columns}, {.name = "x", .initial = nullptr});
        x = builder.pad(origin, x, {.before = {0, 1, 1}, .after = {0, 1, 1}, .fill = Scalar::of(DType::F32, size.fill)}).value();
        const std::int64_t rows = (size.rows - 1) / size.stride + 1;
        const std::int64_t columns = (size.columns - 1) / size.stride + 1;
        const std::int64_t wide = size.columns + 2;
        const ViewAttributes places{
            .strides = {0, size.stride * wide, size.stride, (size.rows + 2) * wide, wide, 1}, .offset = 0, .mask = {}};
        const NodeId windows = builder.view(origin, x, {1, rows, columns, size.channels, 3, 3}, places).value();
        const Shape shape{size.outputs, size.channels, 3, 3};
        HostTensor values = randomTensor(DType::F32, shape, 11);
        if (size.special != 0)
            values.set(values.elements() / 2, Scalar::of(DType::F32, size.special));
        NodeId weights = size.areConstant ? builder.vconst(origin, std::move(values))
                                          : builder.placeholder(origin, DType::F32, shape, {.name = "w", .initial = nullptr});
        weights = builder.reshape(origin, weights, {size.outputs, 1, 1, size.channels, 3, 3}).value();
        const std::array factors{windows, weights};
        const NodeId products = builder.broadcasted(origin, Op::Mul, factors).value();
        const NodeId sum = builder.reduce(origin, Op::Add, products, {3, 4, 5}).value();
        const NodeId result = builder.reshape(origin, sum, {size.outputs, rows, columns}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        PassContext context(m_device, TargetLanguage::Lowered, {}, {});
        auto laidOut = layOutConstants(*finished, context);
        EXPECT_TRUE(laidOut) << toText(laidOut.error());
        auto graph = std::make_shared<const Graph>(*laidOut ? std::move(**laidOut) : std::move(*finished));
        auto schedule = groupKernels(graph, context);
        EXPECT_TRUE(schedule) << toText(schedule.error());
        EXPECT_EQ(schedule->kernels.size(), 2U);
        return std::make_shared<const Schedule>(std::move(*schedule));
    }

    LoopProgram loopsOf(const SchedulePtr &schedule, const CompileOptions &options = {}) const
    {
        const auto program = test::loopsFor(schedule, m_device, options);
        EXPECT_TRUE(program) << toText(program.error());
        return **program;
    }

    static bool leavesOut(const LoopNest &nest)
    {
        return std::ranges::any_of(nest.transforms, [](const Transform &one) { return one.kind == TransformKind::Unroll; });
    }

    void checkValues(const SchedulePtr &schedule, const LoopProgram &loops) const
    {
        PassContext context(m_device, TargetLanguage::Lowered, {}, {});
        const auto lowered = lowerLoops(std::make_shared<const LoopProgram>(loops), context);
        ASSERT_TRUE(lowered) << toText(lowered.error());
        for (const LoweredKernel &kernel : lowered->kernels) {
            const auto verified = verifyLowered(kernel);
            ASSERT_TRUE(verified) << toText(verified.error());
        }
        std::vector<HostTensor> inputs;
        for (const NodeId id : schedule->graph->placeholders())
            inputs.push_back(randomTensor(DType::F32, schedule->graph->node(id).shape, 7 + id.value));
        const auto expected = interpretGraph(*schedule->graph, inputs);
        const auto actual = test::runLowered(*lowered, inputs);
        ASSERT_TRUE(expected && actual);
        for (std::int64_t i = 0; i < expected->front().elements(); ++i) {
            const double want = expected->front().at(i).asDouble();
            const double got = actual->front().at(i).asDouble();
            ASSERT_EQ(std::isnan(want), std::isnan(got)) << "element " << i;
            if (std::isfinite(want)) {
                ASSERT_NEAR(want, got, 1e-4) << "element " << i << "\n" << toText(*loops.nests.back(), *schedule);
            }
        }
    }

    DeviceInfo m_device = test::vectorDevice(1, 64);
};

TEST_F(PaddedStepsTest, areLeftOutWhereTheyAddNothing)
{
    const auto leaves = [&](const Windows &size, const CompileOptions &options = {}) {
        const SchedulePtr schedule = convolution(size);
        const LoopProgram loops = loopsOf(schedule, options);
        checkValues(schedule, loops);
        return leavesOut(*loops.nests.back());
    };
    EXPECT_TRUE(leaves({}));
    EXPECT_TRUE(leaves({.stride = 2}));
    EXPECT_TRUE(leaves({.rows = 5, .columns = 28, .outputs = 32}));
    EXPECT_FALSE(leaves({.areConstant = false}));
    EXPECT_FALSE(leaves({.fill = 1}));
    EXPECT_FALSE(leaves({.special = std::numeric_limits<float>::infinity()}));
    EXPECT_FALSE(leaves({.special = std::numeric_limits<float>::quiet_NaN()}));
    EXPECT_FALSE(leaves({}, {.strict = true}));
}

// What the reason tells: per step of a tile of 14 x 2 vectors 14 cycles of arithmetic and one for the loop, for the steps that
// are no padding, 40 of 42 along each axis; 0.8 cycles for each element that is stored; and the code of each accumulator.
TEST_F(PaddedStepsTest, priceFollowsFromTheStepsThatAreLeft)
{
    const SchedulePtr schedule = convolution({.channels = 32, .rows = 14, .columns = 14, .outputs = 64});
    const LoopNest made = *loopsOf(schedule).nests.back();
    const double left = 40.0 / 42 * 40.0 / 42;
    const double tiles = 2.0 * 14 * 15 * 288 * left;
    const double cycles = tiles + 64.0 * 14 * 14 * 0.8 + 28.0 * 60;
    const std::string text = toText(made, *schedule);
    EXPECT_NE(text.find(format("14 x 2 register tile of 16 lanes; about {:.0f} thousand cycles", cycles / 1000)),
              std::string::npos)
        << cycles << "\n"
        << text;
    EXPECT_NE(text.find(format("{:.1f}% of all steps are done", 100 * left)), std::string::npos) << text;
    const LoopNest plain = *loopsOf(schedule, {.optimize = false}).nests.back();
    const PassContext context(m_device, TargetLanguage::Lowered, {}, {});
    const auto again = contractionCycles(*schedule, plain, made, context);
    ASSERT_TRUE(again);
    EXPECT_NEAR(*again, cycles, 1);
}

// Vectors along the columns: a row of the image serves three rows of the tile, whatever the weights are.
TEST_F(PaddedStepsTest, shareRowsOfTheImage)
{
    for (const bool areConstant : {true, false}) {
        const SchedulePtr schedule =
            convolution({.channels = 2, .rows = 42, .columns = 96, .outputs = 1, .areConstant = areConstant});
        const LoopProgram loops = loopsOf(schedule);
        const std::string text = toText(*loops.nests.back(), *schedule);
        EXPECT_NE(text.find("unroll r3 3  # neighbouring rows of the tile read the same vectors"), std::string::npos) << text;
        EXPECT_NE(text.find("reorder r2 r4 r3"), std::string::npos) << text;
        checkValues(schedule, loops);
    }
}

// Written out or not, in any order, with tiles and vectors along any axis, and rests of them.
TEST_F(PaddedStepsTest, randomLoopsGiveTheSameValues)
{
    std::mt19937 random(20261123);
    const auto upTo = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    for (int round = 0; round < 60; ++round) {
        const Windows size{.channels = upTo(2, 4),
                           .rows = upTo(4, 9),
                           .columns = upTo(4, 9),
                           .outputs = upTo(0, 1) == 0 ? 16 : 7,
                           .stride = upTo(1, 2)};
        const SchedulePtr schedule = convolution(size);
        LoopProgram loops = loopsOf(schedule, {.optimize = false});
        LoopNest nest = *loops.nests.back();
        std::vector<std::string> lines;
        for (const std::string_view axis : {"r4", "r5"})
            if (upTo(0, 3) > 0)
                lines.push_back(format("unroll {} 3", axis));
        if (upTo(0, 1) == 0)
            lines.emplace_back("reorder r5 r3 r4");
        std::vector<std::string> loopsLeft;
        std::vector<std::string> tiles;
        for (const AxisId axis : nest.domain) {
            const std::string &name = nest.axes[axis.value].name;
            const std::int64_t extent = nest.axes[axis.value].extent;
            const std::int64_t kind = upTo(0, 3);
            if (kind == 0) {
                lines.push_back(format("set_type {} upcast", name));
                tiles.push_back(name);
            } else if (kind == 1) {
                lines.push_back(format("split {} {}", name, upTo(1, std::min<std::int64_t>(extent, 4))));
                lines.push_back(format("set_type {}.i upcast", name));
                loopsLeft.push_back(name + ".o");
                tiles.push_back(name + ".i");
            } else {
                loopsLeft.push_back(name);
            }
        }
        if (upTo(0, 1) == 0 && !tiles.empty())
            lines.push_back(format("set_type {} vector", tiles.back()));
        loopsLeft.insert(loopsLeft.end(), tiles.begin(), tiles.end());
        lines.push_back("reorder " + join(loopsLeft, " ", [](const std::string &name) { return name; }));
        SCOPED_TRACE(join(lines, "; ", [](const std::string &line) { return line; }));
        for (const std::string &line : lines) {
            auto changed = applyTransform(nest, parseTransform(line).value());
            ASSERT_TRUE(changed) << toText(changed.error());
            nest = std::move(*changed);
        }
        const auto verified = verifyLoops(nest, *schedule);
        ASSERT_TRUE(verified) << toText(verified.error());
        loops.nests.back() = std::make_shared<const LoopNest>(std::move(nest));
        checkValues(schedule, loops);
    }
}

} // namespace
} // namespace sw
