// Kernels against what people use otherwise, taking turns in one run, on one and two threads, and against what this machine
// allows: rates are held against the arithmetic and the memory that were measured at the start of the run.

#include "tests/benchmarks/peer_cases.h"

#include "engine/backend/native_backends.h"
#include "engine/execute/machine_roofs.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/benchmarks/clean_environment.h"
#include "tests/benchmarks/prepared_program.h"

#include <algorithm>
#include <cmath>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 11;

// A ratio means nothing when one side computes something else.
double largestDifference(const HostTensor &ours, const std::vector<float> &theirs)
{
    double largest = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
        largest = std::fmax(largest, std::fabs(static_cast<double>(floatsOf(ours)[i]) - static_cast<double>(theirs[i])));
    return largest;
}

const Roof *roofNamed(const MachineRoofs &roofs, std::string_view name, std::uint32_t threads)
{
    const auto found = std::ranges::find_if(
        roofs.roofs, [&](const Roof &roof) { return roof.name.find(name) != std::string::npos && roof.threads == threads; });
    return found == roofs.roofs.end() ? nullptr : &*found;
}

// The fastest arithmetic, or the fastest copy, read or write of main memory.
const Roof *limitOf(const MachineRoofs &roofs, Limit limit, std::uint32_t threads)
{
    switch (limit) {
    case Limit::Arithmetic: {
        const Roof *best = nullptr;
        for (const Roof &roof : roofs.roofs)
            if (roof.kind == RoofKind::Compute && roof.threads == threads &&
                (best == nullptr || roof.perNanosecond > best->perNanosecond))
                best = &roof;
        return best;
    }
    case Limit::Copy:
        return roofNamed(roofs, "memory copy", threads);
    case Limit::Read:
        return roofNamed(roofs, "memory read", threads);
    case Limit::Write:
        return roofNamed(roofs, "memory write", threads);
    }
    return nullptr;
}

// The fastest arithmetic that is no multiply-add.
const Roof *singleOperations(const MachineRoofs &roofs, std::uint32_t threads)
{
    const Roof *best = nullptr;
    for (const Roof &roof : roofs.roofs)
        if (roof.kind == RoofKind::Compute && roof.threads == threads && roof.name.find("FMA") == std::string::npos &&
            (best == nullptr || roof.perNanosecond > best->perNanosecond))
            best = &roof;
    return best;
}

// The time that the limit leaves, in nanoseconds, and what takes it; none: the limit is not known.
struct TimeLeft {
    double nanoseconds = 0;
    const Roof *roof = nullptr;
};

TimeLeft timeLeft(const MachineRoofs &roofs, const Case &wanted, std::uint32_t threads)
{
    TimeLeft left;
    if (const Roof *roof = limitOf(roofs, wanted.limit, threads))
        left = {wanted.work / roof->perNanosecond, roof};
    const Roof *arithmetic = wanted.operations > 0 ? singleOperations(roofs, threads) : nullptr;
    if (arithmetic != nullptr && left.roof != nullptr && wanted.operations / arithmetic->perNanosecond > left.nanoseconds)
        left = {wanted.operations / arithmetic->perNanosecond, arithmetic};
    return left;
}

// "221.3 GFLOP/s, 91 % of AVX-512 FMA"
std::string rateText(const MachineRoofs &roofs, const Case &wanted, std::uint32_t threads, Nanoseconds time)
{
    const double rate = wanted.work / static_cast<double>(time.count());
    const char *unit = wanted.limit == Limit::Arithmetic ? "GFLOP/s" : "GB/s";
    const Roof *roof = limitOf(roofs, wanted.limit, threads);
    if (roof == nullptr)
        return format("{:7.1f} {}", rate, unit);
    return format("{:7.1f} {} {:4.0f} % of {}", rate, unit, 100 * rate / roof->perNanosecond, roof->name);
}

std::vector<HostTensor> writtenConstants(const Case &wanted)
{
    std::vector<HostTensor> constants;
    for (const FileConstant &constant : wanted.constants) {
        constants.push_back(randomTensor(DType::F32, constant.shape, 2));
        if (const auto written = writeNpyFile(constant.file, constants.back()); !written)
            giveUp(written.error());
    }
    return constants;
}

void measure(const BackendRegistry &registry, const MachineRoofs &roofs, const Case &wanted, std::uint32_t threads)
{
    const std::vector<HostTensor> constants = writtenConstants(wanted);
    PreparedProgram program(registry, wanted.program, threads);
    std::vector<HostTensor> inputs = program.inputs();
    inputs.insert(inputs.end(), constants.begin(), constants.end());
    const HostTensor ours = program.output();
    std::vector<std::vector<float>> outs(wanted.peers.size(), std::vector<float>(wanted.outputElements));
    std::vector<Contender> contenders{{"stepwell", [&] { return program.run(); }}};
    for (std::size_t i = 0; i < wanted.peers.size(); ++i) {
        const auto turn = [&, i] { return timeOf([&] { wanted.peers[i].run(inputs, outs[i].data(), threads); }); };
        contenders.push_back({wanted.peers[i].name, turn});
    }
    const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
    const auto ratio = [&](std::size_t peer) {
        return static_cast<double>(timings[peer + 1].median.count()) / static_cast<double>(timings[0].median.count());
    };
    print(format("{:<38} {}  {:>11}  {:<42}", wanted.name, threads, millisecondsText(timings[0].median),
                 rateText(roofs, wanted, threads, timings[0].median)));
    double worst = 0;
    for (std::size_t i = 0; i < wanted.peers.size(); ++i) {
        print(format("  {} {} ({:.2f} x, off by {:.0g})", wanted.peers[i].name, millisecondsText(timings[i + 1].median), ratio(i),
                     largestDifference(ours, outs[i])));
        worst = i == 0 ? ratio(i) : std::min(worst, ratio(i));
    }
    if (!wanted.peers.empty() && wanted.goal > 0)
        print(format("  {} {:.2f} of {:.2f}", worst >= wanted.goal ? "met" : "MISSED", worst, wanted.goal));
    const TimeLeft left = timeLeft(roofs, wanted, threads);
    if (left.roof != nullptr && wanted.share > 0) {
        const double share = left.nanoseconds / static_cast<double>(timings[0].median.count());
        print(format("  limit, {}: {} {:.2f} of {:.2f}", left.roof->name, share >= wanted.share ? "met" : "MISSED", share,
                     wanted.share));
    }
    print("\n");
}

} // namespace
} // namespace sw::benchmark

// The cases whose names contain the word after the program's name; without one, all.
int main(int argumentCount, char **arguments)
{
    using namespace sw::benchmark;
    runWithCleanEnvironment(arguments);
    useWidestOpenBlas(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    print(sw::format("peers: {}; {}\n", openBlasText(), oneDnnText()));
    print(sw::format("a word to another core and back: {} ns\n", handoverTime().count()));
    print(sw::format("PyTorch and ONNX Runtime are no packages that this program is built with\n"));
    const auto roofs = sw::measureRoofs(2, {});
    if (!roofs)
        giveUp(roofs.error());
    for (const sw::Roof &roof : roofs->roofs)
        print(sw::format("{} on {}: {:.1f} {}\n", roof.name, roof.threads, roof.perNanosecond,
                         roof.kind == sw::RoofKind::Memory ? "GB/s" : "GFLOP/s"));
    print("case, threads, time of stepwell, its rate; each peer's time, how many times longer that is, and by how much the "
          "results\n"
          "differ; whether the best peer's ratio meets the goal\n");
    const std::string part = argumentCount > 1 ? arguments[1] : "";
    for (const Case &wanted : peerCases())
        for (const std::uint32_t threads : {1U, 2U})
            if (wanted.name.find(part) != std::string::npos)
                measure(registry, *roofs, wanted, threads);
    return 0;
}
