#include "tests/benchmarks/peer_cases.h"

#include "engine/base/text.h"
#include "engine/types/host_tensor.h"
#include "tests/benchmarks/plain_loops.h"
#include "tests/benchmarks/plain_references.h"
#include "tests/benchmarks/range_threads.h"

#include <cmath>
#include <initializer_list>

namespace sw::benchmark {

namespace {

constexpr std::size_t kRows = 16384;
constexpr std::size_t kColumns = 1024;
constexpr std::size_t kElements = kRows * kColumns;
constexpr std::size_t kSide = 4096; // of the matrices that are reduced

constexpr double kEpsilon = 0x1p-23; // from 1 to the next float

// Of sums of so many terms, in any order, with a function or a division behind them. The roundings of uniform random terms in one
// chain of additions, as the slowest loop has them, make a deviation of 0.15 eps sqrt(n) of the sum, where the terms have one
// sign, or of the root of n times a term, where they have both. 4 eps sqrt(n) is 26 of those.
Bound sumsOf(double terms)
{
    constexpr double kFunctions = 16; // units of them
    return {.relative = kEpsilon * (4 * std::sqrt(terms) + kFunctions),
            .reason = format("{:.0f} additions in any order round by less", terms)};
}

Bound exactly(std::string reason)
{
    return {.relative = 0, .reason = std::move(reason)};
}

std::vector<Peer> joined(std::initializer_list<std::vector<Peer>> lists)
{
    std::vector<Peer> peers;
    for (const std::vector<Peer> &list : lists)
        peers.insert(peers.end(), list.begin(), list.end());
    return peers;
}

double productWork(const ProductSize &size)
{
    return 2.0 * static_cast<double>(size.rows) * static_cast<double>(size.depth) * static_cast<double>(size.columns);
}

Case product(const ProductSize &size)
{
    return {.name = format("matmul {} x {} x {}", size.rows, size.depth, size.columns),
            .program = format("input a: f32[{}, {}]\ninput b: f32[{}, {}]\noutput a @ b\n", size.rows, size.depth, size.depth,
                              size.columns),
            .outputElements = static_cast<std::size_t>(size.rows * size.columns),
            .peers = joined({oneDnnProduct(size), {openBlasProduct(size)}, eigenProduct(size), torchProduct(size)}),
            .bound = sumsOf(static_cast<double>(size.depth)),
            .work = productWork(size),
            .goal = 1.1};
}

// By the rows of the second matrix, as linear layers store them.
Case linear(const ProductSize &size)
{
    return {.name = format("linear {} x {} x {}", size.rows, size.depth, size.columns),
            .program = format("input a: f32[{}, {}]\ninput b: f32[{}, {}]\noutput a @ b.T\n", size.rows, size.depth, size.columns,
                              size.depth),
            .outputElements = static_cast<std::size_t>(size.rows * size.columns),
            .peers = joined({oneDnnLinear(size), {openBlasLinear(size)}, eigenLinear(size), torchLinear(size)}),
            .bound = sumsOf(static_cast<double>(size.depth)),
            .work = productWork(size),
            .goal = 1.1};
}

// Convolutions by 3 x 3 may be computed from tiles, whose sums and differences round as well (resources/docs/convolutions.md).
Bound convolutionBound(const ConvolutionSize &size)
{
    constexpr double kTiles = 4;
    Bound bound = sumsOf(static_cast<double>(size.channels / size.groups * size.window * size.window));
    if (size.window == 3 && size.stride == 1) {
        bound.relative *= kTiles;
        bound.reason += format(", {} times as much in tiles", kTiles);
    }
    return bound;
}

Case convolution(const ConvolutionSize &size)
{
    const std::int64_t side = size.outputSize();
    return {.name = format("conv {} to {} on {} x {}, {} x {} / {}{}", size.channels, size.outputs, size.size, size.size,
                           size.window, size.window, size.stride, size.groups > 1 ? " by channel" : ""),
            .program = format("input x: f32[1, {}, {}, {}]\ninput w: f32[{}, {}, {}, {}]\n"
                              "output conv2d(x, w, stride = {}, padding = {}, groups = {})\n",
                              size.channels, size.size, size.size, size.outputs, size.channels / size.groups, size.window,
                              size.window, size.stride, size.padding, size.groups),
            .outputElements = static_cast<std::size_t>(size.outputs * side * side),
            .peers = joined({oneDnnConvolution(size), torchConvolution(size)}),
            .bound = convolutionBound(size),
            .reference = plainConvolution(size),
            .work =
                2.0 * static_cast<double>(size.outputs * side * side * size.channels / size.groups * size.window * size.window)};
}

// As in a model: the image is new in each run, and the weights are laid out when the program is compiled.
Case withConstantWeights(const ConvolutionSize &size)
{
    Case made = convolution(size);
    made.name += ", constant w";
    const Shape weights{size.outputs, size.channels / size.groups, size.window, size.window};
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "stepwell_peers_weights.npy";
    made.program = format("input x: f32[1, {}, {}, {}]\nconst w: f32[{}, {}, {}, {}] = load(\"{}\")\n"
                          "output conv2d(x, w, stride = {}, padding = {}, groups = {})\n",
                          size.channels, size.size, size.size, size.outputs, size.channels / size.groups, size.window,
                          size.window, file.string(), size.stride, size.padding, size.groups);
    made.constants = {{file, weights}};
    return made;
}

std::vector<ConvolutionSize> convolutionSizes()
{
    return {
        {.channels = 3, .size = 224, .outputs = 64, .window = 7, .stride = 2, .padding = 3},
        {.channels = 64, .size = 56, .outputs = 64, .window = 3, .padding = 1},
        {.channels = 128, .size = 28, .outputs = 128, .window = 3, .padding = 1},
        {.channels = 256, .size = 14, .outputs = 256, .window = 3, .padding = 1},
        {.channels = 512, .size = 7, .outputs = 512, .window = 3, .padding = 1},
        {.channels = 192, .size = 13, .outputs = 96, .window = 5, .stride = 2, .padding = 2},
        {.channels = 256, .size = 56, .outputs = 64, .window = 1},
        {.channels = 2048, .size = 7, .outputs = 512, .window = 1},
        {.channels = 128, .size = 56, .outputs = 128, .window = 3, .padding = 1, .groups = 128},
    };
}

struct RowFunction {
    std::string name;
    std::string expression;
    OfRow reference;
    double goal = 0;
};

Case rows(const RowFunction &function, std::size_t count, std::size_t columns, std::vector<Peer> peers)
{
    return {.name = format("{} {} x {}", function.name, count, columns),
            .program = format("input x: f32[{}, {}]\noutput {}\n", count, columns, function.expression),
            .outputElements = count * columns,
            .peers = std::move(peers),
            .bound = sumsOf(static_cast<double>(columns)),
            .reference = alongRows(count, columns, function.reference),
            .limit = Limit::Copy,
            .work = 8.0 * static_cast<double>(count * columns),
            .goal = function.goal};
}

Case gelu(std::vector<Peer> peers)
{
    return {.name = format("gelu {} x {}", kRows, kColumns),
            .program = format("input x: f32[{}, {}]\noutput gelu(x)\n", kRows, kColumns),
            .outputElements = kElements,
            .peers = std::move(peers),
            .bound = {.relative = 32 * kEpsilon, .reason = "libraries have erf as a polynomial that is some units off"},
            .reference = ofEach(kElements, geluOf),
            .limit = Limit::Copy,
            .work = 8.0 * static_cast<double>(kElements),
            .goal = 2};
}

Case reduction(const std::string &name, const std::string &expression, Reduced reduced, OfElements reference)
{
    return {.name = format("{} of {} x {}", name, kSide, kSide),
            .program = format("input x: f32[{}, {}]\noutput {}\n", kSide, kSide, expression),
            .outputElements = reduced == Reduced::All ? 1 : kSide,
            .reference = reducing(kSide, reduced, reference),
            .limit = Limit::Read,
            .work = 4.0 * kSide * kSide,
            .share = 0.9};
}

double termsOf(Reduced reduced)
{
    return static_cast<double>(reduced == Reduced::All ? kSide * kSide : kSide);
}

Case sum(const std::string &name, const std::string &expression, Reduced reduced)
{
    Case made = reduction(name, expression, reduced, sumOf);
    made.peers = joined({oneDnnReduction(kSide, kSide, reduced, false), torchSum(kSide, kSide, reduced)});
    made.bound = sumsOf(termsOf(reduced));
    made.bound.scale = std::sqrt(termsOf(reduced) / 3); // the deviation of a sum of uniform numbers from -1 to 1
    return made;
}

Case maximum(const std::string &name, const std::string &expression, Reduced reduced)
{
    Case made = reduction(name, expression, reduced, largestOf);
    made.peers = joined({oneDnnReduction(kSide, kSide, reduced, true), torchMaximum(kSide, kSide, reduced)});
    made.bound = exactly("nothing is rounded");
    return made;
}

// oneDNN has neither this nor the next: a plain loop shows how long it takes without a library, and the limit is what counts.
Case variance(const std::string &name, const std::string &expression, Reduced reduced)
{
    Case made = reduction(name, expression, reduced, varianceOf);
    made.peers = joined({{{"C++ loop", made.reference}}, torchVariance(kSide, kSide, reduced)});
    made.bound = sumsOf(termsOf(reduced));
    return made;
}

Case argmax(const std::string &name, const std::string &expression, Reduced reduced)
{
    Case made = reduction(name, expression, reduced, placeOfLargest);
    made.peers = joined({{{"C++ loop", made.reference}}, torchArgmax(kSide, kSide, reduced)});
    made.bound = exactly("places are whole numbers below 2^24");
    return made;
}

Case chainOfTwelve()
{
    return {.name = "chain of 12 operations, 16M",
            .program = format("input x: f32[{}]\n"
                              "a = x * 2 + 1\nb = maximum(a, x) - 0.5\nc = b * a + x\nd = minimum(c, 100) * 0.25\n"
                              "e = abs(d - b) + d\noutput e * e - 3\n",
                              kSide * kSide),
            .outputElements = kSide * kSide,
            .bound = {.relative = 64 * kEpsilon, .reason = "12 roundings, which later operations multiply by up to 5"},
            .reference = ofEach(kSide * kSide, chainOf),
            .limit = Limit::Copy,
            .work = 8.0 * kSide * kSide,
            .share = 0.9};
}

// Four words of a counter's cipher are four numbers. Of a counter: 5 operations make its four words, 8 the key's additions, 1 the
// injection's number, 24 the rounds (two mixes of an addition, a rotation and an exclusive or in each of four), 12 the numbers
// (a shift, a conversion and a multiplication each), 8 the order in memory and 4 the stores.
Case uniforms()
{
    constexpr std::size_t kCounters = kSide * kSide / 4;
    constexpr double kOperations = 5 + 8 + 1 + 24 + 12 + 8 + 4;
    return {.name = "threefry uniforms, 16M",
            .program = format("param key: u32x4[] = random(7)\ncounters = arange({}, dtype = u32)\n"
                              "output uint4x32_to_prec_uniform(threefry4x32_light(key = key, counter = counters), f32)\n",
                              kCounters),
            .outputElements = kSide * kSide,
            .bound = exactly("the bits of the cipher"),
            .reference = threefryUniforms(kCounters),
            .limit = Limit::Write,
            .work = 4.0 * kSide * kSide,
            .share = 0.8,
            .operations = kOperations * kCounters};
}

} // namespace

std::vector<Case> peerCases()
{
    const auto softmaxLoop = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kRows, [&](std::size_t begin, std::size_t end) {
            plainSoftmax(floatsOf(inputs[0]) + begin * kColumns, out + begin * kColumns, end - begin, kColumns);
        });
    };
    const auto geluLoop = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kElements,
                   [&](std::size_t begin, std::size_t end) { plainGelu(floatsOf(inputs[0]) + begin, out + begin, end - begin); });
    };
    std::vector<Case> cases{
        product({256, 256, 256}), product({512, 512, 512}),    product({1024, 1024, 1024}), product({2048, 2048, 2048}),
        product({255, 255, 255}), product({1000, 1000, 1001}), product({64, 4096, 64}),     product({512, 16384, 512}),
        product({4096, 4096, 1}), product({4, 4096, 4096}),    linear({128, 768, 3072}),    linear({1024, 1024, 1024}),
        linear({4, 4096, 4096}),  linear({4, 1024, 1024}),
    };
    for (const ConvolutionSize &size : convolutionSizes()) {
        cases.push_back(convolution(size));
        cases.push_back(withConstantWeights(size));
    }
    const RowFunction softmax{"softmax", "softmax(x, axis = -1)", softmaxOf, 1.3};
    const RowFunction layerNorm{"layer norm", "layer_norm(x, epsilon = 0.00001)", layerNormOf, 1};
    const RowFunction rmsNorm{"RMS norm", "rms_norm(x)", rmsNormOf};
    const RowFunction logSoftmax{"log-softmax", "log_softmax(x)", logSoftmaxOf};
    const auto softmaxPeers = [](std::size_t count, std::size_t columns) {
        return joined({oneDnnSoftmax(count, columns), torchSoftmax(count, columns)});
    };
    const auto layerNormPeers = [](std::size_t count, std::size_t columns) {
        return joined({oneDnnLayerNorm(count, columns, 1e-5F), torchLayerNorm(count, columns, 1e-5)});
    };
    const std::vector<Case> others{
        rows(softmax, kRows, kColumns, joined({softmaxPeers(kRows, kColumns), {{"C loop", softmaxLoop}}})),
        rows(softmax, kSide, kSide, softmaxPeers(kSide, kSide)),
        rows(softmax, 64, 131072, softmaxPeers(64, 131072)),
        gelu(joined({oneDnnGelu(kElements), torchGelu(kRows, kColumns), {{"C loop", geluLoop}}})),
        rows(layerNorm, kSide, kColumns, layerNormPeers(kSide, kColumns)),
        sum("sum", "sum(x)", Reduced::All),
        sum("sum along rows", "sum(x, axis = 1)", Reduced::Columns),
        sum("sum along columns", "sum(x, axis = 0)", Reduced::Rows),
        maximum("max", "max(x)", Reduced::All),
        maximum("max along rows", "max(x, axis = 1)", Reduced::Columns),
        maximum("max along columns", "max(x, axis = 0)", Reduced::Rows),
        rows(layerNorm, kSide, kSide, layerNormPeers(kSide, kSide)),
        rows(layerNorm, 64, 131072, layerNormPeers(64, 131072)),
        rows(rmsNorm, kSide, kSide, {}),
        rows(rmsNorm, kSide, kColumns, {}),
        rows(rmsNorm, 64, 131072, {}),
        rows(logSoftmax, kSide, kSide, torchLogSoftmax(kSide, kSide)),
        rows(logSoftmax, kSide, kColumns, torchLogSoftmax(kSide, kColumns)),
        rows(logSoftmax, 64, 131072, torchLogSoftmax(64, 131072)),
        variance("variance", "var(x)", Reduced::All),
        variance("variance along rows", "var(x, axis = 1)", Reduced::Columns),
        variance("variance along columns", "var(x, axis = 0)", Reduced::Rows),
        argmax("argmax", "cast(argmax(x), f32)", Reduced::All),
        argmax("argmax along rows", "cast(argmax(x, axis = 1), f32)", Reduced::Columns),
        argmax("argmax along columns", "cast(argmax(x, axis = 0), f32)", Reduced::Rows),
        chainOfTwelve(),
        uniforms(),
    };
    cases.insert(cases.end(), others.begin(), others.end());
    return cases;
}

} // namespace sw::benchmark
