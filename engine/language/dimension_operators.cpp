// Arithmetic with dimensions at trace time: a sum, product, quotient or bound of dimensions stays a dimension; a comparison must
// have the same answer for every value that the dimensions can take.

#include "engine/language/operators.h"

#include <algorithm>

namespace sw::language {

namespace {

using Combine = Result<SymbolicExpr> (*)(const SymbolicExpr &, const SymbolicExpr &);

struct CombineRow {
    Op op;
    Combine combine;
};

constexpr CombineRow kCombines[] = {
    {Op::Add, add},         {Op::Sub, subtract}, {Op::Mul, multiply}, {Op::FloorDiv, divide},
    {Op::FloorMod, modulo}, {Op::Min, minimum},  {Op::Max, maximum},
};

// Compares a - b, which lies within the bounds, with 0. Returns nothing if the answer depends on the dimensions.
std::optional<bool> decided(Op op, const SymbolicBounds &bounds)
{
    if (op == Op::Cmplt)
        return bounds.high < 0 ? std::optional(true) : bounds.low >= 0 ? std::optional(false) : std::nullopt;
    if (op == Op::Cmple)
        return bounds.high <= 0 ? std::optional(true) : bounds.low > 0 ? std::optional(false) : std::nullopt;
    const bool isZero = bounds.low == 0 && bounds.high == 0;
    const bool isNever = bounds.low > 0 || bounds.high < 0;
    if (!isZero && !isNever)
        return std::nullopt;
    return isZero == (op == Op::Cmpeq);
}

bool isComparison(Op op)
{
    return op == Op::Cmplt || op == Op::Cmple || op == Op::Cmpeq || op == Op::Cmpne;
}

Result<Value> compared(Tracer &tracer, Op op, const SymbolicExpr &left, const SymbolicExpr &right, const Place &item)
{
    SW_TRY(const SymbolicExpr difference, tracer.placed(item, subtract(left, right)));
    if (const auto answer = decided(op, difference.bounds()))
        return Value{*answer};
    Failure failure =
        tracer.fail(item, Code::Type, "{} {} {} is known only at run time", toText(left), infoOf(op).symbol, toText(right));
    failure.diagnostics.front().hint = "declare the dimension with bounds that decide it, n: dim[lowest, highest]";
    return failure;
}

} // namespace

Result<std::optional<Value>> applyToDimensions(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item)
{
    std::vector<SymbolicExpr> extents;
    for (const Operand &operand : operands) {
        auto extent = asExtent(operand.value);
        if (!extent)
            return std::optional<Value>();
        extents.push_back(std::move(*extent));
    }
    if (op == Op::Neg) {
        SW_TRY(const SymbolicExpr negated, tracer.placed(item, subtract(SymbolicExpr(), extents[0])));
        return std::optional(extentValue(negated));
    }
    if (isComparison(op)) {
        SW_TRY(Value answer, compared(tracer, op, extents[0], extents[1], item));
        return std::optional(std::move(answer));
    }
    const auto *const row = std::ranges::find(kCombines, op, &CombineRow::op);
    if (row == std::end(kCombines))
        return std::optional<Value>();
    SW_TRY(const SymbolicExpr combined, tracer.placed(item, row->combine(extents[0], extents[1])));
    return std::optional(extentValue(combined));
}

} // namespace sw::language
