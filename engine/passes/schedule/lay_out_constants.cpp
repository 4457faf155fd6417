#include "engine/passes/schedule/lay_out_constants.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/rewriter.h"
#include "engine/passes/schedule/access.h"
#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostLanes = 16;  // as in the kernels
constexpr std::int64_t kFewestSteps = 8; // of a row: shorter ones are as good as panels already
constexpr double kFewestReads = 8;       // of each element: else a run reads the constant about as often as a copy would
constexpr std::size_t kPanelRank = 3;    // of a constant that is laid out
constexpr std::size_t kMostViews = 64;   // between a constant and the product

// Narrower types have panels of tensor instructions, which kernels make.
bool isLaidOut(DType dtype)
{
    return dtype == DType::F32 || dtype == DType::F64;
}

std::int64_t lanesOf(const DeviceInfo &device, DType dtype)
{
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::min<std::int64_t>(kMostLanes, device.vectorBytes / bytesOf(dtype)))));
}

// A row for each index of the first axis that has several.
struct Matrix {
    std::int64_t rows = 1;
    std::int64_t steps = 1;
};

std::optional<Matrix> matrixOf(const Node &node)
{
    const auto *tensor = std::get_if<TensorAttributes>(&node.attributes);
    if (tensor == nullptr || node.shape.isEmpty() || !isLaidOut(node.dtype))
        return std::nullopt;
    const auto rows = std::ranges::find_if(node.shape, [](std::int64_t extent) { return extent != 1; });
    return rows == node.shape.end() ? std::nullopt : std::optional(Matrix{*rows, node.shape.elements() / *rows});
}

bool isView(const Node &node)
{
    return familyOf(node.kind) == NodeFamily::Movement && node.inputs.size() == 1;
}

struct ConstantRead {
    NodeId constant; // invalid: there is none, or it is read otherwise, too
    Access access;   // from the axes of the node that reads it
};

// readers: by node, how many inputs it is.
ConstantRead readThroughViews(const Graph &graph, NodeId id, const std::vector<std::uint32_t> &readers)
{
    std::vector<NodeId> views;
    for (; isView(graph.node(id)) && views.size() < kMostViews; id = graph.node(id).inputs[0]) {
        if (readers[id.value] != 1)
            return {};
        views.push_back(id);
    }
    if (readers[id.value] != 1 || !matrixOf(graph.node(id)))
        return {};
    ConstantRead read{id, identityAccess(graph.node(id).shape)};
    for (auto view = views.rbegin(); view != views.rend(); ++view) {
        const Node &node = graph.node(*view);
        read.access = composed(viewAccess(graph, node), graph.node(node.inputs[0]).shape, read.access);
    }
    return read;
}

// Whether the reduced axes go through the steps of one row, in their order, and another axis goes from row to row, through whole
// vectors of them.
bool goesAlongRows(const Access &access, const std::vector<std::size_t> &reduced, const Matrix &matrix, std::int64_t lanes)
{
    if (!access.isStrided || access.isMasked || access.offset != 0)
        return false;
    std::int64_t steps = 1;
    bool isInOrder = true;
    std::int64_t neighbours = 1;
    for (auto term = access.terms.rbegin(); term != access.terms.rend(); ++term) {
        if (std::ranges::find(reduced, term->axis) != reduced.end()) {
            isInOrder = isInOrder && term->stride == steps;
            steps *= term->extent;
        } else if (term->stride == matrix.steps) {
            neighbours = term->extent;
        }
    }
    return isInOrder && steps == matrix.steps && neighbours % lanes == 0;
}

// The constant whose rows the reduction multiplies with something else and adds up; invalid: there is none that it alone reads.
NodeId constantOfRows(const Graph &graph, const Node &reduction, const std::vector<std::uint32_t> &readers,
                      const DeviceInfo &device)
{
    if (reduction.kind != NodeKind::ReduceAxis || reduction.op != Op::Add)
        return NodeId();
    const Node &product = graph.node(reduction.inputs[0]);
    if (product.kind != NodeKind::Binary || product.op != Op::Mul)
        return NodeId();
    for (const NodeId factor : product.inputs) {
        const ConstantRead read = readThroughViews(graph, factor, readers);
        if (!read.constant.isValid())
            continue;
        const Matrix matrix = *matrixOf(graph.node(read.constant));
        const double reads = static_cast<double>(product.shape.elements()) / static_cast<double>(matrix.rows * matrix.steps);
        if (matrix.steps >= kFewestSteps && reads >= kFewestReads &&
            goesAlongRows(read.access, attributesOf<AxesAttributes>(reduction).axes, matrix,
                          lanesOf(device, graph.node(read.constant).dtype)))
            return read.constant;
    }
    return NodeId();
}

// By node: whether it stays as it is.
std::vector<bool> keptNodes(const Graph &graph, const DeviceInfo &device)
{
    std::vector<std::uint32_t> readers(graph.size(), 0);
    for (const Node &node : graph.nodes())
        for (const NodeId input : node.inputs)
            ++readers[input.value];
    const std::vector<NodeId> kernels = kernelsAround(graph);
    std::vector<bool> isKept(graph.size(), true);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const NodeId constant = constantOfRows(graph, graph.nodes()[i], readers, device);
        if (constant.isValid() && !kernels[i].isValid()) // kernel() is given its constants as they are
            isKept[constant.value] = false;
    }
    return isKept;
}

// The elements go there when somebody reads them: a run, or a question about all of them. Compiling waits for none of it.
HostTensor inPanels(const HostTensor &value, const Matrix &matrix, std::int64_t lanes)
{
    const Panels panels{.rows = matrix.rows, .steps = matrix.steps, .lanes = lanes};
    return HostTensor::stored(value.dtype(), Shape({matrix.rows / lanes, matrix.steps, lanes}),
                              std::make_shared<const StoredBytes>(value, panels));
}

Replacement layOutConstant(RewriteContext &context)
{
    const Node &node = context.node();
    const std::optional<Matrix> matrix = matrixOf(node);
    const std::int64_t lanes = lanesOf(context.pass().device(), node.dtype);
    if (!matrix || (node.shape.rank() == kPanelRank && node.shape[kPanelRank - 1] == lanes))
        return noMatch();
    GraphBuilder &builder = context.builder();
    const HostTensor &value = *attributesOf<TensorAttributes>(node).value;
    const NodeId panels = builder.vconst(context.origin(), inPanels(value, *matrix, lanes));
    SW_TRY(const NodeId rows, builder.permute(context.origin(), panels, {0, 2, 1}));
    SW_TRY(const NodeId whole, builder.reshape(context.origin(), rows, node.shape));
    return std::optional(whole);
}

constexpr std::array kRules = {
    GraphRule{"lay-out-constant", "Lay a constant out in panels",
              "The rows of a constant that a reduction of products goes along become panels of as many rows as a vector has "
              "lanes, so that no run has to copy them. A view reads them as before.",
              layOutConstant},
};

} // namespace

Result<std::optional<Graph>> layOutConstants(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || context.device().kind != DeviceKind::Cpu || context.deviceCount() > 1 ||
        lanesOf(context.device(), DType::F64) < 2)
        return std::optional<Graph>();
    const std::vector<bool> isKept = keptNodes(graph, context.device());
    if (std::ranges::find(isKept, false) == isKept.end())
        return std::optional<Graph>();
    return rewriteGraph(graph, kRules, context, isKept);
}

} // namespace sw
