#include "engine/passes/graph/winograd.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/first_difference.h"
#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace sw {
namespace {

struct Layer {
    std::int64_t images = 1;
    std::int64_t groups = 1;
    std::int64_t outputs = 48; // of a group
    std::int64_t channels = 32;
    std::int64_t rows = 8;
    std::int64_t columns = 8;
    std::int64_t border = 1;
    std::int64_t stride = 1;
    std::int64_t window = 3;
    DType dtype = DType::F32;
    PlaceholderRole kernels = PlaceholderRole::Param;
};

void PrintTo(const Layer &layer, std::ostream *out)
{
    *out << format("{} x {} groups of {} -> {}, {} x {}, border {}", layer.images, layer.groups, layer.channels, layer.outputs,
                   layer.rows, layer.columns, layer.border);
}

class WinogradTest : public testing::TestWithParam<Layer>, protected test::OneItem {
protected:
    WinogradTest()
    {
        m_run.options.figures.launchNanoseconds = 0; // what counts is the arithmetic
        m_run.options.figures.memoryBytesPerNanosecond = 1e6;
    }

    // Placeholders x [images, channels of all groups, rows, columns] and w [groups, outputs, channels, window, window].
    Graph convolution(const Layer &layer) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const std::int64_t all = layer.groups * layer.channels;
        const NodeId x = builder.placeholder(origin, layer.dtype, {layer.images, all, layer.rows, layer.columns},
                                             {.name = "x", .initial = nullptr});
        const NodeId w =
            builder.placeholder(origin, layer.dtype, {layer.groups, layer.outputs, layer.channels, layer.window, layer.window},
                                {.name = "w", .role = layer.kernels, .initial = nullptr});
        NodeId image = x;
        if (layer.border != 0)
            image =
                builder
                    .pad(origin, x,
                         {{0, 0, layer.border, layer.border}, {0, 0, layer.border, layer.border}, Scalar::of(layer.dtype, 0.0)})
                    .value();
        const Shape padded = builder.node(image).shape;
        const std::int64_t row = padded[3];
        const std::int64_t channel = row * padded[2];
        const std::int64_t down = (padded[2] - layer.window) / layer.stride + 1;
        const std::int64_t across = (padded[3] - layer.window) / layer.stride + 1;
        const NodeId windows =
            builder
                .view(origin, image, {layer.images, layer.groups, 1, down, across, layer.channels, layer.window, layer.window},
                      {.strides = {all * channel, layer.channels * channel, 0, layer.stride * row, layer.stride, channel, row, 1},
                       .offset = 0,
                       .mask = {}})
                .value();
        const NodeId kernels =
            builder.reshape(origin, w, {1, layer.groups, layer.outputs, 1, 1, layer.channels, layer.window, layer.window})
                .value();
        const Shape whole{layer.images, layer.groups, layer.outputs, down, across, layer.channels, layer.window, layer.window};
        const std::array factors{builder.expand(origin, windows, whole).value(), builder.expand(origin, kernels, whole).value()};
        const NodeId products = builder.elementwise(origin, Op::Mul, factors).value();
        const NodeId sums = builder.reduce(origin, Op::Add, products, {5, 6, 7}).value();
        const NodeId y = builder.reshape(origin, sums, {layer.images, layer.groups * layer.outputs, down, across}).value();
        return std::move(builder).finish(origin, {y}, {"y"}).value();
    }

    std::optional<Graph> tiled(const Graph &graph)
    {
        auto made = winograd(graph, m_run.context);
        EXPECT_TRUE(made) << toText(made.error());
        if (*made) {
            const auto verified = verifyGraph(**made);
            EXPECT_TRUE(verified) << toText(verified.error());
        }
        return std::move(*made);
    }

    static std::vector<HostTensor> inputsOf(const Graph &graph, std::uint64_t seed)
    {
        std::vector<HostTensor> inputs;
        for (const NodeId id : graph.placeholders())
            inputs.push_back(randomTensor(graph.node(id).dtype, graph.node(id).shape, seed++));
        return inputs;
    }

    // The first element whose difference is beyond its bound; empty: none is.
    static std::string differenceOf(const Graph &direct, const Graph &tiled, const std::vector<HostTensor> &inputs)
    {
        const auto expected = interpretWithBounds(direct, inputs, {.withTypical = true});
        const auto actual = interpretGraph(tiled, inputs);
        EXPECT_TRUE(expected && actual);
        for (std::int64_t i = 0; i < expected->values.front().elements(); ++i) {
            const double want = expected->values.front().at(i).asDouble();
            const double got = actual->front().at(i).asDouble();
            const double bound = std::min(2 * expected->bounds.front().at(i).asDouble(),
                                          16 * expected->typical.front().at(i).asDouble()); // as in accuracy.md
            if (!std::isinf(bound) && !(std::abs(want - got) <= bound))
                return format("[{}]: {} in place of {}, at most {} apart", i, got, want, bound);
        }
        return {};
    }

    PassRun m_run;
};

TEST_P(WinogradTest, tilesGiveWhatAllProductsGive)
{
    const Graph direct = convolution(GetParam());
    const std::optional<Graph> made = tiled(direct);
    ASSERT_TRUE(made);
    EXPECT_EQ(differenceOf(direct, *made, inputsOf(direct, 7)), "");
}

INSTANTIATE_TEST_SUITE_P(Layers, WinogradTest,
                         testing::Values(Layer{}, Layer{.rows = 7, .columns = 7}, Layer{.rows = 6, .columns = 9},
                                         Layer{.images = 2, .groups = 3, .outputs = 40, .channels = 24},
                                         Layer{.rows = 10, .columns = 8, .border = 0}, Layer{.dtype = DType::F64},
                                         Layer{.images = 3, .outputs = 96, .channels = 16, .rows = 9, .columns = 13}));

TEST_F(WinogradTest, otherSumsStay)
{
    EXPECT_TRUE(tiled(convolution({})));
    EXPECT_FALSE(tiled(convolution({.stride = 2}))) << "windows that move by 2";
    EXPECT_FALSE(tiled(convolution({.border = 2, .window = 5}))) << "5 x 5 kernels";
    EXPECT_FALSE(tiled(convolution({.border = 0, .window = 1}))) << "1 x 1 kernels";
    EXPECT_FALSE(tiled(convolution({.dtype = DType::I32}))) << "integers";
    EXPECT_FALSE(tiled(convolution({.outputs = 1}))) << "one output: the image would be transformed for it alone";
}

TEST_F(WinogradTest, isDoneWhereItIsAllowedAndQuicker)
{
    const Graph layer = convolution({.outputs = 64, .channels = 64, .rows = 14, .columns = 14});
    EXPECT_TRUE(tiled(layer));
    ASSERT_EQ(m_run.context.rewrites().events().size(), 1U);
    const RewriteEvent &event = m_run.context.rewrites().events().front();
    EXPECT_EQ(event.rule, "winograd");
    EXPECT_NE(event.detail.find("784 products per channel in place of 1764"), std::string::npos) << event.detail;
    m_run.options.winograd = false;
    EXPECT_FALSE(tiled(layer)) << "switched off";
    m_run.options.winograd = true;
    m_run.options.strict = true;
    EXPECT_FALSE(tiled(layer)) << "the order of the source";
    m_run.options.strict = false;
    m_run.options.figures.memoryBytesPerNanosecond = 0.5;
    EXPECT_FALSE(tiled(layer)) << "moving the products takes longer than computing them";
    m_run.options.figures = {};
    EXPECT_FALSE(tiled(convolution({.outputs = 64, .channels = 64, .rows = 4, .columns = 4})))
        << "four tiles: reading the larger kernels takes longer";
    EXPECT_TRUE(tiled(convolution({.outputs = 256, .channels = 256, .rows = 14, .columns = 14})));
}

// Where a core's cache does not hold the products of all tiles, they are computed for some tiles at a time: the parts are the
// first axis of all that is computed, and give what all tiles at once give.
TEST_F(WinogradTest, tilesAreTakenInPartsThatTheCacheHolds)
{
    struct Case {
        Layer layer;
        std::int64_t cacheBytes;
        std::string_view part; // in the reason; empty: all tiles at once
        std::int64_t parts;
    };
    const Layer large{.outputs = 32, .channels = 16, .rows = 32, .columns = 32};
    Layer several = large;
    several.images = 3;
    several.groups = 2;
    Layer odd = large;
    odd.rows = 31;
    odd.columns = 29; // 15 columns of tiles
    for (const Case &each :
         {Case{large, 1 << 20, "", 1}, Case{large, 400 << 10, ", for 4 x 16 tiles at a time", 4},
          Case{large, 200 << 10, ", for 2 x 16 tiles at a time", 8}, Case{large, 60 << 10, ", for 1 x 8 tiles at a time", 32},
          Case{large, 30 << 10, "", 1}, Case{several, 400 << 10, ", for 2 x 16 tiles at a time", 24},
          Case{odd, 200 << 10, ", for 2 x 15 tiles at a time", 8}}) {
        SCOPED_TRACE(format("{} bytes{}", each.cacheBytes, each.part));
        m_run.device.cacheBytesPerCore = each.cacheBytes;
        m_run.device.scratchBytes = 4U << 20;
        m_run.device.threads = 1;
        PassContext context(m_run.device, TargetLanguage::C, m_run.options, {}, kNoRewriteLimit);
        const Graph direct = convolution(each.layer);
        const auto made = winograd(direct, context);
        ASSERT_TRUE(made && *made);
        const std::string &detail = context.rewrites().events().front().detail;
        EXPECT_EQ(detail.substr(std::min(detail.find(", for"), detail.size())), each.part);
        const auto image = std::ranges::find((*made)->nodes(), "winograd_image", &Node::name);
        ASSERT_NE(image, (*made)->nodes().end());
        EXPECT_EQ(image->shape[0], each.parts);
        EXPECT_EQ(differenceOf(direct, **made, inputsOf(direct, 5)), "");
    }
    m_run.device.cacheBytesPerCore = 200 << 10;
    m_run.device.kind = DeviceKind::Gpu;
    PassContext gpu(m_run.device, TargetLanguage::OpenCl, m_run.options, {}, kNoRewriteLimit);
    const auto made = winograd(convolution(large), gpu);
    ASSERT_TRUE(made && *made);
    EXPECT_EQ(gpu.rewrites().events().front().detail.find(", for"), std::string::npos) << "a GPU has no stages";
    // Kernels of 4 MiB would come from a farther cache for each of eight parts, which takes longer than to store the products.
    m_run.device.cacheBytesPerCore = 900 << 10;
    m_run.device.kind = DeviceKind::Cpu;
    m_run.options.figures = {};
    PassContext few(m_run.device, TargetLanguage::C, m_run.options, {}, kNoRewriteLimit);
    const auto stored = winograd(convolution({.outputs = 256, .channels = 256, .rows = 16, .columns = 16}), few);
    ASSERT_TRUE(stored && *stored);
    EXPECT_EQ(few.rewrites().events().front().detail.find(", for"), std::string::npos);
}

// The small matrices would be on the first device, and a run would copy what they become.
TEST_F(WinogradTest, programsOnSeveralDevicesKeepAllProducts)
{
    const Graph layer = convolution({.outputs = 64, .channels = 64, .rows = 14, .columns = 14});
    const std::array others{TargetDevice{m_run.device, TargetLanguage::C}};
    PassContext context(m_run.device, TargetLanguage::C, m_run.options, {}, kNoRewriteLimit, others);
    const auto made = winograd(layer, context);
    ASSERT_TRUE(made);
    EXPECT_FALSE(*made);
}

// Kernels that each run is given are transformed in each run, which few tiles are not worth.
TEST_F(WinogradTest, kernelsOfARunAreWorthManyTiles)
{
    const Layer few{.outputs = 64, .channels = 64, .rows = 4, .columns = 4};
    Layer given = few;
    given.kernels = PlaceholderRole::Input;
    EXPECT_TRUE(tiled(convolution(few)));
    EXPECT_FALSE(tiled(convolution(given)));
    given.rows = given.columns = 16;
    const Graph direct = convolution(given);
    const std::optional<Graph> made = tiled(direct);
    ASSERT_TRUE(made);
    EXPECT_EQ(differenceOf(direct, *made, inputsOf(direct, 3)), "");
}

// A large element in a corner of a tile reaches results whose windows hold none of it, and the bounds say so.
TEST_F(WinogradTest, theBoundHoldsBesideLargeElements)
{
    const Graph direct = convolution({});
    const std::optional<Graph> made = tiled(direct);
    ASSERT_TRUE(made);
    std::vector<HostTensor> inputs = inputsOf(direct, 11);
    inputs[0].set(0, Scalar::of(DType::F32, 1e6)); // row 0, column 0
    EXPECT_EQ(differenceOf(direct, *made, inputs), "");
    const auto bounds = interpretWithBounds(direct, inputs, {.withTypical = true}).value();
    const auto boundAt = [&](const std::vector<HostTensor> &of, std::int64_t row, std::int64_t column) {
        return of.front().at(row * 8 + column).asDouble();
    };
    // Result (1, 1) sees it; (2, 2) is in another tile, whose elements do not include it.
    EXPECT_GT(boundAt(bounds.bounds, 1, 1), 1000 * boundAt(bounds.bounds, 2, 2));
    EXPECT_GT(boundAt(bounds.typical, 1, 1), 1000 * boundAt(bounds.typical, 2, 2));
    // In the tile of results 2 and 3 of both directions, the image's element (4, 4) is in the windows of (3, 3) alone.
    inputs = inputsOf(direct, 11);
    inputs[0].set(4 * 8 + 4, Scalar::of(DType::F32, 1e6));
    EXPECT_EQ(differenceOf(direct, *made, inputs), "");
    const auto beside = interpretWithBounds(direct, inputs).value();
    EXPECT_GT(boundAt(beside.bounds, 2, 2), 1000 * boundAt(beside.bounds, 0, 0)) << "its window does not hold the element";
    inputs[0].set(4 * 8 + 4, Scalar::of(DType::F32, std::numeric_limits<double>::infinity()));
    EXPECT_EQ(differenceOf(direct, *made, inputs), "");
    EXPECT_TRUE(std::isinf(boundAt(interpretWithBounds(direct, inputs).value().bounds, 2, 2)));
}

// The error in f32 is near that of all products: both are far below their bounds.
TEST_F(WinogradTest, roundsLittleMore)
{
    const Layer layer{.outputs = 32, .channels = 64};
    const Graph direct = convolution(layer);
    const std::optional<Graph> made = tiled(direct);
    ASSERT_TRUE(made);
    const std::vector<HostTensor> inputs = inputsOf(direct, 5);
    const Graph exact = convolution({.outputs = layer.outputs, .channels = layer.channels, .dtype = DType::F64});
    std::vector<HostTensor> wide;
    for (const HostTensor &input : inputs) {
        wide.emplace_back(DType::F64, input.shape());
        for (std::int64_t i = 0; i < input.elements(); ++i)
            wide.back().set(i, Scalar::of(DType::F64, input.at(i).asDouble()));
    }
    const HostTensor want = interpretGraph(exact, wide).value().front();
    const auto errorOf = [&](const Graph &graph) {
        const HostTensor got = interpretGraph(graph, inputs).value().front();
        double squares = 0;
        for (std::int64_t i = 0; i < want.elements(); ++i)
            squares += std::pow(got.at(i).asDouble() - want.at(i).asDouble(), 2);
        return std::sqrt(squares / static_cast<double>(want.elements()));
    };
    EXPECT_LT(errorOf(*made), 4 * errorOf(direct));
}

} // namespace
} // namespace sw
