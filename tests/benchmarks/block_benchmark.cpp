// Blocks of networks on llvm, in f32 and bf16, against PyTorch and oneDNN, on one and two threads, taking turns in one run. Both
// sides have the same values, and the weights are laid out before any time is taken.
//
//   stepwell_block_benchmark [f32|bf16] [BLOCK...]
//
// BLOCK is the beginning of a name of block_cases.h, such as conv. stepwell_model_benchmark has ONNX Runtime as the peer of the
// f32 blocks.

#include "engine/backend/native_backends.h"
#include "engine/types/random_fill.h"
#include "tests/benchmarks/block_cases.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/widest_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 11;

DType dtypeOf(Precision precision)
{
    switch (precision) {
    case Precision::F32:
        return DType::F32;
    case Precision::BF16:
        return DType::BF16;
    }
    return DType::F32;
}

// What two right results may differ by, of the norm: libraries add up in another order, and round at other places of the block.
double toleranceOf(Precision precision)
{
    return precision == Precision::F32 ? 1e-4 : 2e-2;
}

std::vector<NamedTensor> valuesOf(const BlockCase &block, DType dtype)
{
    std::vector<NamedTensor> values;
    std::uint64_t seed = 0;
    for (const BlockTensor &tensor : block.tensors)
        values.push_back({tensor.name, uniformTensor(dtype, tensor.shape, ++seed, -tensor.limit, tensor.limit)});
    return values;
}

BlockWork workOn(const std::vector<NamedTensor> &values, Precision precision, std::uint32_t threads)
{
    BlockWork work{.precision = precision, .threads = threads, .tensors = {}};
    for (const auto &[name, value] : values)
        work.tensors.push_back({value.bytes().data(), {value.shape().begin(), value.shape().end()}});
    return work;
}

// The norm of the difference by the norm of theirs.
double relativeDifference(const HostTensor &ours, const std::vector<float> &theirs)
{
    if (static_cast<std::size_t>(ours.elements()) != theirs.size())
        return std::numeric_limits<double>::infinity();
    double differences = 0;
    double squares = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const auto wanted = static_cast<double>(theirs[i]);
        const double difference = ours.at(static_cast<std::int64_t>(i)).asDouble() - wanted;
        differences += difference * difference;
        squares += wanted * wanted;
    }
    return std::sqrt(differences / squares);
}

struct Difference {
    std::string from; // whom
    double relative = 0;
};

// Of all results; a NaN is larger than any number.
Difference largestDifference(const std::vector<HostTensor> &ours, const std::vector<BlockPeer> &peers)
{
    Difference largest;
    for (const BlockPeer &peer : peers) {
        const std::vector<std::vector<float>> theirs = peer.results();
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const double relative =
                i < theirs.size() ? relativeDifference(ours[i], theirs[i]) : std::numeric_limits<double>::infinity();
            if (largest.from.empty() || std::isnan(relative) || relative > largest.relative)
                largest = {peer.name, relative};
            if (std::isnan(relative))
                return largest;
        }
    }
    return largest;
}

// Those that can run it, and a message for each that cannot.
std::vector<BlockPeer> peersOf(const BlockCase &block, const BlockWork &work)
{
    std::vector<BlockPeer> peers;
    for (BlockPeer &peer : block.peers(work)) {
        if (peer.refusal.empty())
            peers.push_back(std::move(peer));
        else
            print(format("{} {}: {} is left out: {}\n", block.name, nameOf(dtypeOf(work.precision)), peer.name, peer.refusal));
    }
    return peers;
}

// False: the results differ.
bool measure(const BackendRegistry &registry, const BlockCase &block, Precision precision, std::uint32_t threads)
{
    const DType dtype = dtypeOf(precision);
    const std::vector<NamedTensor> values = valuesOf(block, dtype);
    PreparedProgram program(registry, programOf(block, dtype), threads, {}, values);
    const std::vector<HostTensor> ours = program.outputs();
    const std::vector<BlockPeer> peers = peersOf(block, workOn(values, precision, threads));
    std::vector<Contender> contenders{{"stepwell", [&] { return program.run(); }}};
    for (const BlockPeer &peer : peers)
        contenders.push_back({peer.name, [&peer] { return timeOf(peer.run); }});
    const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
    print(format("{:<20} {:<4} {} thread{}", block.name, nameOf(dtype), threads, threads == 1 ? " " : "s"));
    for (std::size_t i = 0; i < timings.size(); ++i)
        print(format("  {} {:>10}", contenders[i].name, millisecondsText(timings[i].median)));
    if (peers.empty()) {
        print("\n");
        return true;
    }
    const auto best = std::ranges::min_element(timings.begin() + 1, timings.end(), {}, &Timing::median);
    print(format("  ratio {:.2f} to {}",
                 static_cast<double>(best->median.count()) / static_cast<double>(timings[0].median.count()),
                 contenders[static_cast<std::size_t>(best - timings.begin())].name));
    const Difference difference = largestDifference(ours, peers);
    const bool isRight = difference.relative <= toleranceOf(precision);
    print(format("  off by {:.1g}", difference.relative));
    print(isRight ? "\n" : format("  DIFFERS from {}, where {:.0g} is allowed\n", difference.from, toleranceOf(precision)));
    return isRight;
}

struct Wanted {
    std::vector<Precision> precisions;
    std::vector<BlockCase> blocks;
};

// Without any of a kind: all. No blocks: there is none that a word stands for, and a message says so.
Wanted wantedOf(int argumentCount, char **arguments)
{
    Wanted wanted;
    const std::vector<BlockCase> all = blockCases();
    bool hasNames = false;
    for (int i = 1; i < argumentCount; ++i) {
        const std::string_view word = arguments[i];
        if (word == nameOf(DType::F32) || word == nameOf(DType::BF16)) {
            wanted.precisions.push_back(word == nameOf(DType::F32) ? Precision::F32 : Precision::BF16);
            continue;
        }
        hasNames = true;
        const std::size_t before = wanted.blocks.size();
        for (const BlockCase &block : all)
            if (std::string_view(block.name).starts_with(word))
                wanted.blocks.push_back(block);
        if (wanted.blocks.size() == before) {
            print(format("no block is called {}; there are {}\n", word,
                         join(all, ", ", [](const BlockCase &block) { return block.name; })));
            return {};
        }
    }
    if (wanted.precisions.empty())
        wanted.precisions = {Precision::F32, Precision::BF16};
    if (!hasNames)
        wanted.blocks = all;
    return wanted;
}

} // namespace
} // namespace sw::benchmark

int main(int argumentCount, char **arguments)
{
    using namespace sw::benchmark;
    runWithBestPeers(arguments);
    const Wanted wanted = wantedOf(argumentCount, arguments);
    if (wanted.blocks.empty())
        return 2;
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    print(sw::format("peers: {}; {}\n", oneDnnText(), torchText()));
    print(sw::format("a word to another core and back: {} ns\n", handoverTime().count()));
    print("medians of times; ratio: how many times faster than the best peer; off by: the largest norm of a difference between "
          "our\n"
          "results and a peer's, as a part of the norm of the peer's\n");
    std::size_t wrong = 0;
    for (const Precision precision : wanted.precisions)
        for (const BlockCase &block : wanted.blocks)
            for (const std::uint32_t threads : {1U, 2U})
                wrong += measure(registry, block, precision, threads) ? 0 : 1;
    if (wrong > 0)
        print(sw::format("DIFFERS: {} of the results above\n", wrong));
    return wrong > 0 ? 1 : 0;
}
