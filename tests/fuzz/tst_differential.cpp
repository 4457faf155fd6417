// Random graphs through the whole compiler on every backend, against the reference interpreter and the bounds of what a correct
// device may answer.
//
// The interpreter and llvm meet more than 5,000 graphs, the devices that take long to translate the first of them, some dozens in
// one program, with the options of the program varied. The graphs are dealt into shares, each a test of its own, so that several
// run at once.
//
// STEPWELL_FUZZ_SECONDS=N in the environment runs on from new seeds for about that long, or from STEPWELL_FUZZ_SEED. A failure
// names the seed and the device, prints the smallest graph found that fails like it, as text that stepwellc opens, and names the
// first pass whose result is different; with the seed it happens again.

#include "engine/backend/native_backends.h"
#include "engine/graph/printer.h"
#include "engine/pipeline/pipeline.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/free_running.h"
#include "tests/fuzz/merged_graphs.h"
#include "tests/fuzz/minimise.h"
#include "tests/fuzz/random_gradients.h"
#include "tests/support/gpu_in_name.h"

#include <gtest/gtest.h>

#include <chrono>
#include <tuple>

namespace sw {
namespace {

// A device translates every kernel of its graphs, so that the slow translators get the first graphs only.
struct TestedDevice {
    std::string_view id;
    std::uint64_t shares;
};

constexpr std::string_view kInGroups = "_in_groups"; // compiled as for a GPU
constexpr TestedDevice kDevices[] = {{"interpreter", 22},          {"llvm", 22},         {"c", 4}, {"opencl", 3},
                                     {"interpreter_in_groups", 2}, {"llvm_in_groups", 2}};
constexpr std::uint64_t kGraphsPerProgram = 25;
constexpr std::uint64_t kProgramsPerShare = 10;
static_assert(kGraphsPerProgram * kProgramsPerShare * kDevices[0].shares > 5000);

constexpr std::size_t kMaxFailures = 5; // programs; more say no more

// A graph small enough that most of its parts meet in one kernel; what it is made of changes with the seed.
RandomGraphOptions optionsOf(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 4 + seed % 9;
    options.specialValues = seed % 3 == 0;
    options.indexFaults = seed % 5 == 0;
    options.maxElements = seed % 4 == 0 ? 2048 : 256;
    if (seed % 4 == 2) {
        options.patternPercent = 40;
        options.steps = 3 + seed % 5;
        options.maxElements = 4096;
    }
    if (seed % 2 == 1 || seed % 8 == 2)
        options.dtypes = {DType::F32, DType::I32, DType::Bool, DType::F64};
    return options;
}

// Some with gradients, where there are any.
RandomGraph graphOf(std::uint64_t seed)
{
    RandomGraph random = randomGraph(optionsOf(seed));
    if (seed % 6 == 5)
        if (auto differentiated = withGradients(random))
            return std::move(*differentiated);
    return random;
}

// Of the program whose first graph has this seed.
CompileOptions compileOptionsOf(std::uint64_t firstSeed)
{
    const std::uint64_t program = firstSeed / kGraphsPerProgram;
    CompileOptions options;
    options.fuse = program % 5 != 4;
    options.optimize = program % 3 != 2;
    options.contract = program % 4 != 3;
    options.strict = program % 7 == 6;
    return options;
}

// With the smallest graph that fails like this one.
std::string report(DeviceUnderTest &device, const RandomGraph &random, const CompileOptions &options, const std::string &where,
                   const std::string &fault)
{
    const RandomGraph small = minimised(random, [&](const RandomGraph &tried) {
        const auto outputs = device.run(tried, options);
        return !outputs || !faultOf(tried, *outputs).empty();
    });
    const std::string pass = firstDifferingPass(small, standardPipeline(), device.target(options));
    return format("{}: {}\n{}first different after {}\n", where, fault, printGraph(small.graph).text,
                  pass.empty() ? "no pass: on the device" : pass);
}

// Runs the graphs of kGraphsPerProgram seeds as one program; the faults that were found. A program that does not compile or run
// is tried graph by graph, to name the one at fault.
std::string faultsOf(DeviceUnderTest &device, const std::string &id, std::uint64_t firstSeed)
{
    const CompileOptions options = compileOptionsOf(firstSeed);
    std::vector<RandomGraph> graphs;
    for (std::uint64_t i = 0; i < kGraphsPerProgram; ++i)
        graphs.push_back(graphOf(firstSeed + i));
    const MergedGraphs merged = mergedGraphs(graphs);
    const auto outputs = device.run(merged.all, options);
    std::string faults;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        std::string fault;
        if (outputs) {
            fault = faultOf(graphs[i], *outputs, merged.firstOutputs[i]);
            const auto alone = fault.empty() ? Result<std::vector<NamedTensor>>(Failure({})) : device.run(graphs[i], options);
            if (alone && faultOf(graphs[i], *alone).empty())
                fault += ", but right when it runs alone";
        } else if (const auto alone = device.run(graphs[i], options); !alone)
            fault = toText(alone.error());
        if (!fault.empty())
            faults += report(device, graphs[i], options, format("seed {} on {}", firstSeed + i, id), fault);
    }
    if (faults.empty() && !outputs)
        faults = format("seeds from {} on {}, together: {}", firstSeed, id, toText(outputs.error()));
    return faults;
}

class DifferentialTest : public testing::Test {
protected:
    DifferentialTest()
    {
        addNativeBackends(m_registry);
        test::addGpusInName(m_gpus);
    }

    Result<DeviceUnderTest> opened(const std::string &id)
    {
        if (!id.ends_with(kInGroups))
            return DeviceUnderTest::open(m_registry, id);
        return DeviceUnderTest::open(m_gpus, id.substr(0, id.size() - kInGroups.size()));
    }

    BackendRegistry m_registry;
    BackendRegistry m_gpus;
};

class Differential : public DifferentialTest, public testing::WithParamInterface<std::tuple<std::string, std::uint64_t>> {};

TEST_P(Differential, givesWhatTheReferenceGives)
{
    const auto &[id, share] = GetParam();
    auto device = opened(id);
    if (!device)
        GTEST_SKIP() << toText(device.error());
    std::size_t failures = 0;
    for (std::uint64_t i = 0; i < kProgramsPerShare && failures < kMaxFailures; ++i) {
        const std::string faults = faultsOf(*device, id, (share * kProgramsPerShare + i) * kGraphsPerProgram);
        failures += faults.empty() ? 0 : 1;
        EXPECT_TRUE(faults.empty()) << faults;
    }
    RecordProperty("kernels", std::to_string(device->kernels()));
}

std::vector<std::tuple<std::string, std::uint64_t>> sharesOfDevices()
{
    std::vector<std::tuple<std::string, std::uint64_t>> all;
    for (const TestedDevice &device : kDevices)
        for (std::uint64_t share = 0; share < device.shares; ++share)
            all.emplace_back(device.id, share);
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, Differential, testing::ValuesIn(sharesOfDevices()),
                         [](const auto &test) { return format("{}_{}", std::get<0>(test.param), std::get<1>(test.param)); });

class FreeRunning : public DifferentialTest, public testing::WithParamInterface<std::string> {};

TEST_P(FreeRunning, runsOnFromNewSeeds)
{
    const auto time = freeRunningTime();
    if (!time)
        GTEST_SKIP() << "STEPWELL_FUZZ_SECONDS is not set";
    auto device = opened(GetParam());
    if (!device)
        GTEST_SKIP() << toText(device.error());
    const auto end = std::chrono::steady_clock::now() + *time;
    std::uint64_t graphs = 0;
    std::size_t failures = 0;
    const std::uint64_t first = freeRunningSeed();
    for (std::uint64_t seed = first - first % kGraphsPerProgram;
         std::chrono::steady_clock::now() < end && failures < kMaxFailures;) {
        const std::string faults = faultsOf(*device, GetParam(), seed);
        failures += faults.empty() ? 0 : 1;
        EXPECT_TRUE(faults.empty()) << faults;
        seed += kGraphsPerProgram;
        graphs += kGraphsPerProgram;
    }
    RecordProperty("graphs", std::to_string(graphs));
}

INSTANTIATE_TEST_SUITE_P(All, FreeRunning, testing::Values("interpreter", "llvm", "c", "opencl", "llvm_in_groups"),
                         [](const auto &test) { return test.param; });

} // namespace
} // namespace sw
