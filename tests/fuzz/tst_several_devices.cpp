// Random graphs whose values are on several devices, whole or in parts, against the reference interpreter.

#include "engine/backend/native_backends.h"
#include "engine/graph/printer.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/merged_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sw {
namespace {

struct Machine {
    const char *name;
    std::string home;
    std::vector<std::string> others;
    std::uint64_t programs;
};

const std::array kMachines = {
    Machine{"interpreter_llvm", "interpreter", {"llvm"}, 200},
    Machine{"llvm_interpreter_c", "llvm", {"interpreter", "c"}, 8},
    Machine{"llvm_opencl", "llvm", {"opencl"}, 6},
};
constexpr std::uint64_t kGraphsPerProgram = 25;

// What has a rule of its own for parts, more often than not.
RandomGraph graphOf(std::uint64_t seed, const Machine &machine)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 6 + seed % 11;
    options.maxElements = 256;
    options.indexFaults = seed % 5 == 0;
    options.devices = machine.others;
    options.devices.insert(options.devices.end(), {machine.home, std::string(kDefaultDevice)});
    if (seed % 4 != 0)
        options.kinds = {NodeKind::Multi,      NodeKind::Multi,   NodeKind::Copy,   NodeKind::Device,  NodeKind::Unary,
                         NodeKind::Binary,     NodeKind::Ternary, NodeKind::Cast,   NodeKind::Reshape, NodeKind::Permute,
                         NodeKind::Expand,     NodeKind::Pad,     NodeKind::Shrink, NodeKind::Flip,    NodeKind::ReduceAxis,
                         NodeKind::ReduceAxis, NodeKind::Cat,     NodeKind::Gather, NodeKind::Index,   NodeKind::ConstScalar,
                         NodeKind::Contiguous};
    if (seed % 2 == 1)
        options.dtypes = {DType::F32, DType::I32, DType::Bool};
    return randomGraph(options);
}

CompileOptions optionsOf(std::uint64_t program)
{
    CompileOptions options;
    options.fuse = program % 5 != 4;
    options.optimize = program % 3 != 2;
    options.strict = program % 4 == 3;
    return options;
}

class SeveralDevices : public testing::TestWithParam<Machine> {};

TEST_P(SeveralDevices, giveWhatTheReferenceGives)
{
    const Machine &machine = GetParam();
    BackendRegistry registry;
    addNativeBackends(registry);
    auto devices = DeviceUnderTest::open(registry, machine.home, {}, machine.others);
    if (!devices)
        GTEST_SKIP() << toText(devices.error());
    for (std::uint64_t program = 0; program < machine.programs; ++program) {
        std::vector<RandomGraph> graphs;
        for (std::uint64_t i = 0; i < kGraphsPerProgram; ++i)
            graphs.push_back(graphOf(program * kGraphsPerProgram + i, machine));
        const MergedGraphs merged = mergedGraphs(graphs);
        const auto together = devices->run(merged.all, optionsOf(program));
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            const auto alone =
                together ? Result<std::vector<NamedTensor>>(*together) : devices->run(graphs[i], optionsOf(program));
            const std::string text = format("seed {}\n{}", program * kGraphsPerProgram + i, printGraph(graphs[i].graph).text);
            ASSERT_TRUE(alone) << toText(alone.error()) << "\n" << text;
            ASSERT_EQ(faultOf(graphs[i], *alone, together ? merged.firstOutputs[i] : 0), "") << text;
        }
        ASSERT_TRUE(together) << toText(together.error());
    }
    EXPECT_GT(devices->kernels(), machine.programs * kGraphsPerProgram);
}

INSTANTIATE_TEST_SUITE_P(All, SeveralDevices, testing::ValuesIn(kMachines),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
} // namespace sw
