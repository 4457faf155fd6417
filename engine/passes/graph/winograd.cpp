#include "engine/passes/graph/winograd.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/constants.h"
#include "engine/passes/graph/rewriter.h"
#include "engine/passes/graph/tile_convolution.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Of the direct way: it must be worth the memory that the products take, and one more rounding.
constexpr double kMostOfDirect = 0.85;
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

double tiledNanoseconds(const Convolution &made, const RooflineFigures &figures, std::int64_t bytes)
{
    constexpr double kElements = kTransformedElements;
    const auto tiles = static_cast<double>(made.images * made.groups * tileRows(made) * tileColumns(made));
    const auto channels = static_cast<double>(made.channels);
    const auto outputs = static_cast<double>(made.outputs);
    const double products = kElements * tiles * channels * outputs;
    const double transforms = kElements * tiles * (kElements * channels + kTileResults * outputs);
    const double moved = 2 * kElements * tiles * (channels + outputs); // both are written, and read again
    const double kernels = (kElements - 9) * static_cast<double>(made.groups) * channels * outputs;
    return nanosecondsOf(figures, 2 * (products + transforms), static_cast<double>(bytes) * (moved + kernels), 3);
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
    if (!found || !isGivenBefore(context.builder(), found->kernels))
        return noMatch();
    const RooflineFigures &figures = context.pass().options().figures;
    const double direct = directNanoseconds(*found, figures);
    const double tiled = tiledNanoseconds(*found, figures, bytesOf(context.node().dtype));
    if (tiled > kMostOfDirect * direct)
        return noMatch();
    for (const NodeId id : {context.inputId(0), found->windowFactor, found->kernelFactor})
        context.absorb(id);
    context.because(format("estimated {:.0f} us in place of {:.0f} us: {} products per channel in place of {}", tiled / 1000,
                           direct / 1000, kTransformedElements * tileRows(*found) * tileColumns(*found),
                           9 * found->rows * found->columns));
    SW_TRY(const NodeId result, tiledConvolution(context.builder(), context.origin(), *found, context.node()));
    return std::optional(result);
}

constexpr std::array kRules = {
    GraphRule{
        "winograd", "Winograd's algorithm",
        "A convolution by 3 x 3 kernels that are the same in all runs is computed from tiles of 2 x 2 results, where that is "
        "estimated to be quicker; it may round a little more.",
        convolutionByTiles},
};

} // namespace

Result<std::optional<Graph>> winograd(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || !context.options().winograd || context.options().strict)
        return std::optional<Graph>();
    // Kernels that kernel() asks for are not taken apart.
    std::vector<bool> isAskedFor;
    for (const NodeId kernel : kernelsAround(graph))
        isAskedFor.push_back(kernel.isValid());
    return rewriteGraph(graph, kRules, context, isAskedFor);
}

} // namespace sw
