#include "engine/passes/graph/split_reductions.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/rewriter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace sw {

namespace {

// Smaller reductions are done before the other threads have woken up.
constexpr std::int64_t kFewestElements = std::int64_t{1} << 17;
// Results per thread. With more, it costs little that some threads get one more than others.
constexpr std::int64_t kEnoughPerThread = 2;
constexpr std::int64_t kPartsPerThread = 4;
// Parts that a core reads side by side where they come from memory.
constexpr std::int64_t kRuns = 4;
// A part has many steps, so that little is left over when the parts do not divide the axis.
constexpr std::int64_t kFewestStepsPerPart = 64;
constexpr std::int64_t kSearchFactor = 8;
// Work items for each unit of a GPU that keep its memory busy, where each reads a column by itself.
constexpr std::int64_t kColumnsPerUnit = 1024;
constexpr std::int64_t kFewestColumns = 32; // side by side; fewer are no line of the memory
// From this length on, adding floats one after another loses digits that other devices keep by adding in lanes and parts.
constexpr std::int64_t kLongSum = std::int64_t{1} << 16;

struct Split {
    std::size_t axis = 0;
    std::int64_t parts = 1;
    std::int64_t steps = 1; // of each
    std::int64_t rest = 0;  // of the axis, behind the parts
};

bool mayReassociate(const Node &node, const CompileOptions &options)
{
    return !options.strict || !roundsEachStep(node.op, node.dtype);
}

// A number of parts that divides the axis, in steps from the wanted one, if there is one near it.
Split splitOf(std::size_t axis, std::int64_t extent, std::int64_t wanted, std::int64_t step)
{
    for (std::int64_t parts = wanted; parts <= kSearchFactor * wanted; parts += step)
        if (extent % parts == 0)
            return {axis, parts, extent / parts, 0};
    return {axis, wanted, extent / wanted, extent % wanted};
}

// Enough parts for every thread, with some to spare; 1 if the threads already have enough work.
std::int64_t partsForThreads(std::int64_t results, const Shape &input, std::int64_t threads)
{
    const bool isShared = threads < 2 || results >= kEnoughPerThread * threads || input.elements() < kFewestElements;
    return isShared ? 1 : (kPartsPerThread * threads + results - 1) / results;
}

// Enough parts for every core to read several of them side by side, where no cache holds what is reduced along the last axis; 1:
// there are results enough for that.
std::int64_t partsForRuns(const Node &node, const Shape &input, const DeviceInfo &device)
{
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    const std::int64_t results = node.shape.elements();
    const std::int64_t caches = device.cacheBytesPerCore + device.sharedCacheBytes;
    const bool isAlongRows = input.rank() > 0 && std::ranges::find(axes, input.rank() - 1) != axes.end();
    const std::int64_t rows = kRuns * device.threads;
    if (!isAlongRows || results >= rows || input.elements() <= caches / bytesOf(node.dtype))
        return 1;
    return (kPartsPerThread * rows / results + kRuns - 1) / kRuns * kRuns;
}

// The work items of a GPU read neighbouring elements of neighbouring columns, if each has a part of a column. 1: the results are
// no columns, or there are enough of them.
std::int64_t partsForColumns(const Node &node, const Shape &input, std::int64_t units)
{
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    const std::int64_t results = node.shape.elements();
    const bool areColumns =
        input.rank() > 0 && input[input.rank() - 1] >= kFewestColumns && std::ranges::find(axes, input.rank() - 1) == axes.end();
    if (!areColumns || results >= kColumnsPerUnit * units || input.elements() < kFewestElements)
        return 1;
    return std::min((kColumnsPerUnit * units + results - 1) / results, input.elements() / results / kFewestStepsPerPart);
}

// As many parts as each part has steps, so that neither of the two sums is long.
std::int64_t partsForDigits(const Node &node, const Shape &input, std::int64_t extent)
{
    const bool isLongSum = isFloat(node.dtype) && input.elements() / node.shape.elements() >= kLongSum;
    return isLongSum ? static_cast<std::int64_t>(std::sqrt(static_cast<double>(extent))) : 1;
}

// The axis that parts are made along: the outermost one that has as many indices as parts are wanted, else the longest one. A GPU
// wants hundreds of parts, in each of which neighbouring work items read neighbouring elements.
std::optional<std::size_t> splitAxis(const Node &node, const Shape &input, std::int64_t wanted)
{
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    std::optional<std::size_t> longest;
    for (const std::size_t axis : axes)
        if (!longest || input[axis] > input[*longest])
            longest = axis;
    for (const std::size_t axis : axes)
        if (input[axis] >= wanted)
            return axis;
    return longest;
}

std::optional<Split> chosenSplit(const Node &node, const Shape &input, const PassContext &pass)
{
    if (node.shape.isEmpty())
        return std::nullopt;
    const DeviceInfo &device = pass.device();
    const bool isGpu = device.kind == DeviceKind::Gpu;
    std::int64_t wanted = partsForThreads(node.shape.elements(), input, device.threads);
    std::int64_t step = 1;
    if (isGpu) {
        wanted = std::max(wanted, partsForColumns(node, input, device.threads));
    } else if (const std::int64_t runs = partsForRuns(node, input, device); device.kind == DeviceKind::Cpu && runs >= wanted) {
        wanted = runs;
        step = runs > 1 ? kRuns : 1;
    }
    const std::optional<std::size_t> axis = splitAxis(node, input, isGpu ? wanted : std::numeric_limits<std::int64_t>::max());
    if (!axis)
        return std::nullopt;
    const std::int64_t extent = input[*axis];
    if (device.kind == DeviceKind::Interpreter)
        wanted = partsForDigits(node, input, extent);
    const std::int64_t steps = isGpu ? input.elements() / node.shape.elements() : extent; // along all axes of a part
    if (wanted < 2 || extent < wanted || steps < wanted * kFewestStepsPerPart)
        return std::nullopt;
    return splitOf(*axis, extent, wanted, step);
}

// The indices [begin, end) of the axis.
Result<NodeId> piece(RewriteContext &context, NodeId id, std::size_t axis, std::int64_t begin, std::int64_t end)
{
    const Shape shape = context.builder().node(id).shape;
    ShrinkAttributes range{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    range.begin[axis] = begin;
    range.end[axis] = end;
    return context.builder().shrink(context.origin(), id, std::move(range));
}

// Splits the axis into two, parts by steps. Reduces over the steps and the other reduced axes, then over the parts.
Result<NodeId> inTwoStages(RewriteContext &context, NodeId id, const Split &split)
{
    GraphBuilder &builder = context.builder();
    const Shape shape = builder.node(id).shape;
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    extents[split.axis] = split.parts;
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(split.axis) + 1, split.steps);
    std::vector<std::size_t> axes;
    for (const std::size_t axis : attributesOf<AxesAttributes>(context.node()).axes)
        axes.push_back(axis < split.axis ? axis : axis + 1);
    SW_TRY(const NodeId parted, builder.reshape(context.origin(), id, Shape(std::move(extents))));
    SW_TRY(const NodeId partial, builder.reduce(context.origin(), context.node().op, parted, std::move(axes)));
    SW_TRY(const NodeId whole, builder.reduce(context.origin(), context.node().op, partial, {split.axis}));
    return builder.reshape(context.origin(), whole, context.node().shape);
}

Replacement splitReduction(RewriteContext &context)
{
    const Node &node = context.node();
    if (!mayReassociate(node, context.pass().options()))
        return noMatch();
    const Shape shape = context.input(0).shape;
    const std::optional<Split> split = chosenSplit(node, shape, context.pass());
    if (!split)
        return noMatch();
    GraphBuilder &builder = context.builder();
    SW_TRY(const NodeId input, builder.cast(context.origin(), context.inputId(0), computeType(node.dtype)));
    const std::int64_t end = split->parts * split->steps;
    SW_TRY(const NodeId main, split->rest == 0 ? Result<NodeId>(input) : piece(context, input, split->axis, 0, end));
    SW_TRY(NodeId result, inTwoStages(context, main, *split));
    if (split->rest != 0) {
        SW_TRY(const NodeId behind, piece(context, input, split->axis, end, shape[split->axis]));
        SW_TRY(const NodeId rest, builder.reduce(context.origin(), node.op, behind, attributesOf<AxesAttributes>(node).axes));
        const std::array both{result, rest};
        SW_TRY(result, builder.elementwise(context.origin(), node.op, both));
    }
    SW_TRY(const NodeId narrowed, builder.cast(context.origin(), result, node.dtype));
    return std::optional(narrowed);
}

constexpr std::array kRules = {
    GraphRule{"split-reduction", "Split a reduction",
              "A reduction of very many elements to few results is done in parts, and then over the parts: with fewer than two "
              "results per thread, with fewer than four where each thread reads rows from memory, and on a GPU with too few "
              "columns to keep it busy; on the interpreter a very long sum of floats.",
              splitReduction, isOfKind<NodeKind::ReduceAxis>},
};

} // namespace

Result<std::optional<Graph>> splitReductions(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize)
        return std::optional<Graph>();
    return rewriteGraph(graph, kRules, context, isInsideKernels(graph)); // kernel() asks for them as they are
}

} // namespace sw
