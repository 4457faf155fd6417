// Kernels against what people use otherwise, taking turns in one run, on one and two threads, and against what this machine
// allows: rates are held against the arithmetic and the memory that were measured at the start of the run. Every result is
// checked in the same run, against plain loops or the peers: a wrong one is told, and the program then ends with 1.

#include "tests/benchmarks/peer_cases.h"

#include "engine/backend/native_backends.h"
#include "engine/execute/machine_roofs.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/tiny_program.h"
#include "tests/benchmarks/widest_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 11;

// A ratio means nothing when one side computes something else. How far the results are apart at most, as a part of the largest
// value; infinite where one is no number.
double largestDifference(const HostTensor &ours, const std::vector<float> &right, double scale)
{
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if (ours.dtype() != DType::F32 || ours.elements() != static_cast<std::int64_t>(right.size()))
        return kInfinite;
    double largest = 0;
    double size = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const double difference = std::abs(static_cast<double>(floatsOf(ours)[i]) - static_cast<double>(right[i]));
        if (!std::isfinite(difference))
            return kInfinite;
        largest = std::max(largest, difference);
        size = std::max(size, std::abs(static_cast<double>(right[i])));
    }
    return largest == 0 ? 0 : largest / (scale > 0 ? scale : size);
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

struct Difference {
    std::string from; // whom
    double relative = 0;
};

// Tells which results are further apart than the case allows; false: some are.
bool areRight(const Case &wanted, const std::vector<Difference> &differences)
{
    bool areAllRight = !differences.empty();
    if (differences.empty())
        print("  WRONG: there is nothing to compare it with");
    for (const Difference &difference : differences)
        if (!(difference.relative <= wanted.bound.relative)) {
            print(format("  WRONG: off by {:.2g} from {}, where {:.2g} is allowed: {}", difference.relative, difference.from,
                         wanted.bound.relative, wanted.bound.reason));
            areAllRight = false;
        }
    return areAllRight;
}

void printGoals(const MachineRoofs &roofs, const Case &wanted, std::uint32_t threads, const std::vector<Timing> &timings)
{
    const auto own = static_cast<double>(timings[0].median.count());
    const auto best = std::ranges::min_element(timings.begin() + 1, timings.end(), {}, &Timing::median);
    if (best != timings.end() && wanted.goal > 0) {
        const double ratio = static_cast<double>(best->median.count()) / own;
        print(format("  {} {:.2f} of {:.2f}", ratio >= wanted.goal ? "met" : "MISSED", ratio, wanted.goal));
    }
    const TimeLeft left = timeLeft(roofs, wanted, threads);
    if (left.roof == nullptr || wanted.share <= 0)
        return;
    const double share = left.nanoseconds / own;
    print(format("  limit, {}: {} {:.2f} of {:.2f}", left.roof->name, share >= wanted.share ? "met" : "MISSED", share,
                 wanted.share));
}

// expected: what the case's reference gives; filled when it is empty. False: a result is wrong.
bool measure(const BackendRegistry &registry, const MachineRoofs &roofs, const Case &wanted, std::uint32_t threads,
             std::vector<float> &expected)
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
    print(format("{:<38} {}  {:>11}  {:<42}", wanted.name, threads, millisecondsText(timings[0].median),
                 rateText(roofs, wanted, threads, timings[0].median)));
    std::vector<Difference> differences;
    for (std::size_t i = 0; i < wanted.peers.size(); ++i) {
        differences.push_back({wanted.peers[i].name, largestDifference(ours, outs[i], wanted.bound.scale)});
        print(format("  {} {} ({:.2f} x, off by {:.0g})", wanted.peers[i].name, millisecondsText(timings[i + 1].median),
                     static_cast<double>(timings[i + 1].median.count()) / static_cast<double>(timings[0].median.count()),
                     differences.back().relative));
    }
    if (wanted.reference && expected.empty()) {
        expected.resize(wanted.outputElements);
        wanted.reference(inputs, expected.data(), std::max(std::thread::hardware_concurrency(), 1U));
    }
    if (wanted.reference) {
        differences.push_back({"plain loops", largestDifference(ours, expected, wanted.bound.scale)});
        print(format("  off by {:.0g} from plain loops", differences.back().relative));
    }
    printGoals(roofs, wanted, threads, timings);
    const bool isRight = areRight(wanted, differences);
    print("\n");
    return isRight;
}

} // namespace
} // namespace sw::benchmark

// The cases whose names contain the word after the program's name; without one, all.
int main(int argumentCount, char **arguments)
{
    using namespace sw::benchmark;
    runWithBestPeers(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    print(sw::format("peers: {}; {}; {}; {}\n", openBlasText(), oneDnnText(), eigenText(), torchText()));
    print(sw::format("a word to another core and back: {} ns\n", handoverTime().count()));
    print(sw::format("ONNX Runtime is no package that this program is built with\n"));
    const auto roofs = sw::measureRoofs(2, {});
    if (!roofs)
        giveUp(roofs.error());
    for (const sw::Roof &roof : roofs->roofs)
        print(sw::format("{} on {}: {:.1f} {}\n", roof.name, roof.threads, roof.perNanosecond,
                         roof.kind == sw::RoofKind::Memory ? "GB/s" : "GFLOP/s"));
    print("case, threads, time of stepwell, its rate; each peer's time, how many times longer that is, and by how much the "
          "results\n"
          "differ, as a part of the largest value; whether the best peer's ratio meets the goal\n");
    const std::string part = argumentCount > 1 ? arguments[1] : "";
    std::size_t wrong = 0;
    if (std::string_view(kTinyProgramName).find(part) != std::string_view::npos)
        wrong += measureTinyProgram(registry) ? 0 : 1;
    for (const Case &wanted : peerCases()) {
        std::vector<float> expected;
        for (const std::uint32_t threads : {1U, 2U})
            if (wanted.name.find(part) != std::string::npos)
                wrong += measure(registry, *roofs, wanted, threads, expected) ? 0 : 1;
    }
    if (wrong > 0)
        print(sw::format("WRONG: {} of the results above\n", wrong));
    return wrong > 0 ? 1 : 0;
}
