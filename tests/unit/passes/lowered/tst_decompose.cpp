#include "engine/lowered/type_rules.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/lowered/decompose.h"
#include "engine/passes/lowered/decompose_rules.h"
#include "tests/support/decomposed.h"
#include "tests/support/ulp.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace sw {
namespace {

using test::DecomposedOp;
using test::ulpDistance;

struct Transcendental {
    Op op;
    long double (*exact)(long double);
};

constexpr Transcendental kTranscendentals[] = {
    {Op::Exp, [](long double x) { return std::exp(x); }},   {Op::Exp2, [](long double x) { return std::exp2(x); }},
    {Op::Log, [](long double x) { return std::log(x); }},   {Op::Log2, [](long double x) { return std::log2(x); }},
    {Op::Sin, [](long double x) { return std::sin(x); }},   {Op::Cos, [](long double x) { return std::cos(x); }},
    {Op::Tanh, [](long double x) { return std::tanh(x); }}, {Op::Erf, [](long double x) { return std::erf(x); }},
};

template <class T>
std::vector<T> specialValues()
{
    using Limits = std::numeric_limits<T>;
    std::vector<T> out;
    for (const T value : {T(0),
                          Limits::denorm_min(),
                          Limits::min(),
                          Limits::max(),
                          Limits::infinity(),
                          Limits::epsilon(),
                          Limits::quiet_NaN(),
                          T(1),
                          T(2),
                          T(3),
                          T(8),
                          T(0.5),
                          T(1.5),
                          T(0.25),
                          T(10),
                          T(100),
                          T(1e10),
                          T(1e30),
                          T(88.72),
                          T(103.9),
                          T(126),
                          T(127),
                          T(128),
                          T(149),
                          T(150),
                          T(709.78),
                          T(745.1),
                          T(1023),
                          T(1074),
                          T(1075),
                          T(3.14159265358979),
                          T(1.5707963267948966),
                          T(131071.9),
                          T(131072),
                          T(1048576),
                          T(0.625),
                          T(0.921875),
                          T(9.01),
                          T(4),
                          T(6)})
        for (const T signed_ : {value, -value})
            for (const T near :
                 {std::nextafter(signed_, -Limits::infinity()), signed_, std::nextafter(signed_, Limits::infinity())})
                out.push_back(near);
    return out;
}

// The special values, then others from all exponents; as many as a run takes.
template <class T>
std::vector<T> manyValues(std::size_t batches)
{
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::vector<T> out = specialValues<T>();
    std::mt19937_64 random(1);
    while (out.size() < batches * DecomposedOp::kBatch) {
        const auto bits = static_cast<Bits>(random());
        // Half of them from 2^-8 to 2^8, where the functions have their shape.
        const T value = std::bit_cast<T>(bits);
        const T middle =
            std::ldexp(T(1) + std::abs(std::frexp(value, std::array<int, 1>{}.data())), static_cast<int>(bits % 17) - 9);
        out.push_back(out.size() % 2 == 0 || std::isnan(middle) ? value : std::copysign(middle, value));
    }
    return out;
}

template <class T>
void expectWithin(double limit, DType dtype, std::size_t batches)
{
    const std::vector<T> values = manyValues<T>(batches);
    for (const Transcendental &row : kTranscendentals) {
        const std::vector<T> results = DecomposedOp(row.op, dtype).run<T>({values});
        double worst = 0;
        T worstAt = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double error = ulpDistance(results[i], row.exact(values[i]));
            if (error > worst) {
                worst = error;
                worstAt = values[i];
            }
        }
        EXPECT_LE(worst, limit) << nameOf(row.op) << " at " << floatText(worstAt);
        testing::Test::RecordProperty(std::string(nameOf(row.op)) + "_max_ulp", std::to_string(worst));
    }
}

TEST(Decompose, singleFunctionsStayWithinTwoUlp)
{
    expectWithin<float>(2.0, DType::F32, 20);
}

TEST(Decompose, doubleFunctionsStayWithinThreeUlp)
{
    expectWithin<double>(3.0, DType::F64, 10);
}

TEST(Decompose, isExactForPowersOfTwo)
{
    std::vector<float> powers(DecomposedOp::kBatch, 1.0F);
    std::vector<float> exponents(DecomposedOp::kBatch, 0.0F);
    for (int exponent = -149; exponent < 128; ++exponent) {
        powers[static_cast<std::size_t>(exponent + 149)] = std::ldexp(1.0F, exponent);
        exponents[static_cast<std::size_t>(exponent + 149)] = static_cast<float>(exponent);
    }
    EXPECT_EQ(DecomposedOp(Op::Log2, DType::F32).run<float>({powers}), exponents);
    EXPECT_EQ(DecomposedOp(Op::Exp2, DType::F32).run<float>({exponents}), powers);
}

TEST(Decompose, zerosKeepTheirSign)
{
    for (const Op op : {Op::Sin, Op::Tanh, Op::Erf}) {
        std::vector<float> zeros(DecomposedOp::kBatch, 0.0F);
        zeros[1] = -0.0F;
        const auto results = DecomposedOp(op, DType::F32).run<float>({zeros});
        EXPECT_FALSE(std::signbit(results[0])) << nameOf(op);
        EXPECT_TRUE(std::signbit(results[1])) << nameOf(op);
    }
}

template <class T>
void expectPowersWithin(double limit, DType dtype)
{
    std::vector<T> bases;
    std::vector<T> exponents;
    const auto special = specialValues<T>();
    for (const T base : special)
        for (const T exponent : special) {
            bases.push_back(base);
            exponents.push_back(exponent);
        }
    std::mt19937_64 random(3);
    const std::size_t size = (bases.size() / DecomposedOp::kBatch + 4) * DecomposedOp::kBatch;
    std::uniform_real_distribution<double> logarithms(-60, 60);
    while (bases.size() < size) {
        const double base = std::exp2(logarithms(random));
        bases.push_back(static_cast<T>(base));
        exponents.push_back(static_cast<T>(logarithms(random) * (dtype == DType::F32 ? 2 : 16) / std::abs(std::log2(base))));
    }
    const auto results = DecomposedOp(Op::Pow, dtype).run<T>({bases, exponents});
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double error =
            ulpDistance(results[i], std::pow(static_cast<long double>(bases[i]), static_cast<long double>(exponents[i])));
        worst = std::max(worst, error);
        ASSERT_LE(error, limit) << floatText(bases[i]) << " ** " << floatText(exponents[i]) << " = " << floatText(results[i]);
    }
    testing::Test::RecordProperty("pow_max_ulp", std::to_string(worst));
}

// Powers by quarters are roots: every special base, and mantissas of all kinds at exponents that change what a root halves.
template <class T>
void expectRootsWithinTwoUlp(DType dtype, double power)
{
    std::vector<T> bases = specialValues<T>();
    const std::vector<T> special = bases;
    for (const T value : special)
        bases.push_back(-value);
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> logarithms(-60, 60);
    while (bases.size() < 8 * DecomposedOp::kBatch)
        bases.push_back(static_cast<T>(std::exp2(logarithms(random))));
    const DecomposedOp roots(Op::Pow, dtype, TargetLanguage::C, power);
    EXPECT_LT(roots.operations(), 20U);
    const auto results = roots.run<T>({bases});
    for (std::size_t i = 0; i < bases.size(); ++i) {
        const long double exact = std::pow(static_cast<long double>(bases[i]), static_cast<long double>(power));
        ASSERT_LE(ulpDistance(results[i], exact), 2.0)
            << floatText(bases[i]) << " ** " << power << " = " << floatText(results[i]);
    }
}

TEST(Decompose, powersByQuartersAreRoots)
{
    for (const double power : {0.25, 0.5, 0.75, 1.25, 1.5, -0.25, -0.5, -0.75}) {
        expectRootsWithinTwoUlp<float>(DType::F32, power);
        expectRootsWithinTwoUlp<double>(DType::F64, power);
    }
}

TEST(Decompose, singlePowersStayWithinTwoUlp)
{
    expectPowersWithin<float>(2.0, DType::F32);
}

TEST(Decompose, doublePowersStayWithinThreeUlp)
{
    expectPowersWithin<double>(3.0, DType::F64);
}

// What is not transcendental is exact: the same bits as the table's evaluation, for every type and every pair of special values.
template <class T>
void expectExact(Op op, DType dtype)
{
    std::vector<T> values;
    if constexpr (std::floating_point<T>) {
        values = specialValues<T>();
    } else {
        for (const std::int64_t value : {0, 1, 2, 3, 5, 7, 8, 31, 100, 127})
            for (const std::int64_t signed_ : {value, -value})
                values.push_back(static_cast<T>(signed_));
        values.push_back(std::numeric_limits<T>::min());
        values.push_back(std::numeric_limits<T>::max());
    }
    std::vector<std::vector<T>> operands(arityOf(op), std::vector<T>(DecomposedOp::kBatch, T(1)));
    for (std::size_t i = 0; i < DecomposedOp::kBatch; ++i) {
        operands[0][i] = values[i % values.size()];
        if (operands.size() > 1)
            operands[1][i] = values[i / values.size() % values.size()];
        if (operands.size() > 2)
            operands[2][i] = values[(i + 3) % values.size()];
    }
    const auto results = DecomposedOp(op, dtype).run<T>(operands);
    for (std::size_t i = 0; i < DecomposedOp::kBatch; ++i) {
        std::vector<Scalar> scalars;
        for (const auto &operand : operands)
            scalars.push_back(Scalar::load(dtype, &operand[i]));
        const Scalar expected = evaluate(op, dtype, scalars);
        const Scalar found = Scalar::load(dtype, &results[i]);
        ASSERT_TRUE(found == expected || (found.isNan() && expected.isNan()))
            << nameOf(op) << " " << nameOf(dtype) << " " << join(scalars, ", ", [](const Scalar &value) { return toText(value); })
            << ": " << toText(found) << " not " << toText(expected);
    }
}

TEST(Decompose, exactOperationsEqualTheTable)
{
    for (const Op op : {Op::FloorDiv, Op::FloorMod, Op::Abs, Op::Sign, Op::Mulacc, Op::Pow}) {
        expectExact<std::int32_t>(op, DType::I32);
        expectExact<std::uint32_t>(op, DType::U32);
        expectExact<std::int64_t>(op, DType::I64);
        expectExact<std::uint8_t>(op, DType::U8);
        expectExact<std::int16_t>(op, DType::I16);
        if (op != Op::Pow) {
            expectExact<float>(op, DType::F32);
            expectExact<double>(op, DType::F64);
        }
    }
    expectExact<float>(Op::Recip, DType::F32);
}

// Whatever the language lacks has a rule, and what the rules write the language has.
TEST(Decompose, leavesOnlyWhatTheLanguageSpells)
{
    for (const TargetLanguage language : {TargetLanguage::C, TargetLanguage::OpenCl, TargetLanguage::Llvm})
        for (const Op op : allOps())
            for (const DType dtype : scalarDTypes()) {
                if (!accepts(op, dtype) || isStorageOnly(dtype) || op == Op::Where)
                    continue;
                const LoweredKernel kernel = DecomposedOp(op, dtype, language).kernel();
                EXPECT_TRUE(verifyLowered(kernel)) << nameOf(op) << " " << nameOf(dtype);
                for (const Instruction &instruction : kernel.instructions)
                    if (instruction.kind == InstructionKind::Alu) {
                        const DType type = operandTypeOf(instruction, kernel.instructions);
                        EXPECT_FALSE(spellingOf(instruction.op, language, type).empty())
                            << nameOf(op) << " " << nameOf(dtype) << " uses " << nameOf(instruction.op) << " " << nameOf(type);
                    }
            }
}

TEST(Decompose, recordsEachRewriteAndStopsWhenTheBudgetIsSpent)
{
    const DeviceInfo device;
    const CompileOptions options;
    LoweredProgram program{nullptr, {test::unaryKernel(Op::Exp, DType::F32, 8), test::unaryKernel(Op::Recip, DType::F32, 8)}};
    PassContext all(device, TargetLanguage::C, options, {});
    ASSERT_TRUE(decompose(program, all).value());
    ASSERT_EQ(all.rewrites().events().size(), 2U);
    EXPECT_EQ(all.rewrites().events()[0].rule, "exp");
    EXPECT_EQ(all.rewrites().events()[0].detail, "exp f32");
    EXPECT_EQ(all.rewrites().events()[0].before, std::vector<std::uint32_t>{7});
    PassContext one(device, TargetLanguage::C, options, {}, 1);
    const auto partly = decompose(program, one).value();
    EXPECT_EQ(partly->kernels[1], program.kernels[1]);
    PassContext lowered(device, TargetLanguage::Lowered, options, {});
    EXPECT_FALSE(decompose(program, lowered).value());
}

// The prices that schedules and loops are planned by are those of the formulas that run.
TEST(Decompose, costsWhatTheTableSays)
{
    for (const Op op : allOps()) {
        if (!has(infoOf(op).traits, Trait::Transcendental) || !accepts(op, DType::F32))
            continue;
        const test::DecomposedOp decomposed(op, DType::F32);
        const auto operations = static_cast<double>(decomposed.operations());
        EXPECT_GE(infoOf(op).price * 2.0, operations) << nameOf(op);
        EXPECT_LE(infoOf(op).price, operations * 2) << nameOf(op);
    }
}

} // namespace
} // namespace sw
