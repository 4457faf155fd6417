#include "engine/passes/graph/winograd.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/rewriter.h"
#include "engine/passes/graph/tile_convolution.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/schedule/block_rows.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Of the direct way: it must be worth the memory that the products take, and the roundings. The estimate is on the safe side, as
// the caches hold most of what is moved.
constexpr double kMostOfDirect = 0.95;
constexpr double kPartsPerThread = 4;        // so that all threads work to the end
constexpr std::size_t kMostKernelNodes = 64; // between the kernels and what they are computed from

// What a way costs: its arithmetic, the memory that it moves beside that of the other way, and its kernels.
double nanosecondsOf(const RooflineFigures &figures, double operations, double bytes, int kernels)
{
    return operations / figures.operationsPerNanosecond + bytes / figures.memoryBytesPerNanosecond +
           kernels * figures.launchNanoseconds;
}

double directNanoseconds(const Convolution &made, const RooflineFigures &figures)
{
    const double sums = static_cast<double>(made.images * made.groups * made.outputs * made.rows * made.columns);
    return nanosecondsOf(figures, 2 * 9 * sums * static_cast<double>(made.channels), 0, 1);
}

// How a convolution is computed from tiles, and what that takes.
struct TiledWay {
    std::optional<TilePart> part;
    double nanoseconds = 0;
};

class TiledPrices {
public:
    // areGiven: the kernels are the same in all runs, so they are transformed when the program is loaded.
    TiledPrices(const Convolution &made, DType dtype, const PassContext &context, bool areGiven)
        : m_made(made), m_context(context), m_bytes(bytesOf(dtype)), m_areGiven(areGiven)
    {
    }

    [[nodiscard]] TiledWay best() const
    {
        const double tiles = static_cast<double>(tileCount());
        const double moved = 2 * kElements * tiles * (channels() + outputs()); // both are written, and read again
        const TiledWay whole{std::nullopt, nanoseconds(moved, 2)};
        const std::optional<TilePart> part = largestPart();
        if (!part)
            return whole;
        // One kernel reads the kernels for every part.
        const double kernels = kElements * static_cast<double>(m_made.groups) * channels() * outputs();
        const double parts = tiles / static_cast<double>(m_made.groups * part->rows * part->columns);
        const bool stay = kernels * m_bytes <= static_cast<double>(m_context.device().cacheBytesPerCore) / 2;
        const TiledWay inParts{part, nanoseconds(stay ? 0 : (parts - 1) * kernels / kFartherCacheBandwidth, 0)};
        return inParts.nanoseconds < whole.nanoseconds ? inParts : whole;
    }

private:
    static constexpr double kElements = kTransformedElements;
    static constexpr double kWindow = 9;
    static constexpr double kImageSums = 32;  // of a tile's elements: two per element, one for each direction
    static constexpr double kResultSums = 24; // of its products: two for each of 8, down, and of 4, across

    [[nodiscard]] double channels() const { return static_cast<double>(m_made.channels); }
    [[nodiscard]] double outputs() const { return static_cast<double>(m_made.outputs); }
    [[nodiscard]] std::int64_t tileCount() const
    {
        return m_made.images * m_made.groups * m_made.tileRows() * m_made.tileColumns();
    }

    [[nodiscard]] double nanoseconds(double moved, int moreKernels) const
    {
        const double tiles = static_cast<double>(tileCount());
        const double products = kElements * tiles * channels() * outputs();
        // Each takes as long as a product that is added up.
        const double sums = tiles * (kImageSums * channels() + kResultSums * outputs());
        const double kernels = static_cast<double>(m_made.groups) * channels() * outputs();
        const double perRun = m_areGiven ? 0 : kernels; // that are transformed in each run, written, and read again
        return nanosecondsOf(m_context.options().figures, 2 * (products + sums + kElements * kWindow * perRun),
                             m_bytes * (moved + (kElements - kWindow) * kernels + kElements * perRun),
                             moreKernels + (m_areGiven ? 1 : 2));
    }

    // As many tiles as a core's cache has room for, where that does not hold the products of all, and all threads have some.
    [[nodiscard]] std::optional<TilePart> largestPart() const
    {
        const DeviceInfo &device = m_context.device();
        const double perTile = kElements * static_cast<double>(m_made.groups) * m_bytes;
        const auto all = static_cast<double>(tileCount() / m_made.groups);
        if (device.kind == DeviceKind::Gpu || !m_context.options().fuse ||
            perTile * outputs() * all <= static_cast<double>(device.cacheBytesPerCore))
            return std::nullopt;
        const double most = std::min(static_cast<double>(blockBytes(device)) / (perTile * (channels() + outputs())),
                                     all / (kPartsPerThread * device.threads));
        const std::int64_t columns = m_made.tileColumns();
        const std::int64_t across =
            most >= static_cast<double>(columns) ? columns : largestDivisor(columns, static_cast<std::int64_t>(most));
        const std::int64_t down =
            across < columns ? 1 : largestDivisor(m_made.tileRows(), static_cast<std::int64_t>(most) / columns);
        return across * down >= kLeastBlockRows ? std::optional(TilePart{down, across}) : std::nullopt;
    }

    const Convolution &m_made;
    const PassContext &m_context;
    double m_bytes;
    bool m_areGiven;
};

// Whether parameters and constants alone give the value.
bool isGivenBefore(const GraphBuilder &builder, NodeId id)
{
    std::vector<NodeId> seen{id};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Node &node = builder.node(seen[i]);
        const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes);
        if ((given != nullptr && given->role != PlaceholderRole::Param) || seen.size() > kMostKernelNodes)
            return false;
        for (const NodeId input : node.inputs)
            if (std::ranges::find(seen, input) == seen.end())
                seen.push_back(input);
    }
    return true;
}

Replacement convolutionByTiles(RewriteContext &context)
{
    const auto nodeOf = [&](NodeId id) -> const Node & { return context.builder().node(id); };
    const std::optional<Convolution> found = convolutionOf(nodeOf, context.node());
    if (!found)
        return noMatch();
    const double direct = directNanoseconds(*found, context.pass().options().figures);
    const bool areGiven = isGivenBefore(context.builder(), found->kernels);
    const TiledWay tiled = TiledPrices(*found, context.node().dtype, context.pass(), areGiven).best();
    if (tiled.nanoseconds > kMostOfDirect * direct)
        return noMatch();
    for (const NodeId id : {context.inputId(0), found->windowFactor, found->kernelFactor})
        context.absorb(id);
    context.because(format("estimated {:.0f} us in place of {:.0f} us: {} products per channel in place of {}{}",
                           tiled.nanoseconds / 1000, direct / 1000,
                           kTransformedElements * found->tileRows() * found->tileColumns(), 9 * found->rows * found->columns,
                           tiled.part ? format(", for {} x {} tiles at a time", tiled.part->rows, tiled.part->columns) : ""));
    SW_TRY(const NodeId result, tiledConvolution(context.builder(), context.origin(), *found, tiled.part, context.node()));
    return std::optional(result);
}

constexpr std::array kRules = {
    GraphRule{"winograd", "Winograd's algorithm",
              "A convolution by 3 x 3 kernels is computed from tiles of 2 x 2 results, where that is "
              "estimated to be quicker; it may round a little more.",
              convolutionByTiles},
};

} // namespace

Result<std::optional<Graph>> winograd(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || !context.options().winograd || context.options().strict || context.deviceCount() > 1)
        return std::optional<Graph>();
    const auto nodeOf = [&](NodeId id) -> const Node & { return graph.node(id); };
    const auto isConvolution = [&](const Node &node) { return convolutionOf(nodeOf, node).has_value(); };
    if (std::ranges::none_of(graph.nodes(), isConvolution)) // as in most programs, which need not be built anew to find out
        return std::optional<Graph>();
    return rewriteGraph(graph, kRules, context, isInsideKernels(graph)); // kernel() asks for them as they are
}

} // namespace sw
