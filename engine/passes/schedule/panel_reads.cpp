#include "engine/passes/schedule/panel_reads.h"

#include "engine/graph/kernel_body.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/graph/narrow_products.h"
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

// From a type that a tensor instruction of the device multiplies to one of more bits.
bool isMultipliedNarrow(const Graph &graph, const Node &node, const DeviceInfo &device)
{
    if (node.kind != NodeKind::Cast)
        return false;
    const DType from = graph.node(node.inputs[0]).dtype;
    return bytesOf(from) < bytesOf(node.dtype) && multipliesType(device.tensorInstructions, from);
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

// The ways to see a tensor as a matrix: its first axis of several indices counts the rows, or the steps. Rows that fill more than
// half of a vector, but not all of it, are one panel; where they lie side by side in memory, they are one as they are.
std::vector<Panels> panelsOf(const Node &node, std::int64_t lanes, std::int64_t group)
{
    if (node.shape.isEmpty() || node.shape.isSymbolic())
        return {};
    const auto first = std::ranges::find_if(node.shape, [](std::int64_t extent) { return extent != 1; });
    if (first == node.shape.end())
        return {};
    const std::int64_t outer = *first;
    const std::int64_t inner = node.shape.elements() / outer;
    const std::int64_t lanesOfRows = group == 1 && 2 * outer > lanes ? std::min(outer, lanes) : lanes;
    return {{.rows = outer, .steps = inner, .lanes = lanesOfRows, .rowStride = inner, .stepStride = 1, .group = group},
            {.rows = inner, .steps = outer, .lanes = lanes, .rowStride = 1, .stepStride = inner, .group = group}};
}

struct MatrixRead {
    NodeId matrix; // invalid: there is none, or it is read otherwise, too
    Access access; // from the axes of the node that reads it
};

// The matrix before its elements were cast to what they are multiplied in, if the device multiplies them as they are.
// readers: by node, how many inputs it is.
MatrixRead readThroughViews(const Graph &graph, NodeId id, const std::vector<std::uint32_t> &readers, const DeviceInfo &device)
{
    std::vector<NodeId> views;
    for (std::size_t seen = 0; seen < kMostViews; ++seen, id = graph.node(id).inputs[0]) {
        const bool isSeen = isView(graph.node(id));
        if (!isSeen && !isMultipliedNarrow(graph, graph.node(id), device))
            break;
        if (readers[id.value] != 1)
            return {};
        if (isSeen)
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

// The axis that goes from row to row, through whole panels of them, where the reduced axes go through the steps of one row, in
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

// Whether no other axis along which the product has results lies inside of this one.
bool isInnermost(const Node &product, const std::vector<std::size_t> &reduced, std::uint32_t axis)
{
    for (std::size_t other = product.shape.rank(); other-- > axis + 1;)
        if (product.shape[other] != 1 && std::ranges::find(reduced, other) == reduced.end())
            return false;
    return true;
}

// A reduction of products of a matrix and another factor.
struct Product {
    const Node &reduction;
    const Node &factors; // what is added up
    std::size_t own = 0; // which of the two is the matrix
    MatrixRead read;
};

class PanelFinder {
public:
    PanelFinder(const Graph &graph, const DeviceInfo &device, std::uint32_t instructions)
        : m_graph(graph), m_device(device), m_instructions(instructions), m_readers(graph.size(), 0)
    {
        for (const Node &node : graph.nodes())
            for (const NodeId input : node.inputs)
                ++m_readers[input.value];
    }

    // The matrix whose rows the reduction multiplies with something else and adds up.
    [[nodiscard]] std::optional<PanelRead> readOf(NodeId id) const
    {
        const Node &reduction = m_graph.node(id);
        if (reduction.kind != NodeKind::ReduceAxis || reduction.op != Op::Add)
            return std::nullopt;
        const Node &factors = m_graph.node(reduction.inputs[0]);
        if (factors.kind != NodeKind::Binary || factors.op != Op::Mul)
            return std::nullopt;
        for (std::size_t own = 0; own < factors.inputs.size(); ++own) {
            const MatrixRead read = readThroughViews(m_graph, factors.inputs[own], m_readers, m_device);
            if (!read.matrix.isValid())
                continue;
            const Product product{reduction, factors, own, read};
            const DType dtype = m_graph.node(read.matrix).dtype;
            const std::optional<Panels> panels =
                dtype == DType::F32 || dtype == DType::F64 ? vectorPanels(product) : tilePanels(product);
            if (panels)
                return PanelRead{read.matrix, id, *panels};
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] static double readsOf(const Product &product, const Panels &panels)
    {
        return static_cast<double>(product.factors.shape.elements()) / static_cast<double>(panels.rows * panels.steps);
    }

    // The axis along the rows, if the matrix is read as these panels, often enough.
    [[nodiscard]] static std::optional<std::uint32_t> axisOf(const Product &product, const Panels &panels)
    {
        if (panels.lanes < 2 || panels.rows % panels.lanes != 0 || panels.steps % panels.group != 0 ||
            panels.steps < kFewestSteps || readsOf(product, panels) < kFewestReads)
            return std::nullopt;
        return rowAxisOf(product.read.access, attributesOf<AxesAttributes>(product.reduction).axes, panels);
    }

    // A register holds one element of the other factor for a whole vector of rows, or one for each of them, as of the channels
    // of a pixel.
    [[nodiscard]] std::optional<Panels> vectorPanels(const Product &product) const
    {
        const Node &matrix = m_graph.node(product.read.matrix);
        for (const Panels &panels : panelsOf(matrix, lanesOf(m_device, matrix.dtype), 1)) {
            const std::optional<std::uint32_t> axis = axisOf(product, panels);
            const std::optional<std::int64_t> stride = axis ? strideOfOther(product, *axis) : std::nullopt;
            if (stride == 0 || stride == 1)
                return panels;
        }
        return std::nullopt;
    }

    // As the right factor of a tensor instruction that the loops may choose (choose_tensor.cpp).
    [[nodiscard]] std::optional<Panels> tilePanels(const Product &product) const
    {
        const Node &matrix = m_graph.node(product.read.matrix);
        const std::vector<std::size_t> &reduced = attributesOf<AxesAttributes>(product.reduction).axes;
        for (const TensorInstruction one : allTensorInstructions()) {
            const TensorInstructionInfo &info = infoOf(one);
            if (!hasTensorInstruction(m_instructions, one) || !isOfTypes(product, info) ||
                !hasRoomFor(info, product.factors.shape, reduced))
                continue;
            for (const Panels &panels : panelsOf(matrix, info.columns, depthGroupOf(info.b, info.sum))) {
                const std::optional<std::uint32_t> axis = axisOf(product, panels);
                if (axis && strideOfOther(product, *axis) == 0 && isInnermost(product.factors, reduced, *axis))
                    return panels;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isOfTypes(const Product &product, const TensorInstructionInfo &info) const
    {
        return info.a == storedTypeOf(m_graph, product.factors.inputs[1 - product.own]) &&
               info.b == m_graph.node(product.read.matrix).dtype && info.sum == product.reduction.dtype;
    }

    [[nodiscard]] std::optional<std::int64_t> strideOfOther(const Product &product, std::uint32_t axis) const
    {
        return strideAlong(m_graph, product.factors.inputs[1 - product.own], axis);
    }

    const Graph &m_graph;
    const DeviceInfo &m_device;
    std::uint32_t m_instructions;
    std::vector<std::uint32_t> m_readers; // by node, how many inputs it is
};

} // namespace

std::vector<PanelRead> panelReadsOf(const Graph &graph, const DeviceInfo &device, std::uint32_t instructions)
{
    const PanelFinder finder(graph, device, instructions);
    const std::vector<NodeId> kernels = kernelsAround(graph);
    std::vector<PanelRead> reads;
    for (std::size_t i = 0; i < graph.size(); ++i)
        if (const auto read = finder.readOf(NodeId(i)); read && !kernels[i].isValid())
            reads.push_back(*read); // kernel() is given its constants as they are
    std::ranges::sort(reads, {}, &PanelRead::matrix);
    return reads;
}

} // namespace sw
