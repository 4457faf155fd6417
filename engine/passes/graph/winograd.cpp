#include "engine/passes/graph/winograd.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/rewriter.h"
#include "engine/passes/graph/tile_convolution.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Of the direct way: it must be worth the memory that the products take, and the roundings. The estimate is on the safe side, as
// the caches hold most of what is moved.
constexpr double kMostOfDirect = 0.95;
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

// areGiven: the kernels are the same in all runs, so they are transformed when the program is loaded.
double tiledNanoseconds(const Convolution &made, const RooflineFigures &figures, std::int64_t bytes, bool areGiven)
{
    constexpr double kElements = kTransformedElements;
    const auto tiles = static_cast<double>(made.images * made.groups * made.tileRows() * made.tileColumns());
    const auto channels = static_cast<double>(made.channels);
    const auto outputs = static_cast<double>(made.outputs);
    const double products = kElements * tiles * channels * outputs;
    const double transforms = kElements * tiles * (kElements * channels + kTileResults * outputs);
    const double moved = 2 * kElements * tiles * (channels + outputs); // both are written, and read again
    constexpr double kWindow = 9;
    const double kernels = static_cast<double>(made.groups) * channels * outputs;
    const double perRun = areGiven ? 0 : kernels; // that are transformed in each run, written, and read again
    return nanosecondsOf(figures, 2 * (products + transforms + kElements * kWindow * perRun),
                         static_cast<double>(bytes) * (moved + (kElements - kWindow) * kernels + kElements * perRun),
                         areGiven ? 3 : 4);
}

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
    const RooflineFigures &figures = context.pass().options().figures;
    const double direct = directNanoseconds(*found, figures);
    const bool areGiven = isGivenBefore(context.builder(), found->kernels);
    const double tiled = tiledNanoseconds(*found, figures, bytesOf(context.node().dtype), areGiven);
    if (tiled > kMostOfDirect * direct)
        return noMatch();
    for (const NodeId id : {context.inputId(0), found->windowFactor, found->kernelFactor})
        context.absorb(id);
    context.because(format("estimated {:.0f} us in place of {:.0f} us: {} products per channel in place of {}", tiled / 1000,
                           direct / 1000, kTransformedElements * found->tileRows() * found->tileColumns(),
                           9 * found->rows * found->columns));
    SW_TRY(const NodeId result, tiledConvolution(context.builder(), context.origin(), *found, context.node()));
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
    return rewriteGraph(graph, kRules, context, isInsideKernels(graph)); // kernel() asks for them as they are
}

} // namespace sw
