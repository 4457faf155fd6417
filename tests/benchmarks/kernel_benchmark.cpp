// Kernels against what people use otherwise, taking turns in one run, on one and two threads: matrix products against OpenBLAS
// and oneDNN; convolutions against oneDNN; softmax, gelu and layer norm against oneDNN and plain C loops with libm.

#include "engine/backend/native_backends.h"
#include "tests/benchmarks/clean_environment.h"
#include "tests/benchmarks/library_peers.h"
#include "tests/benchmarks/plain_loops.h"
#include "tests/benchmarks/prepared_program.h"

#include <cmath>
#include <thread>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 11;
constexpr std::size_t kRows = 16384;
constexpr std::size_t kColumns = 1024;
constexpr std::size_t kElements = kRows * kColumns;

struct Case {
    std::string name;
    std::string program;
    std::size_t outputElements = 0;
    std::vector<Peer> peers;
};

// Splits a range among threads.
void inParallel(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t begin, std::size_t end)> &work)
{
    std::vector<std::jthread> others;
    const std::size_t part = count / threads;
    for (std::uint32_t i = 1; i < threads; ++i)
        others.emplace_back(work, i * part, i + 1 == threads ? count : (i + 1) * part);
    work(0, threads == 1 ? count : part);
}

std::vector<Peer> with(std::vector<Peer> peers, Peer another)
{
    peers.push_back(std::move(another));
    return peers;
}

Case product(const ProductSize &size)
{
    return {format("matmul {} x {} x {}", size.rows, size.depth, size.columns),
            format("input a: f32[{}, {}]\ninput b: f32[{}, {}]\noutput a @ b\n", size.rows, size.depth, size.depth, size.columns),
            static_cast<std::size_t>(size.rows * size.columns), with(oneDnnProduct(size), openBlasProduct(size))};
}

Case convolution(const ConvolutionSize &size)
{
    return {format("conv {} to {} on {} x {}, {} x {} / {}", size.channels, size.outputs, size.size, size.size, size.window,
                   size.window, size.stride),
            format("input x: f32[1, {}, {}, {}]\ninput w: f32[{}, {}, {}, {}]\noutput conv2d(x, w, stride = {}, padding = {})\n",
                   size.channels, size.size, size.size, size.outputs, size.channels, size.window, size.window, size.stride,
                   size.padding),
            static_cast<std::size_t>(size.outputs * size.outputSize() * size.outputSize()), oneDnnConvolution(size)};
}

std::vector<Case> cases()
{
    const auto softmax = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kRows, [&](std::size_t begin, std::size_t end) {
            plainSoftmax(floatsOf(inputs[0]) + begin * kColumns, out + begin * kColumns, end - begin, kColumns);
        });
    };
    const auto gelu = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kElements,
                   [&](std::size_t begin, std::size_t end) { plainGelu(floatsOf(inputs[0]) + begin, out + begin, end - begin); });
    };
    return {
        product({256, 256, 256}),
        product({512, 512, 512}),
        product({1024, 1024, 1024}),
        product({512, 16384, 512}),
        convolution({.channels = 3, .size = 224, .outputs = 64, .window = 7, .stride = 2, .padding = 3}),
        convolution({.channels = 64, .size = 56, .outputs = 64, .window = 3, .padding = 1}),
        convolution({.channels = 128, .size = 28, .outputs = 128, .window = 3, .padding = 1}),
        convolution({.channels = 256, .size = 14, .outputs = 256, .window = 3, .padding = 1}),
        convolution({.channels = 512, .size = 7, .outputs = 512, .window = 3, .padding = 1}),
        convolution({.channels = 192, .size = 13, .outputs = 96, .window = 5, .stride = 2, .padding = 2}),
        convolution({.channels = 256, .size = 56, .outputs = 64, .window = 1}),
        convolution({.channels = 2048, .size = 7, .outputs = 512, .window = 1}),
        {"softmax 16384 x 1024", "input x: f32[16384, 1024]\noutput softmax(x, axis = -1)\n", kElements,
         with(oneDnnSoftmax(kRows, kColumns), {"C loop", softmax})},
        {"gelu 16M", "input x: f32[16777216]\noutput gelu(x)\n", kElements, with(oneDnnGelu(kElements), {"C loop", gelu})},
        {"layer norm 4096 x 1024", "input x: f32[4096, 1024]\noutput layer_norm(x, epsilon = 0.00001)\n", 4096 * 1024,
         oneDnnLayerNorm(4096, 1024, 1e-5F)},
    };
}

// A ratio means nothing when one side computes something else.
double largestDifference(const HostTensor &ours, const std::vector<float> &theirs)
{
    double largest = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
        largest = std::fmax(largest, std::fabs(static_cast<double>(floatsOf(ours)[i]) - static_cast<double>(theirs[i])));
    return largest;
}

void measure(const BackendRegistry &registry, const Case &wanted, std::uint32_t threads)
{
    PreparedProgram program(registry, wanted.program, threads);
    const HostTensor ours = program.output();
    std::vector<std::vector<float>> outs(wanted.peers.size(), std::vector<float>(wanted.outputElements));
    std::vector<Contender> contenders{{"stepwell", [&] { return program.run(); }}};
    for (std::size_t i = 0; i < wanted.peers.size(); ++i) {
        const auto turn = [&, i] { return timeOf([&] { wanted.peers[i].run(program.inputs(), outs[i].data(), threads); }); };
        contenders.push_back({wanted.peers[i].name, turn});
    }
    const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
    print(format("{:<36} {} thread{}  stepwell {:>12}", wanted.name, threads, threads == 1 ? " " : "s",
                 millisecondsText(timings[0].median)));
    for (std::size_t i = 0; i < wanted.peers.size(); ++i)
        print(format("  {:<8} {:>12} ratio {:.2f} (max difference {:.1g})", wanted.peers[i].name,
                     millisecondsText(timings[i + 1].median),
                     static_cast<double>(timings[i + 1].median.count()) / static_cast<double>(timings[0].median.count()),
                     largestDifference(ours, outs[i])));
    print("\n");
}

} // namespace
} // namespace sw::benchmark

// The cases whose names contain the word after the program's name; without one, all.
int main(int argumentCount, char **arguments)
{
    sw::benchmark::runWithCleanEnvironment(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    sw::benchmark::print(sw::format("peers: {}; {}\n", sw::benchmark::openBlasText(), sw::benchmark::oneDnnText()));
    sw::benchmark::print("ratio: how many times faster than the peer\n");
    const std::string part = argumentCount > 1 ? arguments[1] : "";
    for (const sw::benchmark::Case &wanted : sw::benchmark::cases())
        for (const std::uint32_t threads : {1U, 2U})
            if (wanted.name.find(part) != std::string::npos)
                sw::benchmark::measure(registry, wanted, threads);
    return 0;
}
