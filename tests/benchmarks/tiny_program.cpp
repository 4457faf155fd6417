#include "tests/benchmarks/tiny_program.h"

#include "engine/types/host_tensor.h"
#include "tests/benchmarks/library_peers.h"
#include "tests/benchmarks/prepared_program.h"

#include <algorithm>

namespace sw::benchmark {

namespace {

constexpr int kRounds = 15;
constexpr double kGoal = 1; // the time of PyTorch, in times of ours

} // namespace

bool measureTinyProgram(const BackendRegistry &registry)
{
    constexpr std::uint32_t kThreads = 1;
    PreparedProgram program(registry, kTinyProgram, kThreads);
    const std::vector<Peer> peers = torchIncrements(kTinyElements, kTinyRuns);
    std::vector<std::vector<float>> outs(peers.size(), std::vector<float>(kTinyElements));
    std::vector<Contender> contenders{{"stepwell", [&] { return program.meanOf(kTinyRuns); }}};
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const auto all = [&, i] { peers[i].run(program.inputs(), outs[i].data(), kThreads); };
        contenders.push_back({peers[i].name, [all] { return timeOf(all) / kTinyRuns; }});
    }
    const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
    const auto own = static_cast<double>(timings[0].median.count());
    print(format("{:<38} {}  {:>8.0f} ns", kTinyProgramName, kThreads, own));
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const auto theirs = static_cast<double>(timings[i + 1].median.count());
        print(format("  {} {:.0f} ns ({:.2f} x)", peers[i].name, theirs, theirs / own));
    }
    if (const auto best = std::ranges::min_element(timings.begin() + 1, timings.end(), {}, &Timing::median);
        best != timings.end()) {
        const double ratio = static_cast<double>(best->median.count()) / own;
        print(format("  {} {:.2f} of {:.2f}", ratio >= kGoal ? "met" : "MISSED", ratio, kGoal));
    }
    const HostTensor ours = program.output();
    const auto isOurs = [&](const std::vector<float> &out) { return std::equal(out.begin(), out.end(), floatsOf(ours)); };
    const bool areRight = std::ranges::all_of(outs, isOurs);
    print(areRight ? "\n" : "  WRONG: one addition has one result\n");
    return areRight;
}

} // namespace sw::benchmark
