#include "engine/ops/op.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace sw {
namespace {

// "op a b = result", all of one type but a comparison's result and the condition of where.
struct Row {
    Op op;
    DType dtype;
    std::vector<std::string_view> operands;
    std::string_view expected;
};

Scalar read(DType dtype, std::string_view text)
{
    return parseScalar(dtype, text).value();
}

void check(const Row &row)
{
    std::vector<Scalar> operands;
    for (std::size_t i = 0; i < row.operands.size(); ++i)
        operands.push_back(read(i < firstTypedOperand(row.op) ? DType::Bool : row.dtype, row.operands[i]));
    const Scalar result = evaluate(row.op, row.dtype, operands);
    const Scalar expected = read(resultType(row.op, row.dtype), row.expected);
    // Which NaN is open.
    const bool isSame = result == expected || (result.isNan() && expected.isNan());
    EXPECT_TRUE(isSame) << nameOf(row.op) << " " << nameOf(row.dtype) << " "
                        << join(operands, " ", [](const Scalar &x) { return toText(x); }) << " is " << toText(result) << ", not "
                        << toText(expected);
}

void check(const std::vector<Row> &rows)
{
    for (const Row &row : rows)
        check(row);
}

TEST(Ops, wrapIntegers)
{
    check({{Op::Add, DType::U8, {"255", "2"}, "1"},
           {Op::Add, DType::I32, {"2147483647", "1"}, "-2147483648"},
           {Op::Sub, DType::U16, {"0", "1"}, "65535"},
           {Op::Mul, DType::I64, {"9223372036854775807", "2"}, "-2"},
           {Op::Mul, DType::U16, {"65535", "65535"}, "1"},
           {Op::Neg, DType::I8, {"-128"}, "-128"},
           {Op::Neg, DType::U8, {"1"}, "255"},
           {Op::Abs, DType::I32, {"-2147483648"}, "-2147483648"},
           {Op::Pow, DType::I32, {"3", "4"}, "81"},
           {Op::Pow, DType::U8, {"2", "8"}, "0"},
           {Op::Pow, DType::I32, {"2", "-1"}, "0"},
           {Op::Pow, DType::I32, {"-1", "-3"}, "-1"},
           {Op::Mulacc, DType::I8, {"100", "2", "1"}, "-55"}});
}

TEST(Ops, divideIntegersByZeroAndMinusOne)
{
    for (const Op op : {Op::Div, Op::Idiv, Op::Mod, Op::FloorDiv, Op::FloorMod})
        for (const DType dtype : {DType::U8, DType::I8, DType::I32, DType::U64, DType::I64})
            check({op, dtype, {"7", "0"}, "0"});
    check({{Op::Idiv, DType::I32, {"-2147483648", "-1"}, "-2147483648"},
           {Op::Mod, DType::I32, {"-2147483648", "-1"}, "0"},
           {Op::FloorDiv, DType::I64, {"-9223372036854775808", "-1"}, "-9223372036854775808"},
           {Op::FloorMod, DType::I8, {"-128", "-1"}, "0"}});
}

TEST(Ops, roundQuotientsTowardsZeroOrDown)
{
    check({{Op::Idiv, DType::I32, {"-7", "2"}, "-3"},
           {Op::FloorDiv, DType::I32, {"-7", "2"}, "-4"},
           {Op::FloorDiv, DType::I32, {"7", "-2"}, "-4"},
           {Op::FloorDiv, DType::F32, {"-7.0", "2.0"}, "-4.0"},
           {Op::Mod, DType::I32, {"-7", "3"}, "-1"},
           {Op::Mod, DType::I32, {"7", "-3"}, "1"},
           {Op::Mod, DType::F32, {"-7.0", "3.0"}, "-1.0"},
           {Op::FloorMod, DType::I32, {"-7", "3"}, "2"},
           {Op::FloorMod, DType::I32, {"7", "-3"}, "-2"},
           {Op::FloorMod, DType::F32, {"-7.0", "3.0"}, "2.0"},
           {Op::FloorMod, DType::F32, {"-0.0", "3.0"}, "0.0"},
           {Op::Fdiv, DType::F32, {"1.0", "0.0"}, "inf"},
           {Op::Fdiv, DType::F32, {"0.0", "0.0"}, "nan"},
           {Op::Recip, DType::F64, {"-0.0"}, "-inf"}});
}

TEST(Ops, shiftByAnyAmount)
{
    check({{Op::Shl, DType::U8, {"129", "1"}, "2"},
           {Op::Shl, DType::I32, {"1", "32"}, "0"},
           {Op::Shl, DType::I32, {"1", "-1"}, "0"},
           {Op::Shl, DType::U64, {"1", "63"}, "9223372036854775808"},
           {Op::Shr, DType::I32, {"-8", "1"}, "-4"},
           {Op::Shr, DType::I32, {"-8", "32"}, "-1"},
           {Op::Shr, DType::I32, {"8", "40"}, "0"},
           {Op::Shr, DType::I32, {"-8", "-1"}, "-1"},
           {Op::Shr, DType::U32, {"4294967288", "1"}, "2147483644"},
           {Op::Shr, DType::U32, {"4294967288", "32"}, "0"}});
}

TEST(Ops, propagateNanThroughMaximaAndOrderZeros)
{
    for (const DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64})
        check({{Op::Max, dtype, {"nan", "1.0"}, "nan"},
               {Op::Max, dtype, {"1.0", "nan"}, "nan"},
               {Op::Min, dtype, {"1.0", "nan"}, "nan"},
               {Op::Max, dtype, {"-0.0", "0.0"}, "0.0"},
               {Op::Max, dtype, {"0.0", "-0.0"}, "0.0"},
               {Op::Min, dtype, {"0.0", "-0.0"}, "-0.0"},
               {Op::Min, dtype, {"-0.0", "0.0"}, "-0.0"},
               {Op::Max, dtype, {"-inf", "-1.0"}, "-1.0"}});
    check({{Op::Max, DType::I64, {"9007199254740993", "9007199254740992"}, "9007199254740993"},
           {Op::Max, DType::U8, {"200", "100"}, "200"},
           {Op::Max, DType::I8, {"-56", "100"}, "100"}});
}

TEST(Ops, compareAnyValues)
{
    check({{Op::Cmplt, DType::F32, {"nan", "1.0"}, "false"},
           {Op::Cmple, DType::F32, {"nan", "nan"}, "false"},
           {Op::Cmpeq, DType::F32, {"nan", "nan"}, "false"},
           {Op::Cmpne, DType::F32, {"nan", "nan"}, "true"},
           {Op::Cmpeq, DType::F32, {"-0.0", "0.0"}, "true"},
           {Op::Cmplt, DType::F32, {"-0.0", "0.0"}, "false"},
           {Op::Cmplt, DType::U8, {"200", "100"}, "false"},
           {Op::Cmplt, DType::I8, {"-56", "100"}, "true"},
           {Op::Cmplt, DType::Bool, {"false", "true"}, "true"},
           {Op::Cmplt, DType::U64, {"18446744073709551615", "1"}, "false"}});
}

TEST(Ops, areLogicalForBool)
{
    check({{Op::Add, DType::Bool, {"true", "true"}, "true"},
           {Op::Mul, DType::Bool, {"true", "false"}, "false"},
           {Op::Neg, DType::Bool, {"true"}, "false"},
           {Op::Xor, DType::Bool, {"true", "true"}, "false"},
           {Op::Not, DType::I32, {"2"}, "false"},
           {Op::Not, DType::F32, {"0.0"}, "true"},
           {Op::Not, DType::Bool, {"false"}, "true"},
           {Op::And, DType::U8, {"12", "10"}, "8"},
           {Op::Or, DType::I8, {"-128", "1"}, "-127"}});
}

TEST(Ops, areExactWhereTheResultIs)
{
    check({{Op::Log2, DType::F32, {"8.0"}, "3.0"},
           {Op::Exp2, DType::F32, {"3.0"}, "8.0"},
           {Op::Exp2, DType::F32, {"-149.0"}, "1e-45"},
           {Op::Log2, DType::F32, {"1e-45"}, "-149.0"},
           {Op::Log, DType::F32, {"0.0"}, "-inf"},
           {Op::Log, DType::F32, {"-1.0"}, "nan"},
           {Op::Sqrt, DType::F32, {"-0.0"}, "-0.0"},
           {Op::Sqrt, DType::F32, {"-1.0"}, "nan"},
           {Op::Exp, DType::F32, {"-inf"}, "0.0"},
           {Op::Pow, DType::F32, {"2.0", "-2.0"}, "0.25"},
           {Op::Pow, DType::F32, {"-8.0", "3.0"}, "-512.0"},
           {Op::Pow, DType::F32, {"-8.0", "0.5"}, "nan"},
           {Op::Round, DType::F32, {"2.5"}, "2.0"},
           {Op::Round, DType::F32, {"-3.5"}, "-4.0"},
           {Op::Round, DType::F32, {"-0.3"}, "-0.0"},
           {Op::Floor, DType::F32, {"-0.5"}, "-1.0"},
           {Op::Ceil, DType::F32, {"-0.5"}, "-0.0"},
           {Op::Trunc, DType::F32, {"-1.9"}, "-1.0"},
           {Op::Sign, DType::F32, {"-0.0"}, "-0.0"},
           {Op::Sign, DType::F32, {"nan"}, "nan"},
           {Op::Sign, DType::I32, {"-5"}, "-1"},
           {Op::Tanh, DType::F32, {"inf"}, "1.0"}});
}

TEST(Ops, roundNarrowFloatsAfterEachOperation)
{
    check({{Op::Add, DType::F16, {"2048.0", "1.0"}, "2048.0"},
           {Op::Mul, DType::F16, {"300.0", "300.0"}, "inf"},
           {Op::Add, DType::BF16, {"256.0", "1.0"}, "256.0"}});
}

// (1 + 2^-12)^2 - 1 has a last bit that only one rounding keeps.
TEST(Ops, fuseOnlyWhatIsFused)
{
    check({{Op::Fma, DType::F32, {"1.00024414", "1.00024414", "-1.0"}, "0.00048834085"},
           {Op::Mulacc, DType::F32, {"2.0", "10.0", "1.0"}, "21.0"},
           {Op::Where, DType::F32, {"false", "1.0", "2.0"}, "2.0"},
           {Op::Where, DType::F32, {"true", "nan", "2.0"}, "nan"}});
    const Scalar x = read(DType::F32, "1.00024414");
    const Scalar minusOne = read(DType::F32, "-1.0");
    EXPECT_NE(evaluate(Op::Mulacc, DType::F32, std::array{x, x, minusOne}),
              evaluate(Op::Fma, DType::F32, std::array{x, x, minusOne}));
}

TEST(Ops, leaveValuesUnchangedByTheirIdentity)
{
    for (const Op op : allOps()) {
        if (infoOf(op).identity == OpIdentity::None)
            continue;
        for (const DType dtype : scalarDTypes()) {
            if (!accepts(op, dtype))
                continue;
            for (const double value : {-9.0, 0.0, 1.0, 100.0}) {
                const Scalar x = Scalar::of(dtype, value);
                EXPECT_EQ(evaluate(op, dtype, std::array{identityOf(op, dtype), x}), x) << nameOf(op) << " " << nameOf(dtype);
            }
        }
    }
    EXPECT_EQ(identityOf(Op::Max, DType::Bool), Scalar::ofBool(false));
    EXPECT_EQ(toText(identityOf(Op::Max, DType::I32)), "-2147483648");
    EXPECT_EQ(toText(identityOf(Op::Max, DType::F32)), "-inf");
    EXPECT_EQ(toText(identityOf(Op::And, DType::I16)), "-1");
    EXPECT_EQ(toText(identityOf(Op::Min, DType::U16)), "65535");
}

// To the bit, for every kind of value.
TEST(Ops, leaveValuesUnchangedByTheirNeutralElements)
{
    std::size_t sides = 0;
    for (const Op op : allOps()) {
        for (const DType dtype : scalarDTypes()) {
            for (const Side side : {Side::Left, Side::Right}) {
                const auto neutral = arityOf(op) == 2 ? neutralOf(op, side, dtype) : std::nullopt;
                if (!neutral)
                    continue;
                ++sides;
                std::vector<Scalar> values{lowestOf(dtype), highestOf(dtype)};
                for (const double value : {-9.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 100.0, 1e-6, HUGE_VAL, -HUGE_VAL, std::nan("")})
                    values.push_back(Scalar::of(dtype, value));
                if (isFloat(dtype))
                    values.push_back(Scalar::fromBits(dtype, 1)); // the smallest there is
                for (const Scalar &x : values) {
                    const Scalar found =
                        evaluate(op, dtype, side == Side::Left ? std::array{*neutral, x} : std::array{x, *neutral});
                    EXPECT_TRUE(found == x || (found.isNan() && x.isNan()))
                        << nameOf(op) << " " << nameOf(dtype) << " of " << toText(x) << " gives " << toText(found);
                }
            }
        }
    }
    EXPECT_GT(sides, 200U);
    EXPECT_EQ(neutralOf(Op::Add, Side::Left, DType::F32), Scalar::of(DType::F32, -0.0));
    EXPECT_EQ(neutralOf(Op::Sub, Side::Right, DType::F32), Scalar::of(DType::F32, 0.0));
    EXPECT_EQ(neutralOf(Op::Sub, Side::Left, DType::F32), std::nullopt);
    EXPECT_EQ(neutralOf(Op::Satur01Gate, Side::Left, DType::F16), Scalar::of(DType::F16, 0.5));
    EXPECT_EQ(neutralOf(Op::Satur01Gate, Side::Left, DType::I32), std::nullopt);
    EXPECT_EQ(neutralOf(Op::FloorDiv, Side::Right, DType::F32), std::nullopt);
    EXPECT_FALSE(isHomogeneous(Op::Where));
    EXPECT_TRUE(isHomogeneous(Op::Fma));
}

TEST(Ops, limitAndGate)
{
    check({{Op::Relu, DType::F32, {"-0.0"}, "-0.0"},
           {Op::Relu, DType::F32, {"nan"}, "0.0"},
           {Op::Relu, DType::F32, {"-inf"}, "0.0"},
           {Op::Relu, DType::I8, {"-128"}, "0"},
           {Op::Satur01, DType::F32, {"nan"}, "nan"},
           {Op::Satur01, DType::F32, {"-0.0"}, "0.0"},
           {Op::Satur01, DType::F64, {"0.25"}, "0.25"},
           {Op::Satur01, DType::F32, {"inf"}, "1.0"},
           {Op::Satur01, DType::U8, {"7"}, "1"},
           {Op::ReluGate, DType::F32, {"0.0", "5.0"}, "0.0"},
           {Op::ReluGate, DType::F32, {"1e-09", "5.0"}, "5.0"},
           {Op::ReluGate, DType::F32, {"nan", "5.0"}, "0.0"},
           {Op::Satur01Gate, DType::F32, {"0.0", "5.0"}, "0.0"},
           {Op::Satur01Gate, DType::F32, {"1.0", "5.0"}, "0.0"},
           {Op::Satur01Gate, DType::F32, {"0.5", "5.0"}, "5.0"},
           {Op::Satur01Gate, DType::F32, {"nan", "5.0"}, "0.0"},
           {Op::Satur01Gate, DType::I32, {"1", "5"}, "0"}});
}

TEST(Ops, takeArgumentsAndProducts)
{
    check({{Op::Arg1, DType::F32, {"nan", "5.0"}, "nan"},
           {Op::Arg2, DType::Bool, {"true", "false"}, "false"},
           {Op::Mul3, DType::I8, {"100", "2", "3"}, "88"},
           {Op::Mul3, DType::F32, {"1e30", "1e30", "0.0"}, "nan"}, // the first product overflows
           {Op::RecipSqrt, DType::F32, {"4.0"}, "0.5"},
           {Op::RecipSqrt, DType::F32, {"0.0"}, "inf"},
           {Op::RecipSqrt, DType::F64, {"-1.0"}, "nan"},
           {Op::TanhApprox, DType::F32, {"inf"}, "1.0"}});
}

TEST(Ops, keepTheTraitsOfTheTable)
{
    for (const Op op : allOps()) {
        const OpInfo &info = infoOf(op);
        EXPECT_EQ(opNamed(info.name), op);
        for (const DType dtype : scalarDTypes()) {
            if (!accepts(op, dtype) || info.arity != 2)
                continue;
            const Scalar a = Scalar::of(dtype, 3.0);
            const Scalar b = Scalar::of(dtype, 2.0);
            if (has(info.traits, Trait::Commutative)) {
                EXPECT_EQ(evaluate(op, dtype, std::array{a, b}), evaluate(op, dtype, std::array{b, a})) << info.name;
            }
            if (has(info.traits, Trait::Idempotent)) {
                EXPECT_EQ(evaluate(op, dtype, std::array{a, a}), a) << info.name;
            }
        }
    }
    EXPECT_FALSE(opNamed("addd"));
}

} // namespace
} // namespace sw
