#include "engine/language/integers.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace sw::language {

namespace {

constexpr WideInteger kLowest = std::numeric_limits<std::int64_t>::min();
constexpr WideInteger kHighest = std::numeric_limits<std::uint64_t>::max();
// Stands for any value that is out of range.
constexpr WideInteger kTooLarge = kHighest * 4;

WideInteger product(WideInteger a, WideInteger b)
{
    WideInteger result = 0;
    return __builtin_mul_overflow(a, b, &result) ? kTooLarge : result;
}

WideInteger floorQuotient(WideInteger a, WideInteger b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

WideInteger power(WideInteger base, WideInteger exponent)
{
    if (base == 0 || base == 1 || exponent == 0)
        return exponent == 0 ? 1 : base;
    if (base == -1)
        return exponent % 2 == 0 ? 1 : -1;
    WideInteger result = 1;
    for (; exponent > 0 && result >= kLowest && result <= kHighest; --exponent)
        result = product(result, base);
    return result;
}

WideInteger shiftedLeft(WideInteger value, WideInteger amount)
{
    if (amount < 0 || amount > 64)
        return value == 0 && amount > 0 ? 0 : kTooLarge;
    return product(value, WideInteger{1} << static_cast<int>(amount));
}

struct ExactRow {
    Op op;
    WideInteger (*compute)(WideInteger, WideInteger);
};

constexpr ExactRow kExactRows[] = {
    {Op::Add, [](WideInteger a, WideInteger b) { return a + b; }},
    {Op::Sub, [](WideInteger a, WideInteger b) { return a - b; }},
    {Op::Mul, product},
    {Op::FloorDiv, floorQuotient},
    {Op::FloorMod, [](WideInteger a, WideInteger b) { return a - floorQuotient(a, b) * b; }},
    {Op::Div, [](WideInteger a, WideInteger b) { return a / b; }},
    {Op::Idiv, [](WideInteger a, WideInteger b) { return a / b; }},
    {Op::Mod, [](WideInteger a, WideInteger b) { return a % b; }},
    {Op::Pow, power},
    {Op::Shl, shiftedLeft},
    {Op::Max, [](WideInteger a, WideInteger b) { return a < b ? b : a; }},
    {Op::Min, [](WideInteger a, WideInteger b) { return b < a ? b : a; }},
    {Op::And, [](WideInteger a, WideInteger b) { return a & b; }},
    {Op::Or, [](WideInteger a, WideInteger b) { return a | b; }},
    {Op::Xor, [](WideInteger a, WideInteger b) { return a ^ b; }},
    {Op::Cmplt, [](WideInteger a, WideInteger b) { return WideInteger{a < b}; }},
    {Op::Cmple, [](WideInteger a, WideInteger b) { return WideInteger{a <= b}; }},
    {Op::Cmpeq, [](WideInteger a, WideInteger b) { return WideInteger{a == b}; }},
    {Op::Cmpne, [](WideInteger a, WideInteger b) { return WideInteger{a != b}; }},
};

} // namespace

WideInteger wideOf(const Value &value)
{
    if (const LargeInteger *large = value.as<LargeInteger>())
        return large->value;
    return value.asInt();
}

std::optional<Value> integerValue(WideInteger value)
{
    if (value < kLowest || value > kHighest)
        return std::nullopt;
    if (value > std::numeric_limits<std::int64_t>::max())
        return Value{LargeInteger{static_cast<std::uint64_t>(value)}};
    return Value{static_cast<std::int64_t>(value)};
}

std::optional<WideInteger> exactResult(Op op, std::span<const WideInteger> operands)
{
    if (op == Op::Neg)
        return -operands[0];
    if (op == Op::Abs)
        return operands[0] < 0 ? -operands[0] : operands[0];
    if (op == Op::Mulacc) {
        const WideInteger scaled = product(operands[0], operands[1]);
        return scaled >= kTooLarge || scaled <= -kTooLarge ? kTooLarge : scaled + operands[2];
    }
    const auto *const row = std::ranges::find(kExactRows, op, &ExactRow::op);
    if (row == std::end(kExactRows))
        return std::nullopt;
    return row->compute(operands[0], operands[1]);
}

} // namespace sw::language
