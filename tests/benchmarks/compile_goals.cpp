#include "tests/benchmarks/compile_goals.h"

#include "engine/api/explorer.h"
#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "engine/backend/cpu/thread_pool.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/native_backends.h"
#include "engine/pipeline/pipeline.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/random_weights.h"
#include "tests/benchmarks/tiny_program.h"
#include "tests/support/growing_graphs.h"
#include "tests/support/layered_program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>
#include <utility>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 15;
constexpr int kLongRounds = 5;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLayers = 20;
constexpr std::size_t kTransformerLayers = 12;
constexpr std::size_t kManyNodes = 100'000;
constexpr std::chrono::milliseconds kBetweenKeys{150};

void report(std::string_view what, std::vector<Nanoseconds> times, double goalMilliseconds)
{
    const Nanoseconds median = timingOf(times).median;
    const double milliseconds = static_cast<double>(median.count()) / 1e6;
    print(format("{:<66} {:>11.4f} ms of {:>8.3f} ms  {}\n", what, milliseconds, goalMilliseconds,
                 milliseconds <= goalMilliseconds ? "met" : "MISSED"));
}

template <class T>
T valueOrEnd(Result<T> result)
{
    if (!result)
        giveUp(result.error());
    return std::move(*result);
}

CompileRequest requestOf(std::string text, const std::string &device)
{
    CompileRequest request;
    request.program.fileName = "goal.sw";
    request.program.text = std::move(text);
    request.program.isText = true;
    request.program.resourceFolder = findResourceFolder();
    request.device = device;
    return request;
}

LoweredProgramPtr loweredOf(const GraphPtr &graph, const OpenedDevice &device)
{
    const PipelineRun run =
        runPipeline(graph, standardPipeline(), {device.info(), device.renderer().language(), CompileOptions()}, {});
    if (!run.succeeded)
        giveUp(run.diagnostics);
    return std::get<LoweredProgramPtr>(run.last);
}

void toCallable(const LoweredProgram &program, OpenedDevice &device)
{
    const auto sources = valueOrEnd(renderProgram(program, device.renderer(), device.info()));
    static_cast<void>(valueOrEnd(device.compile(sources, {})));
}

// A kernel of another length in each round, so that none is found again.
void measureOneKernel(const BackendRegistry &registry, const std::string &id, double goal)
{
    if (!registry.device(id))
        return;
    ProgramCompiler compiler(registry);
    const auto device = valueOrEnd(OpenedDevice::open(registry, id, {}));
    std::vector<Nanoseconds> times;
    for (int round = -1; round < kRounds; ++round) {
        CompileRequest request = requestOf(format("input x: f32[{}]\noutput gelu(x)\n", 8192 + 64 * (round + 1)), id);
        request.until = CompileUntil::Lowered;
        const Compilation lowered = compiler.compile(request, {});
        if (!lowered.succeeded)
            giveUp(lowered.diagnostics);
        const Nanoseconds time = timeOf([&] { toCallable(*lowered.lowered, *device); });
        if (round >= 0)
            times.push_back(time);
    }
    report(format("{}: one kernel (gelu), lowered to callable", id), times, goal);
}

// Everything from the graph to callable code, by a device that has compiled nothing yet. OpenCL drivers keep what they compiled
// on disk, so that only the first round is cold for them.
void measureModel(const BackendRegistry &registry, const std::string &id, const GraphPtr &graph, std::string_view name,
                  double goal)
{
    if (!registry.device(id))
        return;
    std::vector<Nanoseconds> times;
    const int rounds = id == "opencl" ? 1 : kLongRounds;
    for (int round = 0; round < rounds; ++round) {
        const auto device = valueOrEnd(OpenedDevice::open(registry, id, {}));
        times.push_back(timeOf([&] {
            toCallable(*loweredOf(graph, *device), *device);
            static_cast<void>(valueOrEnd(device->finishCompiling({})));
        }));
    }
    report(format("{}: {}, graph to callable", id, name), times, goal);
}

void measureLowering(const BackendRegistry &registry, const GraphPtr &graph, std::string_view name, double goal)
{
    const auto device = valueOrEnd(OpenedDevice::open(registry, "llvm", {}));
    std::vector<Nanoseconds> times;
    for (int round = 0; round < kLongRounds; ++round)
        times.push_back(timeOf([&] { static_cast<void>(loweredOf(graph, *device)); }));
    report(format("{}, graph to lowered", name), times, goal);
}

GraphPtr graphOf(const ProgramInput &program)
{
    FrontEndResult opened = openProgram(program, {});
    if (!opened.stage)
        giveUp(opened.diagnostics);
    return std::get<GraphPtr>(*opened.stage);
}

std::string transformerText()
{
    std::string text = "input x: f32[128, 256]\nh0 = x\n";
    for (std::size_t i = 0; i < kTransformerLayers; ++i) {
        for (const char *weight : {"q", "k", "v", "o"})
            text += format("param {}{}: f32[256, 256] = random({})\n", weight, i, i);
        text += format("param u{}: f32[256, 1024] = random({})\nparam d{}: f32[1024, 256] = random({})\n", i, i, i, i);
        text +=
            format("a{0} = h{0} + multi_head_attention(layer_norm(h{0}), q{0}, k{0}, v{0}, o{0}, heads = 8, causal = true)\n", i);
        text += format("h{1} = a{0} + gelu(layer_norm(a{0}) @ u{0}) @ d{0}\n", i, i + 1);
    }
    return text + format("output h{}\n", kTransformerLayers);
}

void measureManyNodes(const BackendRegistry &registry)
{
    using test::GrowingGraph;
    struct Row {
        const char *name;
        Graph (*make)(std::size_t);
        std::size_t size;
    };
    constexpr std::array kRows{Row{"chain", GrowingGraph::chain, kManyNodes}, Row{"views", GrowingGraph::views, kManyNodes},
                               Row{"cat", GrowingGraph::cat, kManyNodes},
                               Row{"layers of 14 nodes", GrowingGraph::layers, kManyNodes / 14}};
    const auto device = valueOrEnd(OpenedDevice::open(registry, "llvm", {}));
    for (const Row &row : kRows) {
        const auto graph = std::make_shared<const Graph>(row.make(row.size));
        std::vector<Nanoseconds> times;
        for (int round = 0; round < 3; ++round)
            times.push_back(timeOf([&] { static_cast<void>(loweredOf(graph, *device)); }));
        report(format("{}, {} nodes, graph to lowered", row.name, graph->size()), times, 2000);
    }
}

void measureLaunches(const BackendRegistry &registry)
{
    constexpr int kLaunches = 2000;
    ThreadPool pool(2, [] {});
    // Each thread has to be there: one that takes both pieces has told the other nothing.
    std::atomic<int> arrived = 0;
    const auto bothAreThere = [&] { return arrived.load(std::memory_order_acquire) % 2 == 0; };
    auto meet = [&](const ThreadPool::Pieces &) {
        for (++arrived; !bothAreThere();) {}
    };
    std::vector<Nanoseconds> times;
    for (int round = -1; round < kRounds; ++round) {
        const Nanoseconds all = timeOf([&] {
            for (int i = 0; i < kLaunches; ++i)
                pool.run(2, meet);
        });
        if (round >= 0)
            times.push_back(all / kLaunches);
    }
    report("pool launch on two threads", times, 0.002);

    PreparedProgram program(registry, kTinyProgram, 0);
    std::vector<Nanoseconds> runs;
    for (int round = -1; round < kRounds; ++round)
        if (const Nanoseconds mean = program.meanOf(kTinyRuns); round >= 0)
            runs.push_back(mean);
    report(kTinyProgramName, runs, 0.002);
}

void measureModels(const BackendRegistry &registry, const std::string &model, const std::filesystem::path &caches)
{
    const RandomWeights random = valueOrEnd(withRandomWeights(model, kSeed));
    for (const auto &[name, file] : {std::pair{"light_resnet50", model}, std::pair{"ResNet-50, random weights", random.file}}) {
        ProgramInput program;
        program.fileName = file;
        program.resourceFolder = findResourceFolder();
        const GraphPtr graph = graphOf(program);
        measureLowering(registry, graph, name, 100);
        measureModel(registry, "llvm", graph, format("{}, cold", name), 1000);
        BackendRegistry keeping;
        addNativeBackends(keeping, findHostProgram(), caches / "kernels");
        const auto first = valueOrEnd(OpenedDevice::open(keeping, "llvm", {}));
        toCallable(*loweredOf(graph, *first), *first);
        measureModel(keeping, "llvm", graph, format("{}, from disk", name), 150);
        measureModel(registry, "opencl", graph, format("{}, cold", name), 3000);
    }
}

} // namespace

// What the window does after a key press, in this process: the documents of the stages are made too. A number in the layer in the
// middle is another one in each round. What the press before left behind is taken apart in the pause.
void measureKeyPress(const BackendRegistry &registry)
{
    Explorer explorer(registry, findResourceFolder());
    std::vector<Nanoseconds> untilLowered;
    std::vector<Nanoseconds> untilMachine;
    for (int round = -1; round < kRounds; ++round) {
        ExploreRequest request;
        request.fileName = "layers.sw";
        request.device = "llvm";
        request.text = test::LayeredProgram{.layers = kLayers, .other = {{kLayers / 2, format("1.{} * gelu", round + 2)}}}.text();
        Nanoseconds lowered{0};
        std::this_thread::sleep_for(kBetweenKeys);
        const auto begin = std::chrono::steady_clock::now();
        const ReportPtr made = explorer.compile(request,
                                                [&](const ReportPtr &report) {
                                                    if (report->lowered != nullptr && lowered.count() == 0)
                                                        lowered = std::chrono::steady_clock::now() - begin;
                                                },
                                                {});
        const Nanoseconds machine = std::chrono::steady_clock::now() - begin;
        if (made == nullptr || !made->succeeded) {
            print("the edited program does not compile\n");
            return;
        }
        if (round < 0)
            continue;
        untilLowered.push_back(lowered);
        untilMachine.push_back(machine);
    }
    report(format("key press to lowered text, {} layers", kLayers), untilLowered, 50);
    report(format("key press to machine code, {} layers", kLayers), untilMachine, 150);
}

void measureGoals(const BackendRegistry &registry, const std::string &model)
{
    const std::filesystem::path caches = std::filesystem::temp_directory_path() / format("stepwell-compile-goals-{}", ::getpid());
    std::filesystem::create_directories(caches / "pocl");
    ::setenv("POCL_CACHE_DIR", (caches / "pocl").c_str(), 1); // before the driver is used first
    measureOneKernel(registry, "llvm", 4);
    measureOneKernel(registry, "c", 60);
    measureKeyPress(registry);
    measureLowering(registry, graphOf(requestOf(transformerText(), "llvm").program), "transformer of 12 layers", 200);
    measureManyNodes(registry);
    measureLaunches(registry);
    if (!model.empty())
        measureModels(registry, model, caches);
    std::filesystem::remove_all(caches);
}

} // namespace sw::benchmark
