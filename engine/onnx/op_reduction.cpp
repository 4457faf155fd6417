#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"

#include <numeric>

namespace sw::onnx {

namespace {

std::vector<std::size_t> allAxes(std::size_t rank)
{
    std::vector<std::size_t> axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return axes;
}

// An attribute, or an operand since opset 13 (ReduceSum) or 18 (others): takes the one present. If neither: all axes or none.
Result<std::vector<std::size_t>> reducedAxes(NodeCall &call)
{
    const std::size_t rank = call.shape(0).rank();
    std::vector<std::int64_t> given = call.integers("axes").value_or(std::vector<std::int64_t>());
    if (call.has(1)) {
        SW_TRY(given, call.constantIntegers(1, "axes"));
    }
    if (!given.empty())
        return call.axes(given, rank);
    return call.isOn("noop_with_empty_axes") ? std::vector<std::size_t>() : allAxes(rank);
}

Result<NodeId> withoutAxes(NodeCall &call, NodeId reduced, const std::vector<std::size_t> &axes)
{
    const Shape &shape = call.shapeOf(reduced);
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        if (std::find(axes.begin(), axes.end(), i) == axes.end())
            extents.push_back(shape[i]);
    }
    return call.reshape(reduced, std::move(extents));
}

struct Reducer {
    NodeCall &call;
    const std::vector<std::size_t> &axes;

    Term operator()(Op op, Term input) const
    {
        const auto node = input.result();
        if (!node)
            return input;
        auto made = call.reduce(op, *node, axes);
        if (made)
            return Term(call, *made);
        call.note(made.error());
        return Term(call, NodeId());
    }
};

// Sums integers exactly; for 64-bit integers there is no wider type.
Term summable(Term x)
{
    return isInteger(x.dtype()) && infoOf(x.dtype()).bits < 64 ? x.castTo(DType::I64) : x;
}

// The library's function, which no large element makes overflow.
Term logSumExp(Term x, const Reducer &reduce)
{
    const auto node = x.result();
    if (!node)
        return x;
    const std::vector<std::int64_t> axes(reduce.axes.begin(), reduce.axes.end());
    auto made =
        reduce.call.callTensor("logsumexp", {{language::TensorValue{*node}}, {language::listOf(axes)}, {true, "keepdims"}});
    if (made)
        return Term(reduce.call, *made);
    reduce.call.note(made.error());
    return Term(reduce.call, NodeId());
}

Term reduceTerm(Reduction reduction, Term x, const Reducer &reduce, double count)
{
    switch (reduction) {
    case Reduction::Sum:
        return reduce(Op::Add, x);
    case Reduction::Mean:
        return reduce(Op::Add, summable(x)) / count;
    case Reduction::Max:
        return reduce(Op::Max, x);
    case Reduction::Min:
        return reduce(Op::Min, x);
    case Reduction::Prod:
        return reduce(Op::Mul, x);
    case Reduction::L1:
        return reduce(Op::Add, magnitude(x));
    case Reduction::L2:
        return squareRoot(reduce(Op::Add, x * x));
    case Reduction::LogSum:
        return logarithm(reduce(Op::Add, x));
    case Reduction::LogSumExp:
        return logSumExp(x, reduce);
    case Reduction::SumSquare:
        return reduce(Op::Add, x * x);
    }
    SW_UNREACHABLE();
}

} // namespace

Result<Outputs> importReduction(NodeCall &call, Reduction reduction)
{
    SW_TRY(const std::vector<std::size_t> axes, reducedAxes(call));
    double count = 1;
    for (const std::size_t axis : axes)
        count *= static_cast<double>(call.shape(0)[axis]);
    const DType dtype = call.dtype(0);
    // The sum for a mean of i32 may not fit into i32 even if the mean does.
    const bool isWideMean = reduction == Reduction::Mean && isInteger(dtype) && bytesOf(dtype) < bytesOf(DType::I64);
    const Term x = Term(call, call.input(0)).castTo(isWideMean ? DType::I64 : computeType(dtype));
    SW_TRY(const NodeId kept, reduceTerm(reduction, x, Reducer{call, axes}, count).castTo(dtype).result());
    if (call.integer("keepdims", 1) != 0)
        return Outputs{kept};
    SW_TRY(const NodeId result, withoutAxes(call, kept, axes));
    return Outputs{result};
}

} // namespace sw::onnx
