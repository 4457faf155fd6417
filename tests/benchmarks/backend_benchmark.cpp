// How long the backends compile, what a launch costs, and whether sums stay in registers: prints a table.

#include "engine/backend/native_backends.h"
#include "engine/types/host_tensor.h"
#include "tests/support/register_tile.h"

#include <algorithm>
#include <cstdio>

namespace {

using namespace sw;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::int64_t kItems = 400;
constexpr std::int64_t kDepth = 512;
constexpr int kRepeats = 9;

void report(const std::string &line)
{
    std::fputs((line + "\n").c_str(), stdout);
}

// y = max(x * 0.5 + 1, x), 16 lanes at a time: `operations` steps of it.
LoweredKernel elementwise(std::int64_t elements, int operations)
{
    const Origin origin{SourceId(0U)};
    const std::string name = format("elementwise{}", operations);
    LoweredBuilder builder({.kernel = KernelId(0U),
                            .name = name,
                            .symbol = name,
                            .instructions = {},
                            .arguments = {},
                            .globalSize = {16, 1, 1},
                            .localSize = {1, 1, 1},
                            .origin = origin});
    const auto x = builder.defineGlobal(origin, {BufferId(0U), DType::F32, elements, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), DType::F32, elements, true, "y"});
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto start = builder.alu(origin, Op::Mul, {item, builder.index(origin, elements / 16)});
    const auto i = builder.beginRange(origin, elements / 16 / 16, "i");
    const auto at = builder.alu(origin, Op::Add, {start, builder.alu(origin, Op::Mul, {i, builder.index(origin, 16)})});
    auto value = builder.load(origin, x, at, 16);
    const auto half = builder.constant(origin, Scalar::of(DType::F32, 0.5), 16);
    const auto one = builder.constant(origin, Scalar::of(DType::F32, 1.0), 16);
    for (int step = 0; step < operations; ++step)
        value = builder.alu(origin, Op::Fma, {value, half, one});
    builder.store(origin, y, at, value, {.isAligned = true});
    builder.endRange(origin);
    return builder.take();
}

// The least of several compiles of texts that differ, so that no cache answers.
Result<Artifact> timedCompile(Backend &backend, const DeviceInfo &device, Compiler &compiler, const LoweredKernel &kernel,
                              double &milliseconds)
{
    SW_TRY(RenderedSource source, backend.renderer().render(kernel, device));
    const std::string comment = source.language == TargetLanguage::Llvm ? "; " : "// ";
    milliseconds = 1e9;
    Result<Artifact> made = Diagnostic::error(Code::Internal, {}, "nothing compiled");
    const std::string text = source.text;
    for (int repeat = 0; repeat < 5; ++repeat) {
        source.text = text + comment + format("{}\n", repeat);
        made = std::move(compiler.compile({&source, 1}, {}).front());
        if (!made)
            return made;
        milliseconds = std::min(milliseconds, Milliseconds(made->compileTime).count());
    }
    return made;
}

Result<double> bestRun(Runtime &runtime, const LaunchRequest &request)
{
    double best = 1e9;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        SW_TRY(const LaunchResult result, runtime.launch(request, {}));
        best = std::min(best, Milliseconds(result.time).count());
    }
    return best;
}

// Instructions of the loop with the most multiply-adds that touch the stack.
std::string loopSummary(const MachineCode &machine)
{
    std::size_t best = 0;
    std::size_t onStack = 0;
    std::size_t length = 0;
    for (const MachineInstruction &jump : machine) {
        if (jump.target == 0 || jump.target >= jump.address)
            continue;
        std::size_t adds = 0;
        std::size_t stack = 0;
        std::size_t count = 0;
        for (const MachineInstruction &inside : machine) {
            if (inside.address < jump.target || inside.address > jump.address)
                continue;
            ++count;
            adds += inside.text.find("fmadd") != std::string::npos ? 1U : 0U;
            stack += inside.text.find("rsp") != std::string::npos ? 1U : 0U;
        }
        if (adds > best) {
            best = adds;
            onStack = stack;
            length = count;
        }
    }
    return format("inner loop: {} instructions, {} multiply-adds, {} on the stack", length, best, onStack);
}

Result<Done> measureTile(Backend &backend, const DeviceInfo &device, Backend::Opened &opened)
{
    const LoweredKernel kernel = test::registerTileKernel(kItems, kDepth);
    double compile = 0;
    SW_TRY(const Artifact artifact, timedCompile(backend, device, *opened.compiler, kernel, compile));
    SW_TRY(const auto machine, opened.compiler->machineCode(artifact.id));
    std::vector<DeviceBufferId> buffers;
    for (const std::int64_t elements :
         {kDepth * test::kTileRows, kDepth * test::kTileColumns, kItems * test::kTileRows * test::kTileColumns}) {
        SW_TRY(const DeviceBufferId buffer, opened.runtime->allocate(elements * 4));
        buffers.push_back(buffer);
    }
    SW_TRY(const double time, bestRun(*opened.runtime, {artifact.id, buffers, kernel.globalSize, kernel.localSize}));
    const double flops = 2.0 * static_cast<double>(kItems * kDepth * test::kTileRows * test::kTileColumns);
    report(format("  register tile 8 x 48: compile {:.2f} ms, {:.1f} GFLOP/s; {}", compile, flops / time / 1e6,
                  loopSummary(machine)));
    return Done{};
}

Result<Done> measureElementwise(Backend &backend, const DeviceInfo &device, Backend::Opened &opened)
{
    constexpr std::int64_t kElements = 1 << 16;
    SW_TRY(const DeviceBufferId x, opened.runtime->allocate(kElements * 4));
    SW_TRY(const DeviceBufferId y, opened.runtime->allocate(kElements * 4));
    for (const int operations : {5, 20, 100}) {
        const LoweredKernel kernel = elementwise(kElements, operations);
        double compile = 0;
        SW_TRY(const Artifact artifact, timedCompile(backend, device, *opened.compiler, kernel, compile));
        const std::array buffers = {x, y};
        SW_TRY(const double time, bestRun(*opened.runtime, {artifact.id, buffers, kernel.globalSize, kernel.localSize}));
        report(format("  {} operations on vectors: compile {:.2f} ms, 64 Ki elements in {:.1f} us", operations, compile,
                      time * 1e3));
    }
    return Done{};
}

Result<Done> measure(Backend &backend, std::uint32_t threads)
{
    SW_TRY(const auto devices, backend.probe());
    const auto start = std::chrono::steady_clock::now();
    SW_TRY(auto opened, backend.open(devices.front(), {.threads = threads}));
    report(format("{} ({} threads; opened in {:.1f} ms)", devices.front().description, threads,
                  Milliseconds(std::chrono::steady_clock::now() - start).count()));
    SW_CHECK(measureElementwise(backend, devices.front(), opened));
    SW_CHECK(measureTile(backend, devices.front(), opened));
    opened.runtime.reset();
    return Done{};
}

} // namespace

int main(int count, char **words)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    bool isFailed = false;
    for (const auto &backend : registry.backends()) {
        const bool isWanted = count < 2 ? backend->id() != "interpreter" : backend->id() == words[1];
        if (!isWanted)
            continue;
        for (const std::uint32_t threads : {1U, 2U}) {
            if (const auto done = measure(*backend, threads); !done) {
                report(toText(done.error()));
                isFailed = true;
            }
        }
    }
    return isFailed ? 1 : 0;
}
