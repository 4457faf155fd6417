#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/select_axis.h"

#include <array>
#include <numeric>
#include <optional>

namespace sw::onnx {

namespace {

// Ranking compares every element with every other: the square of this many comparisons.
constexpr std::int64_t kMaxRanked = 8192;
// Finding one after the other looks at every element for each: about as much work as so many of those comparisons.
constexpr std::int64_t kWorkOfLook = 4;

struct TopKNumbers {
    std::size_t axis = 0;
    std::int64_t k = 0;
    bool wantsLargest = true;
};

// The elements of the axis as rows or columns of a square, in the last axes of the shape.
enum class Side : std::uint8_t { Rows, Columns };

Result<Term> asSide(NodeCall &call, NodeId values, Side side)
{
    std::vector<std::int64_t> extents(call.shapeOf(values).begin(), call.shapeOf(values).end());
    extents.insert(side == Side::Rows ? extents.end() : extents.end() - 1, 1);
    SW_TRY(const NodeId shaped, call.reshape(values, std::move(extents)));
    return Term(call, shaped);
}

// NaN is greater than all numbers, so that any two elements have an order.
Term isGreater(Term a, Term b, DType dtype)
{
    if (!isFloat(dtype))
        return isLess(b, a);
    return isLess(b, a) | (isDifferent(a, a) & isEqual(b, b));
}

Result<Term> counted(NodeCall &call, std::int64_t count, Side side)
{
    SW_TRY(const NodeId places, call.builder().iota(call.origin(), Shape{count}));
    return asSide(call, places, side);
}

// The values have the axis last; counts how many elements come before each element, as rows.
Result<Term> ranksOf(NodeCall &call, NodeId values, bool wantsLargest)
{
    const Shape shape = call.shapeOf(values);
    const std::int64_t count = shape[shape.rank() - 1];
    const DType dtype = call.dtypeOf(values);
    SW_TRY(const Term row, asSide(call, values, Side::Rows));
    SW_TRY(const Term column, asSide(call, values, Side::Columns));
    SW_TRY(const Term rowPlace, counted(call, count, Side::Rows));
    SW_TRY(const Term columnPlace, counted(call, count, Side::Columns));
    const Term isBefore = wantsLargest ? isGreater(column, row, dtype) : isGreater(row, column, dtype);
    const Term isBehind = wantsLargest ? isGreater(row, column, dtype) : isGreater(column, row, dtype);
    const Term isEarlier = isEqual(isBehind, 0) & isLess(columnPlace, rowPlace);
    SW_TRY(const NodeId before, (isBefore | isEarlier).castTo(DType::I64).result());
    SW_TRY(const NodeId ranks, call.reduce(Op::Add, before, {shape.rank()}));
    return Term(call, ranks);
}

// For each rank, selects the property of the element with that rank: rows are elements, columns are ranks.
Result<NodeId> ofRank(NodeCall &call, Term hasRank, Term belongings)
{
    SW_TRY(const NodeId chosen, choose(hasRank, belongings, 0.0).result());
    const std::size_t rank = call.rankOf(chosen);
    SW_TRY(const NodeId sum, call.reduce(Op::Add, chosen, {rank - 2}));
    std::vector<std::int64_t> extents(call.shapeOf(sum).begin(), call.shapeOf(sum).end());
    extents.erase(extents.end() - 2);
    return call.reshape(sum, std::move(extents));
}

// The type whose elements and their places fit one key; nothing: there is none.
std::optional<DType> keyedType(DType dtype)
{
    if (isFloat(dtype))
        return dtype == DType::F64 ? std::nullopt : std::optional(DType::F32);
    return dtype == DType::Bool || bytesOf(dtype) > 4 || dtype == DType::U32 ? std::nullopt : std::optional(DType::I32);
}

// One after the other: each time, the first among those behind the one that was found before. values: the axis last.
Result<std::array<NodeId, 2>> foundInTurn(NodeCall &call, NodeId values, DType dtype, const TopKNumbers &numbers)
{
    using language::TensorValue;
    const std::int64_t count = call.shapeOf(values)[call.rankOf(values) - 1];
    SW_TRY(const NodeId wide, call.cast(values, dtype));
    SW_TRY(const NodeId keys, call.callTensor("top_k_keys", {{TensorValue{wide}}, {numbers.wantsLargest}}));
    SW_TRY(const NodeId found, call.callTensor("top_k_found", {{TensorValue{keys}}, {numbers.k}}));
    SW_TRY(const NodeId result,
           call.callTensor("top_k_values", {{TensorValue{found}}, {TensorValue{wide}}, {numbers.wantsLargest}}));
    SW_TRY(const NodeId places, call.callTensor("top_k_places", {{TensorValue{found}}, {count}}));
    return std::array{result, places};
}

Result<Outputs> topK(NodeCall &call, const TopKNumbers &numbers)
{
    const Shape shape = call.shape(0);
    const std::int64_t count = shape[numbers.axis];
    if (numbers.k < 0 || numbers.k > count)
        return call.error(Code::Argument, "k {} is out of range for axis {} of {}", numbers.k, numbers.axis, toText(shape));
    std::vector<std::size_t> order(shape.rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[numbers.axis], order.back()); // the swap is its own inverse
    SW_TRY(const NodeId values, call.permute(call.input(0), order));
    const std::optional<DType> keyed = keyedType(call.dtypeOf(values));
    if (keyed && numbers.k > 0 && (kWorkOfLook * numbers.k <= count || count > kMaxRanked)) {
        SW_TRY(const auto found, foundInTurn(call, values, *keyed, numbers));
        SW_TRY(const NodeId largest, call.permute(found[0], order));
        SW_TRY(const NodeId places, call.permute(found[1], order));
        SW_TRY(const NodeId result, call.cast(largest, call.dtype(0)));
        return Outputs{result, places};
    }
    if (count > kMaxRanked)
        return call.unsupported("an axis of {} elements of {} is too long to be ranked; the limit is {}", count,
                                nameOf(call.dtypeOf(values)), kMaxRanked);
    SW_TRY(const Term ranks, ranksOf(call, values, numbers.wantsLargest));
    SW_TRY(const Term wanted, counted(call, numbers.k, Side::Columns));
    const Term hasRank = Term::apply(Op::Cmpeq, {ranks, wanted});
    SW_TRY(const Term row, asSide(call, values, Side::Rows));
    SW_TRY(const Term place, counted(call, count, Side::Rows));
    SW_TRY(const NodeId found, ofRank(call, hasRank, row));
    SW_TRY(const NodeId places, ofRank(call, hasRank, place));
    SW_TRY(const NodeId ordered, call.permute(found, order));
    SW_TRY(const NodeId indices, call.permute(places, order));
    SW_TRY(const NodeId result, call.cast(ordered, call.dtype(0)));
    return Outputs{result, indices};
}

} // namespace

Result<Outputs> importTopK(NodeCall &call)
{
    TopKNumbers numbers;
    SW_TRY(const Scalar k, call.constantScalar(1, "k"));
    numbers.k = k.asInt();
    SW_TRY(numbers.axis, call.axis(call.integer("axis", -1), call.shape(0).rank()));
    numbers.wantsLargest = call.integer("largest", 1) != 0;
    return topK(call, numbers);
}

Result<Outputs> importTopKByAttributes(NodeCall &call)
{
    TopKNumbers numbers{.k = call.integer("k", 0)};
    SW_TRY(numbers.axis, call.axis(call.integer("axis", -1), call.shape(0).rank()));
    return topK(call, numbers);
}

} // namespace sw::onnx
