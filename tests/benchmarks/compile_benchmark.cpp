// How long each stage takes: for every example on llvm, and for the models named on the command line. And what 20 equal layers
// with their gradients cost against 2 of them, on every device: the goal is 1.5 times as much.
//
//   stepwell_compile_benchmark [MODEL.onnx]...
//   stepwell_compile_benchmark goals [MODEL.onnx]      the goals only, those of ResNet-50 with this model
//   stepwell_compile_benchmark keys                    the goals of key presses only
//
// With STEPWELL_HOST=stepwell-host, OpenCL kernels are compiled with the second process that the programs have for it.

#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/native_backends.h"
#include "tests/benchmarks/compile_goals.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/support/layered_program.h"

#include <algorithm>
#include <filesystem>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 9;
constexpr int kModelRounds = 3;
constexpr std::size_t kFewLayers = 2;
constexpr std::size_t kManyLayers = 20;

struct StageSamples {
    std::string name;
    std::vector<Nanoseconds> times;
};

void add(std::vector<StageSamples> &stages, const std::string &name, Nanoseconds time)
{
    const auto found = std::ranges::find(stages, name, &StageSamples::name);
    if (found == stages.end())
        stages.push_back({name, {time}});
    else
        found->times.push_back(time);
}

// A compiler of its own each time, so that no kernel is found again.
void measure(const BackendRegistry &registry, const std::filesystem::path &file, int rounds)
{
    CompileRequest request;
    request.program.fileName = file.string();
    request.program.resourceFolder = findResourceFolder();
    std::vector<StageSamples> stages;
    std::size_t kernels = 0;
    std::vector<Nanoseconds> slowest;
    for (int round = -1; round < rounds; ++round) {
        ProgramCompiler compiler(registry);
        const Compilation compilation = compiler.compile(request, {});
        if (!compilation.succeeded)
            giveUp(compilation.diagnostics);
        kernels = compilation.lowered->kernels.size();
        Nanoseconds total{0};
        for (const NamedTime &stage : compilation.times) {
            total += stage.time;
            if (round >= 0)
                add(stages, stage.name, stage.time);
        }
        if (round < 0)
            continue;
        add(stages, "total", total);
        Nanoseconds longest{0};
        for (const auto &artifact : compilation.program->artifacts)
            longest = std::max(longest, artifact->compileTime);
        slowest.push_back(longest);
    }
    print(format("{} ({} kernels):", file.extension() == ".onnx" ? file.parent_path().filename().string() : file.stem().string(),
                 kernels));
    for (const StageSamples &stage : stages)
        print(format("  {} {}", stage.name, millisecondsText(timingOf(stage.times).median)));
    print(format("  slowest kernel {}\n", millisecondsText(timingOf(slowest).median)));
}

// The whole compilation of so many layers, by a compiler of its own each time.
Nanoseconds layersTime(const BackendRegistry &registry, const std::string &device, std::size_t layers)
{
    CompileRequest request;
    request.program.fileName = "layers.sw";
    request.program.text = test::LayeredProgram{.layers = layers}.text();
    request.program.isText = true;
    request.program.resourceFolder = findResourceFolder();
    request.device = device;
    std::vector<Nanoseconds> times;
    for (int round = 0; round < kModelRounds; ++round) {
        ProgramCompiler compiler(registry);
        const Compilation compilation = compiler.compile(request, {});
        if (!compilation.succeeded)
            giveUp(compilation.diagnostics);
        Nanoseconds total{0};
        for (const NamedTime &stage : compilation.times)
            total += stage.time;
        times.push_back(total);
    }
    return timingOf(times).median;
}

void measureLayers(const BackendRegistry &registry)
{
    for (const char *device : {"llvm", "c", "opencl"}) {
        if (!registry.device(device))
            continue;
        const Nanoseconds few = layersTime(registry, device, kFewLayers);
        const Nanoseconds many = layersTime(registry, device, kManyLayers);
        print(format("{}: {} layers {}, {} layers {}: {:.2f} times as much\n", device, kFewLayers, millisecondsText(few),
                     kManyLayers, millisecondsText(many), static_cast<double>(many.count()) / static_cast<double>(few.count())));
    }
}

// What the window waits for: the file read, and the document of its graph made.
void measureOpening(const BackendRegistry &registry, const std::string &file)
{
    std::vector<Nanoseconds> times;
    for (int round = 0; round < kModelRounds; ++round) {
        Explorer explorer(registry, findResourceFolder());
        ExploreRequest request;
        request.fileName = file;
        request.isFile = true;
        std::stop_source stop;
        const auto begin = std::chrono::steady_clock::now();
        const auto atGraph = [&](const ReportPtr &report) {
            if (report->graph == nullptr || stop.stop_requested())
                return;
            times.push_back(std::chrono::steady_clock::now() - begin);
            stop.request_stop();
        };
        static_cast<void>(explorer.compile(request, atGraph, stop.get_token()));
    }
    if (!times.empty())
        print(format("  from file to graph document {}\n", millisecondsText(timingOf(times).median)));
}

} // namespace
} // namespace sw::benchmark

int main(int argumentCount, char **arguments)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry, sw::findHostProgram());
    if (argumentCount > 1 && std::string_view(arguments[1]) == "goals") {
        sw::benchmark::measureGoals(registry, argumentCount > 2 ? arguments[2] : "");
        return 0;
    }
    if (argumentCount > 1 && std::string_view(arguments[1]) == "keys") {
        sw::benchmark::measureKeyPress(registry);
        return 0;
    }
    sw::benchmark::measureLayers(registry);
    for (const sw::ExampleEntry &example : sw::Explorer(registry, sw::findResourceFolder()).examples())
        sw::benchmark::measure(registry, example.path, sw::benchmark::kRounds);
    for (int i = 1; i < argumentCount; ++i) {
        sw::benchmark::measure(registry, arguments[i], sw::benchmark::kModelRounds);
        sw::benchmark::measureOpening(registry, arguments[i]);
    }
    return 0;
}
