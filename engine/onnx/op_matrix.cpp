#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"

#include <numeric>

namespace sw::onnx {

namespace {

Result<NodeId> swapLastAxes(NodeCall &call, NodeId matrix)
{
    std::vector<std::size_t> order(call.rankOf(matrix));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[order.size() - 2], order[order.size() - 1]);
    return call.permute(matrix, std::move(order));
}

// Multiplies [..., M, K] by [..., K, N]: expands both to [..., M, N, K], multiplies them and sums over K.
Result<NodeId> multiplyMatrices(NodeCall &call, NodeId left, NodeId right)
{
    const Shape a = call.shapeOf(left);
    const Shape b = call.shapeOf(right);
    if (a[a.rank() - 1] != b[b.rank() - 2])
        return call.error(Code::ShapeMismatch, "cannot multiply {} with {}: {} columns meet {} rows", toText(a), toText(b),
                          a[a.rank() - 1], b[b.rank() - 2]);
    std::vector<std::int64_t> rows = extentsOf(a);
    rows.insert(rows.end() - 1, 1);
    SW_TRY(const NodeId spreadRows, call.reshape(left, std::move(rows)));
    SW_TRY(const NodeId turned, swapLastAxes(call, right));
    std::vector<std::int64_t> columns = extentsOf(call.shapeOf(turned));
    columns.insert(columns.end() - 2, 1);
    SW_TRY(const NodeId spreadColumns, call.reshape(turned, std::move(columns)));
    SW_TRY(const NodeId product, call.apply(Op::Mul, {spreadRows, spreadColumns}));
    const std::size_t last = call.rankOf(product) - 1;
    SW_TRY(const NodeId sum, call.reduce(Op::Add, product, {last}));
    std::vector<std::int64_t> extents = extentsOf(call.shapeOf(sum));
    extents.pop_back();
    return call.reshape(sum, std::move(extents));
}

Result<NodeId> wideOperand(NodeCall &call, std::size_t index)
{
    return call.cast(call.input(index), computeType(call.dtype(index)));
}

} // namespace

Result<Outputs> importMatMul(NodeCall &call)
{
    const std::size_t leftRank = call.shape(0).rank();
    const std::size_t rightRank = call.shape(1).rank();
    if (leftRank == 0 || rightRank == 0)
        return call.error(Code::ShapeMismatch, "cannot multiply {} with {}: a matrix product wants at least one axis",
                          toText(call.shape(0)), toText(call.shape(1)));
    SW_TRY(NodeId left, wideOperand(call, 0));
    SW_TRY(NodeId right, wideOperand(call, 1));
    if (leftRank == 1) {
        SW_TRY(left, call.reshape(left, {1, call.shape(0)[0]}));
    }
    if (rightRank == 1) {
        SW_TRY(right, call.reshape(right, {call.shape(1)[0], 1}));
    }
    SW_TRY(const NodeId product, multiplyMatrices(call, left, right));
    std::vector<std::int64_t> extents = extentsOf(call.shapeOf(product));
    if (rightRank == 1)
        extents.pop_back();
    if (leftRank == 1)
        extents.erase(extents.end() - (rightRank == 1 ? 1 : 2));
    SW_TRY(const NodeId shaped, call.reshape(product, std::move(extents)));
    SW_TRY(const NodeId result, call.cast(shaped, call.dtype(0)));
    return Outputs{result};
}

Result<Outputs> importGemm(NodeCall &call)
{
    if (call.shape(0).rank() != 2 || call.shape(1).rank() != 2)
        return call.error(Code::ShapeMismatch, "expected two matrices, found {} and {}", toText(call.shape(0)),
                          toText(call.shape(1)));
    SW_TRY(NodeId left, wideOperand(call, 0));
    SW_TRY(NodeId right, wideOperand(call, 1));
    if (call.isOn("transA")) {
        SW_TRY(left, swapLastAxes(call, left));
    }
    if (call.isOn("transB")) {
        SW_TRY(right, swapLastAxes(call, right));
    }
    SW_TRY(const NodeId product, multiplyMatrices(call, left, right));
    const double alpha = call.number("alpha", 1.0);
    const double beta = call.number("beta", 1.0);
    Term result(call, product);
    if (alpha != 1.0)
        result = result * alpha;
    if (call.has(2) && beta != 0.0) {
        SW_TRY(const NodeId addend, wideOperand(call, 2));
        const Term bias(call, addend);
        result = result + (beta == 1.0 ? bias : bias * beta);
    }
    SW_TRY(const NodeId finished, result.castTo(call.dtype(0)).result());
    if (call.shapeOf(finished) != call.shapeOf(product))
        return call.error(Code::ShapeMismatch, "C of shape {} does not broadcast to {}", toText(call.shape(2)),
                          toText(call.shapeOf(product)));
    return Outputs{finished};
}

} // namespace sw::onnx
