#include "tests/benchmarks/peer_cases.h"

#include "engine/base/text.h"
#include "tests/benchmarks/plain_loops.h"

#include <thread>

namespace sw::benchmark {

namespace {

constexpr std::size_t kRows = 16384;
constexpr std::size_t kColumns = 1024;
constexpr std::size_t kElements = kRows * kColumns;
constexpr std::size_t kSide = 4096; // of the matrices that are reduced

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
            .peers = with(oneDnnProduct(size), openBlasProduct(size)),
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
            .peers = with(oneDnnLinear(size), openBlasLinear(size)),
            .work = productWork(size),
            .goal = 1.1};
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
            .peers = oneDnnConvolution(size),
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

Case rows(const std::string &name, const std::string &expression, std::size_t count, std::size_t columns, std::vector<Peer> peers,
          double goal)
{
    return {.name = format("{} {} x {}", name, count, columns),
            .program = format("input x: f32[{}, {}]\noutput {}\n", count, columns, expression),
            .outputElements = count * columns,
            .peers = std::move(peers),
            .limit = Limit::Copy,
            .work = 8.0 * static_cast<double>(count * columns),
            .goal = goal};
}

Case reduction(const std::string &name, const std::string &expression, Reduced reduced, bool isMaximum)
{
    return {.name = format("{} of {} x {}", name, kSide, kSide),
            .program = format("input x: f32[{}, {}]\noutput {}\n", kSide, kSide, expression),
            .outputElements = reduced == Reduced::All ? 1 : kSide,
            .peers = oneDnnReduction(kSide, kSide, reduced, isMaximum),
            .limit = Limit::Read,
            .work = 4.0 * kSide * kSide,
            .share = 0.9};
}

// `count` elements that lie `step` apart, in two passes.
using OfElements = float (*)(const float *x, std::size_t count, std::size_t step);

float varianceOf(const float *x, std::size_t count, std::size_t step)
{
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += static_cast<double>(x[i * step]);
    const double mean = sum / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i)
        squares += (static_cast<double>(x[i * step]) - mean) * (static_cast<double>(x[i * step]) - mean);
    return static_cast<float>(squares / static_cast<double>(count));
}

float placeOfLargest(const float *x, std::size_t count, std::size_t step)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        best = x[i * step] > x[best * step] ? i : best;
    return static_cast<float>(best);
}

// No library that is here has it: a plain loop checks the values, and the limit is what counts.
Case withLoop(const std::string &name, const std::string &expression, Reduced reduced, OfElements body)
{
    const auto loop = [=](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const float *x = floatsOf(inputs[0]);
        if (reduced == Reduced::All) {
            out[0] = body(x, kSide * kSide, 1);
            return;
        }
        const bool isAlongRows = reduced == Reduced::Columns;
        inParallel(threads, kSide, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                out[i] = body(x + i * (isAlongRows ? kSide : 1), kSide, isAlongRows ? 1 : kSide);
        });
    };
    Case made = reduction(name, expression, reduced, false);
    made.peers = {{"C++ loop", loop}};
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
            .peers = {},
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
            .peers = {},
            .limit = Limit::Write,
            .work = 4.0 * kSide * kSide,
            .share = 0.8,
            .operations = kOperations * kCounters};
}

} // namespace

std::vector<Case> peerCases()
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
    std::vector<Case> cases{
        product({256, 256, 256}), product({512, 512, 512}),    product({1024, 1024, 1024}), product({2048, 2048, 2048}),
        product({255, 255, 255}), product({1000, 1000, 1001}), product({64, 4096, 64}),     product({512, 16384, 512}),
        product({4096, 4096, 1}), linear({128, 768, 3072}),    linear({1024, 1024, 1024}),
    };
    for (const ConvolutionSize &size : convolutionSizes()) {
        cases.push_back(convolution(size));
        cases.push_back(withConstantWeights(size));
    }
    const std::vector<Case> others{
        rows("softmax", "softmax(x, axis = -1)", kRows, kColumns, with(oneDnnSoftmax(kRows, kColumns), {"C loop", softmax}), 1.3),
        rows("softmax", "softmax(x, axis = -1)", kSide, kSide, oneDnnSoftmax(kSide, kSide), 1.3),
        rows("softmax", "softmax(x, axis = -1)", 64, 131072, oneDnnSoftmax(64, 131072), 1.3),
        rows("gelu", "gelu(x)", kRows, kColumns, with(oneDnnGelu(kElements), {"C loop", gelu}), 2),
        rows("layer norm", "layer_norm(x, epsilon = 0.00001)", kSide, kColumns, oneDnnLayerNorm(kSide, kColumns, 1e-5F), 1),
        reduction("sum", "sum(x)", Reduced::All, false),
        reduction("sum along rows", "sum(x, axis = 1)", Reduced::Columns, false),
        reduction("sum along columns", "sum(x, axis = 0)", Reduced::Rows, false),
        reduction("max", "max(x)", Reduced::All, true),
        reduction("max along rows", "max(x, axis = 1)", Reduced::Columns, true),
        reduction("max along columns", "max(x, axis = 0)", Reduced::Rows, true),
        rows("layer norm", "layer_norm(x, epsilon = 0.00001)", kSide, kSide, oneDnnLayerNorm(kSide, kSide, 1e-5F), 1),
        rows("layer norm", "layer_norm(x, epsilon = 0.00001)", 64, 131072, oneDnnLayerNorm(64, 131072, 1e-5F), 1),
        rows("RMS norm", "rms_norm(x)", kSide, kSide, {}, 0),
        rows("RMS norm", "rms_norm(x)", kSide, kColumns, {}, 0),
        rows("RMS norm", "rms_norm(x)", 64, 131072, {}, 0),
        rows("log-softmax", "log_softmax(x)", kSide, kSide, {}, 0),
        rows("log-softmax", "log_softmax(x)", kSide, kColumns, {}, 0),
        rows("log-softmax", "log_softmax(x)", 64, 131072, {}, 0),
        withLoop("variance", "var(x)", Reduced::All, varianceOf),
        withLoop("variance along rows", "var(x, axis = 1)", Reduced::Columns, varianceOf),
        withLoop("variance along columns", "var(x, axis = 0)", Reduced::Rows, varianceOf),
        withLoop("argmax", "cast(argmax(x), f32)", Reduced::All, placeOfLargest),
        withLoop("argmax along rows", "cast(argmax(x, axis = 1), f32)", Reduced::Columns, placeOfLargest),
        withLoop("argmax along columns", "cast(argmax(x, axis = 0), f32)", Reduced::Rows, placeOfLargest),
        chainOfTwelve(),
        uniforms(),
    };
    cases.insert(cases.end(), others.begin(), others.end());
    return cases;
}

} // namespace sw::benchmark
