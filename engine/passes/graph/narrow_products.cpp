#include "engine/passes/graph/narrow_products.h"

#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::size_t kMostViews = 64;  // between what is stored and a product
constexpr std::int64_t kTilesAlong = 4; // of an instruction, along the rows and along the columns

// Of the innermost of the reduced axes that has more than one; 1: none has.
std::int64_t innermostSteps(const Shape &product, const std::vector<std::size_t> &reduced)
{
    const auto innermost = std::find_if(reduced.rbegin(), reduced.rend(), [&](std::size_t axis) { return product[axis] != 1; });
    return innermost == reduced.rend() ? 1 : product[*innermost];
}

// Whether the factor is stored as the tiles in which the instruction reads its columns.
bool isStoredInTiles(const Graph &graph, NodeId factor, const TensorInstructionInfo &info)
{
    const Node &stored = graph.node(behindViews(graph, factor));
    const std::size_t rank = stored.shape.rank();
    return stored.kind == NodeKind::Contiguous && rank >= 2 && stored.shape[rank - 2] == info.columns &&
           stored.shape[rank - 1] == depthGroupOf(info.b, info.sum);
}

// Whether the product has room for even tiles of rows, and a loop around them, where its columns are stored in tiles.
bool hasRoomForEvenTiles(const TensorInstructionInfo &info, const Shape &product, const std::vector<std::size_t> &reduced)
{
    if (!hasTileRegisters(info) || product.isSymbolic() || innermostSteps(product, reduced) % info.depth != 0)
        return false;
    std::vector<std::int64_t> extents; // of the results
    std::int64_t all = 1;
    for (std::size_t axis = 0; axis < product.rank(); ++axis) {
        if (std::ranges::find(reduced, axis) != reduced.end())
            continue;
        extents.push_back(product[axis]);
        all *= product[axis];
    }
    const auto columns = std::find_if(extents.rbegin(), extents.rend(), [&](std::int64_t extent) { return extent != 1; });
    if (columns == extents.rend() || *columns % info.columns != 0)
        return false;
    const auto rows = std::find_if(columns + 1, extents.rend(), [&](std::int64_t extent) { return extent != 1; });
    return rows != extents.rend() && evenTileRows(*rows, 2 * info.rows) >= kFewestTileRows && all > *rows * *columns;
}

bool multiplies(const TensorInstructionInfo &info, DType a, DType b, DType sum)
{
    return ((info.a == a && info.b == b) || (info.a == b && info.b == a)) && info.sum == sum;
}

} // namespace

std::uint32_t usableTensorInstructions(const PassContext &context, DeviceSlot slot)
{
    const CompileOptions &options = context.options();
    std::uint32_t set = options.tensorInstructions ? context.device(slot).tensorInstructions : 0;
    for (const TensorInstruction one : allTensorInstructions())
        if (options.strict && roundsEachStep(Op::Add, infoOf(one).sum))
            set &= ~bitOf(one);
    return set;
}

std::uint32_t usableTensorInstructions(const PassContext &context)
{
    std::uint32_t set = 0;
    for (std::uint32_t slot = 0; slot < context.deviceCount(); ++slot)
        set |= usableTensorInstructions(context, DeviceSlot(slot));
    return set;
}

bool hasRoomFor(const TensorInstructionInfo &info, const Shape &product, const std::vector<std::size_t> &reduced)
{
    if (product.isSymbolic())
        return false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    for (std::size_t axis = 0; axis < product.rank(); ++axis) {
        const std::int64_t extent = product[axis];
        if (std::ranges::find(reduced, axis) != reduced.end() || (hasTileRegisters(info) && extent % info.rows != 0))
            continue;
        rows = std::max(rows, std::min(columns, extent));
        columns = std::max(columns, extent);
    }
    const std::int64_t steps = innermostSteps(product, reduced);
    if (hasTileRegisters(info))
        return steps % info.depth == 0 && rows >= kTilesAlong * info.rows;
    return steps % depthGroupOf(info.b, info.sum) == 0 && columns >= info.columns && rows >= kTilesAlong;
}

NodeId behindViews(const Graph &graph, NodeId id)
{
    const auto isView = [](const Node &node) { return familyOf(node.kind) == NodeFamily::Movement && node.inputs.size() == 1; };
    for (std::size_t views = 0; isView(graph.node(id)) && views < kMostViews; ++views)
        id = graph.node(id).inputs[0];
    return id;
}

DType storedTypeOf(const Graph &graph, NodeId factor)
{
    const Node &node = graph.node(behindViews(graph, factor));
    return node.kind == NodeKind::Cast ? graph.node(node.inputs[0]).dtype : node.dtype;
}

std::optional<NarrowProduct> narrowProductOf(const Graph &graph, const Node &reduction, std::uint32_t instructions)
{
    if (instructions == 0 || reduction.kind != NodeKind::ReduceAxis || reduction.op != Op::Add)
        return std::nullopt;
    const NodeId productId = reduction.inputs[0];
    const Node &product = graph.node(productId);
    if (product.kind != NodeKind::Binary || product.op != Op::Mul)
        return std::nullopt;
    const NodeId left = behindViews(graph, product.inputs[0]);
    const NodeId right = behindViews(graph, product.inputs[1]);
    if (graph.node(left).kind != NodeKind::Cast || graph.node(right).kind != NodeKind::Cast)
        return std::nullopt;
    const auto &axes = attributesOf<AxesAttributes>(reduction).axes;
    const auto hasRoom = [&](const TensorInstructionInfo &info) {
        const bool areTiles = std::ranges::any_of(
            std::array{left, right}, [&](NodeId cast) { return isStoredInTiles(graph, graph.node(cast).inputs[0], info); });
        return hasRoomFor(info, product.shape, axes) || (areTiles && hasRoomForEvenTiles(info, product.shape, axes));
    };
    std::optional<NarrowProduct> found;
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        if (hasTensorInstruction(instructions, one) &&
            multiplies(info, storedTypeOf(graph, left), storedTypeOf(graph, right), reduction.dtype) && hasRoom(info) &&
            (!found || speedupOf(info) > speedupOf(infoOf(found->instruction))))
            found = NarrowProduct{one, productId, {left, right}};
    }
    return found;
}

std::vector<bool> castsOfNarrowFactors(const Graph &graph, std::uint32_t instructions)
{
    std::vector<bool> areCasts(graph.size(), false);
    for (const Node &node : graph.nodes())
        if (const std::optional<NarrowProduct> product = narrowProductOf(graph, node, instructions))
            for (const NodeId cast : product->casts)
                areCasts[cast.value] = true;
    return areCasts;
}

} // namespace sw
