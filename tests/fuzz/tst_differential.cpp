// Random graphs through the whole compiler on every backend, against the reference interpreter and the bounds of what a correct
// device may answer.
//
// Every device meets every one of the 2,000 graphs, some dozens in one program, with the options of the program varied. The
// graphs are dealt into shares, each a test of its own, so that several run at once.
//
// STEPWELL_FUZZ_SECONDS=N in the environment runs on from new seeds for about that long. A failure names the seed and the device,
// and prints the graph as text that stepwellc opens.

#include "engine/backend/native_backends.h"
#include "engine/execute/executor.h"
#include "engine/graph/printer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/fuzz/error_bounds.h"
#include "tests/fuzz/merged_graphs.h"
#include "tests/fuzz/random_graph.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <tuple>

namespace sw {
namespace {

const std::vector<std::string> kDevices = {"interpreter", "llvm", "c", "opencl"};
constexpr std::uint64_t kGraphsPerProgram = 25;
constexpr std::uint64_t kProgramsPerShare = 10;
constexpr std::uint64_t kShares = 8;
static_assert(kGraphsPerProgram * kProgramsPerShare * kShares >= 2000);

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
    if (seed % 2 == 1)
        options.dtypes = {DType::F32, DType::I32, DType::Bool, DType::F64};
    return options;
}

CompileOptions compileOptionsOf(std::uint64_t round)
{
    CompileOptions options;
    options.fuse = round % 5 != 4;
    options.optimize = round % 3 != 2;
    options.contract = round % 4 != 3;
    options.strict = round % 7 == 6;
    return options;
}

class Device {
public:
    static Result<Device> open(const BackendRegistry &registry, const std::string &id)
    {
        SW_TRY(auto opened, OpenedDevice::open(registry, id, {}));
        return Device(std::move(opened));
    }

    Result<std::vector<NamedTensor>> run(const RandomGraph &random, const CompileOptions &options)
    {
        const CompileTarget target{m_device->info(), m_device->renderer().language(), options};
        const PipelineRun lowered = runPipeline(std::make_shared<const Graph>(random.graph), standardPipeline(), target, {});
        if (!lowered.succeeded)
            return Failure(lowered.diagnostics);
        const auto program = std::get<LoweredProgramPtr>(lowered.last);
        SW_TRY(auto sources, renderProgram(*program, m_device->renderer(), m_device->info()));
        SW_TRY(auto artifacts, m_device->compile(sources, {}));
        m_kernels += artifacts.size();
        auto compiled =
            std::make_shared<const CompiledProgram>(CompiledProgram{program, std::move(sources), std::move(artifacts)});
        // Nodes may have gone; the inputs stay, in their order.
        SW_TRY(const auto executor, Executor::prepare(*m_device, std::move(compiled), random.inputs));
        SW_TRY(ExecutionResult result, executor->run({.warmup = 0, .repeats = 1}, {}));
        return std::move(result.outputs);
    }

    [[nodiscard]] std::size_t kernels() const { return m_kernels; }

private:
    explicit Device(std::unique_ptr<OpenedDevice> device) : m_device(std::move(device)) {}

    std::unique_ptr<OpenedDevice> m_device;
    std::size_t m_kernels = 0;
};

// What is wrong with the outputs of one graph, the first of which is outputs[first].
std::string faultOf(const RandomGraph &random, const std::vector<NamedTensor> &outputs, std::size_t first)
{
    const auto expected = interpretWithBounds(random.graph, random.inputs);
    if (!expected)
        return toText(expected.error());
    for (std::size_t i = 0; i < expected->values.size(); ++i)
        if (const auto difference = firstDifference(expected->values[i], outputs.at(first + i).value, expected->bounds[i]))
            return format("output {}: {}", i, *difference);
    return {};
}

std::string report(const RandomGraph &random, std::uint64_t seed, const std::string &device, const std::string &fault)
{
    return format("seed {} on {}: {}\n{}", seed, device, fault, printGraph(random.graph).text);
}

// Runs the graphs of these seeds as one program; the faults that were found. A program that does not compile or run is tried
// graph by graph, to name the one at fault.
std::string faultsOf(Device &device, const std::string &id, const std::vector<std::uint64_t> &seeds,
                     const CompileOptions &options)
{
    std::vector<RandomGraph> graphs;
    for (const std::uint64_t seed : seeds)
        graphs.push_back(randomGraph(optionsOf(seed)));
    const MergedGraphs merged = mergedGraphs(graphs);
    const auto outputs = device.run(merged.all, options);
    std::string faults;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        std::string fault;
        if (outputs)
            fault = faultOf(graphs[i], *outputs, merged.firstOutputs[i]);
        else if (const auto alone = device.run(graphs[i], options); !alone)
            fault = toText(alone.error());
        if (!fault.empty())
            faults += report(graphs[i], seeds[i], id, fault);
    }
    if (faults.empty() && !outputs)
        faults = format("seeds {} to {} on {}, together: {}", seeds.front(), seeds.back(), id, toText(outputs.error()));
    return faults;
}

std::vector<std::uint64_t> seedsFrom(std::uint64_t first)
{
    std::vector<std::uint64_t> seeds(kGraphsPerProgram);
    std::iota(seeds.begin(), seeds.end(), first);
    return seeds;
}

class DifferentialTest : public testing::Test {
protected:
    DifferentialTest() { addNativeBackends(m_registry); }

    BackendRegistry m_registry;
};

class Differential : public DifferentialTest, public testing::WithParamInterface<std::tuple<std::string, std::uint64_t>> {};

TEST_P(Differential, givesWhatTheReferenceGives)
{
    const auto &[id, share] = GetParam();
    auto device = Device::open(m_registry, id);
    if (!device)
        GTEST_SKIP() << toText(device.error());
    std::size_t failures = 0;
    for (std::uint64_t i = 0; i < kProgramsPerShare; ++i) {
        const std::uint64_t program = share * kProgramsPerShare + i;
        const std::string faults = faultsOf(*device, id, seedsFrom(program * kGraphsPerProgram), compileOptionsOf(program));
        failures += faults.empty() ? 0 : 1;
        EXPECT_EQ(faults, "");
        ASSERT_LT(failures, kMaxFailures);
    }
    RecordProperty("kernels", std::to_string(device->kernels()));
}

INSTANTIATE_TEST_SUITE_P(All, Differential,
                         testing::Combine(testing::ValuesIn(kDevices), testing::Range(std::uint64_t{0}, kShares)),
                         [](const auto &test) { return format("{}_{}", std::get<0>(test.param), std::get<1>(test.param)); });

class FreeRunning : public DifferentialTest, public testing::WithParamInterface<std::string> {};

TEST_P(FreeRunning, givesWhatTheReferenceGives)
{
    const char *wanted = std::getenv("STEPWELL_FUZZ_SECONDS");
    if (wanted == nullptr)
        GTEST_SKIP() << "STEPWELL_FUZZ_SECONDS is not set";
    auto device = Device::open(m_registry, GetParam());
    if (!device)
        GTEST_SKIP() << toText(device.error());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtol(wanted, nullptr, 10));
    const std::uint64_t start = std::random_device()() | std::uint64_t{1} << 32U; // never one of the fixed ones
    std::uint64_t programs = 0;
    for (; std::chrono::steady_clock::now() < end; ++programs)
        ASSERT_EQ(faultsOf(*device, GetParam(), seedsFrom(start + programs * kGraphsPerProgram), compileOptionsOf(programs)), "");
    RecordProperty("graphs", std::to_string(programs * kGraphsPerProgram));
}

INSTANTIATE_TEST_SUITE_P(All, FreeRunning, testing::ValuesIn(kDevices), [](const auto &test) { return test.param; });

} // namespace
} // namespace sw
