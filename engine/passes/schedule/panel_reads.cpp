#include "engine/passes/schedule/panel_reads.h"

#include "engine/graph/kernel_body.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/schedule/access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kMostLanes = 16;  // as in the kernels
constexpr std::int64_t kFewestSteps = 8; // of a row: shorter ones are as good as panels already
constexpr double kFewestReads = 8;       // of each element: else a run reads the matrix about as often as a copy would
constexpr std::size_t kMostViews = 64;   // between a matrix and the product

std::int64_t lanesOf(const DeviceInfo &device, DType dtype)
{
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::min<std::int64_t>(kMostLanes, device.vectorBytes / bytesOf(dtype)))));
}

bool isView(const Node &node)
{
    return familyOf(node.kind) == NodeFamily::Movement && node.inputs.size() == 1;
}

// A constant, a parameter, or one of a narrow type as the wider one that it is multiplied in.
bool isGivenBefore(const Graph &graph, NodeId id, const DeviceInfo &device)
{
    const Node &node = graph.node(id);
    if (node.kind == NodeKind::Cast) {
        NodeId narrow = node.inputs[0];
        for (std::size_t views = 0; isView(graph.node(narrow)) && views < kMostViews; ++views)
            narrow = graph.node(narrow).inputs[0];
        const DType from = graph.node(narrow).dtype;
        return graph.node(narrow).kind != NodeKind::Cast && isFloat(from) && bytesOf(from) < bytesOf(node.dtype) &&
               !multipliesType(device.tensorInstructions, from) && isGivenBefore(graph, narrow, device);
    }
    const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes);
    return std::holds_alternative<TensorAttributes>(node.attributes) ||
           (given != nullptr && given->role == PlaceholderRole::Param);
}

// The ways to see a tensor as a matrix: its first axis of several indices counts the rows, or the steps.
std::vector<Panels> panelsOf(const Node &node, const DeviceInfo &device)
{
    const bool isWide = node.dtype == DType::F32 || node.dtype == DType::F64;
    if (!isWide || node.shape.isEmpty() || node.shape.isSymbolic())
        return {};
    const auto first = std::ranges::find_if(node.shape, [](std::int64_t extent) { return extent != 1; });
    if (first == node.shape.end())
        return {};
    const std::int64_t outer = *first;
    const std::int64_t inner = node.shape.elements() / outer;
    const std::int64_t lanes = lanesOf(device, node.dtype);
    return {{.rows = outer, .steps = inner, .lanes = lanes, .rowStride = inner, .stepStride = 1},
            {.rows = inner, .steps = outer, .lanes = lanes, .rowStride = 1, .stepStride = inner}};
}

struct MatrixRead {
    NodeId matrix; // invalid: there is none, or it is read otherwise, too
    Access access; // from the axes of the node that reads it
};

// readers: by node, how many inputs it is.
MatrixRead readThroughViews(const Graph &graph, NodeId id, const std::vector<std::uint32_t> &readers, const DeviceInfo &device)
{
    std::vector<NodeId> views;
    for (; isView(graph.node(id)) && views.size() < kMostViews; id = graph.node(id).inputs[0]) {
        if (readers[id.value] != 1)
            return {};
        views.push_back(id);
    }
    if (readers[id.value] != 1 || !isGivenBefore(graph, id, device))
        return {};
    MatrixRead read{id, identityAccess(graph.node(id).shape)};
    for (auto view = views.rbegin(); view != views.rend(); ++view) {
        const Node &node = graph.node(*view);
        read.access = composed(viewAccess(graph, node), graph.node(node.inputs[0]).shape, read.access);
    }
    return read;
}

// The axis that goes from row to row, through whole vectors of them, where the reduced axes go through the steps of one row, in
// their order.
std::optional<std::uint32_t> rowAxisOf(const Access &access, const std::vector<std::size_t> &reduced, const Panels &panels)
{
    if (!access.isStrided || access.isMasked || access.offset != 0)
        return std::nullopt;
    std::int64_t steps = 1;
    bool isInOrder = true;
    const AccessTerm *neighbours = nullptr;
    for (auto term = access.terms.rbegin(); term != access.terms.rend(); ++term) {
        if (std::ranges::find(reduced, term->axis) != reduced.end()) {
            isInOrder = isInOrder && term->stride == steps * panels.stepStride;
            steps *= term->extent;
        } else if (term->stride == panels.rowStride) {
            neighbours = &*term;
        }
    }
    const bool areVectors = neighbours != nullptr && neighbours->extent % panels.lanes == 0;
    return isInOrder && steps == panels.steps && areVectors ? std::optional(neighbours->axis) : std::nullopt;
}

// How far the element that is read moves in memory with one index of the axis: 0 if it stays the same. Nothing: not evenly. Rows
// of an image may be padded, where each row lies in memory as it is.
std::optional<std::int64_t> strideAlong(const Graph &graph, NodeId id, std::uint32_t axis)
{
    Access access = identityAccess(graph.node(id).shape);
    for (std::size_t views = 0; isView(graph.node(id)) && views < kMostViews; ++views) {
        const Node &view = graph.node(id);
        const auto last = static_cast<std::uint32_t>(view.shape.rank() - 1);
        const auto *pad = std::get_if<PadAttributes>(&view.attributes);
        const auto along = std::ranges::find(access.terms, axis, &AccessTerm::axis);
        if (pad != nullptr && pad->before[last] == 0 && pad->after[last] == 0 && access.isStrided &&
            along != access.terms.end() && along->stride == 1) {
            axis = last;
            access = identityAccess(graph.node(view.inputs[0]).shape);
        } else {
            access = composed(access, view.shape, viewAccess(graph, view));
        }
        id = view.inputs[0];
    }
    const auto along = std::ranges::find(access.terms, axis, &AccessTerm::axis);
    if (!access.isStrided || (access.isMasked && along != access.terms.end()))
        return std::nullopt;
    return along == access.terms.end() ? 0 : along->stride;
}

// The matrix whose rows the reduction multiplies with something else and adds up.
std::optional<PanelRead> panelReadOf(const Graph &graph, NodeId id, const std::vector<std::uint32_t> &readers,
                                     const DeviceInfo &device)
{
    const Node &reduction = graph.node(id);
    if (reduction.kind != NodeKind::ReduceAxis || reduction.op != Op::Add)
        return std::nullopt;
    const Node &product = graph.node(reduction.inputs[0]);
    if (product.kind != NodeKind::Binary || product.op != Op::Mul)
        return std::nullopt;
    const std::vector<std::size_t> &reduced = attributesOf<AxesAttributes>(reduction).axes;
    for (std::size_t i = 0; i < product.inputs.size(); ++i) {
        const MatrixRead read = readThroughViews(graph, product.inputs[i], readers, device);
        if (!read.matrix.isValid())
            continue;
        for (const Panels &panels : panelsOf(graph.node(read.matrix), device)) {
            const double reads = static_cast<double>(product.shape.elements()) / static_cast<double>(panels.rows * panels.steps);
            if (panels.lanes < 2 || panels.rows % panels.lanes != 0 || panels.steps < kFewestSteps || reads < kFewestReads)
                continue;
            const std::optional<std::uint32_t> axis = rowAxisOf(read.access, reduced, panels);
            // A register then holds one element of the other factor for a whole vector of rows, or one for each of them, as of
            // the channels of a pixel.
            const std::optional<std::int64_t> stride = axis ? strideAlong(graph, product.inputs[1 - i], *axis) : std::nullopt;
            if (stride == 0 || stride == 1)
                return PanelRead{read.matrix, id, panels};
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<PanelRead> panelReadsOf(const Graph &graph, const DeviceInfo &device)
{
    std::vector<std::uint32_t> readers(graph.size(), 0);
    for (const Node &node : graph.nodes())
        for (const NodeId input : node.inputs)
            ++readers[input.value];
    const std::vector<NodeId> kernels = kernelsAround(graph);
    std::vector<PanelRead> reads;
    for (std::size_t i = 0; i < graph.size(); ++i)
        if (const auto read = panelReadOf(graph, NodeId(i), readers, device); read && !kernels[i].isValid())
            reads.push_back(*read); // kernel() is given its constants as they are
    std::ranges::sort(reads, {}, &PanelRead::matrix);
    return reads;
}

} // namespace sw
