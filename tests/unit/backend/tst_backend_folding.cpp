// Operations where a compiler knows something: operands that are constants, and results that are compared, divided and widened.
// What a driver's own function is taken for (never negative, never the most negative value) shows here and nowhere else.

#include "tests/support/special_values.h"
#include "tests/unit/backend/operations_fixture.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sw::test {

namespace {

constexpr std::array kSignedTypes{DType::I8, DType::I16, DType::I32, DType::I64};

// Every value once as the first operand, with others that differ.
std::vector<std::vector<Scalar>> operandsOf(Op op, DType dtype)
{
    const std::vector<Scalar> values = specialValues(dtype);
    std::vector<std::vector<Scalar>> operands;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<Scalar> one = {values[i], values[(5 * i + 2) % values.size()], values[(3 * i + 1) % values.size()]};
        if (op == Op::Where)
            one = {Scalar::ofBool(i % 2 == 0), one[0], one[1]};
        one.resize(arityOf(op));
        operands.push_back(std::move(one));
    }
    return operands;
}

// outputs[o][i] = operations[o] of constants.
LoweredKernel constantsKernel(const std::vector<Op> &operations, DType dtype, std::uint32_t lanes)
{
    LoweredBuilder builder(kernelFrame(format("known_{}_x{}", nameOf(dtype), lanes)));
    const Origin origin = anyOrigin();
    std::vector<InstructionId> outputs;
    for (const Op op : operations)
        outputs.push_back(builder.defineGlobal(origin, {BufferId(outputs.size()), resultType(op, dtype),
                                                        static_cast<std::int64_t>(operandsOf(op, dtype).size() * lanes), true,
                                                        format("out_{}", nameOf(op))}));
    for (std::size_t o = 0; o < operations.size(); ++o) {
        std::int64_t at = 0;
        for (const std::vector<Scalar> &operands : operandsOf(operations[o], dtype)) {
            std::vector<InstructionId> values;
            for (const Scalar &operand : operands)
                values.push_back(builder.constant(origin, operand, lanes));
            builder.store(origin, outputs[o], builder.index(origin, at), builder.alu(origin, operations[o], values));
            at += lanes;
        }
    }
    return builder.take();
}

// What is done with a result that tells whether the compiler believes in its sign.
enum class Follower : std::uint8_t { IsNegative, IsLowest, Halved, Widened };
constexpr std::array kFollowers{Follower::IsNegative, Follower::IsLowest, Follower::Halved, Follower::Widened};

DType typeAfter(Follower follower, DType dtype)
{
    switch (follower) {
    case Follower::IsNegative:
    case Follower::IsLowest:
        return DType::Bool;
    case Follower::Halved:
        return dtype;
    case Follower::Widened:
        return DType::I64;
    }
    SW_UNREACHABLE();
}

InstructionId after(LoweredBuilder &builder, Follower follower, DType dtype, InstructionId result, std::uint32_t lanes)
{
    const Origin origin = anyOrigin();
    const auto constant = [&](const Scalar &value) { return builder.constant(origin, value, lanes); };
    switch (follower) {
    case Follower::IsNegative:
        return builder.alu(origin, Op::Cmplt, {result, constant(Scalar::of(dtype, std::int64_t{0}))});
    case Follower::IsLowest:
        return builder.alu(origin, Op::Cmpeq, {result, constant(lowestOf(dtype))});
    case Follower::Halved:
        return builder.alu(origin, Op::Idiv, {result, constant(Scalar::of(dtype, std::int64_t{2}))});
    case Follower::Widened:
        return builder.cast(origin, DType::I64, result);
    }
    SW_UNREACHABLE();
}

Scalar valueAfter(Follower follower, const Scalar &result)
{
    const DType dtype = result.dtype();
    switch (follower) {
    case Follower::IsNegative:
        return evaluate(Op::Cmplt, dtype, std::vector{result, Scalar::of(dtype, std::int64_t{0})});
    case Follower::IsLowest:
        return evaluate(Op::Cmpeq, dtype, std::vector{result, lowestOf(dtype)});
    case Follower::Halved:
        return evaluate(Op::Idiv, dtype, std::vector{result, Scalar::of(dtype, std::int64_t{2})});
    case Follower::Widened:
        return result.castTo(DType::I64);
    }
    SW_UNREACHABLE();
}

// outputs[o][i] = follower(operations[o](x[i], y[i], z[i])): arguments x, y, z, then the outputs.
LoweredKernel followedKernel(const std::vector<Op> &operations, DType dtype, Follower follower, std::uint32_t lanes)
{
    const auto elements = static_cast<std::int64_t>(tensorOf(dtype, specialValues(dtype)).elements());
    LoweredBuilder builder(
        kernelFrame(format("followed_{}_{}_x{}", nameOf(dtype), static_cast<int>(follower), lanes), {elements / lanes, 1, 1}));
    const Origin origin = anyOrigin();
    std::vector<InstructionId> inputs;
    for (const char *const name : {"x", "y", "z"})
        inputs.push_back(builder.defineGlobal(origin, {BufferId(inputs.size()), dtype, elements, false, name}));
    std::vector<InstructionId> outputs;
    for (const Op op : operations)
        outputs.push_back(builder.defineGlobal(
            origin, {BufferId(3U + outputs.size()), typeAfter(follower, dtype), elements, true, format("out_{}", nameOf(op))}));
    const auto at = builder.alu(origin, Op::Mul, {builder.special(origin, SpecialIndex::GlobalX), builder.index(origin, lanes)});
    std::vector<InstructionId> loaded;
    for (const InstructionId input : inputs)
        loaded.push_back(builder.load(origin, input, at, lanes));
    for (std::size_t o = 0; o < operations.size(); ++o) {
        std::vector<InstructionId> operands = loaded;
        operands.resize(arityOf(operations[o]));
        const InstructionId result = builder.alu(origin, operations[o], operands);
        builder.store(origin, outputs[o], at, after(builder, follower, dtype, result, lanes));
    }
    return builder.take();
}

// Of one type of operands and results.
std::vector<Op> closedOperationsOf(TargetLanguage language, DType dtype)
{
    std::vector<Op> operations = operationsOf(language, dtype);
    std::erase_if(operations, [&](Op op) { return op == Op::Where || resultType(op, dtype) != dtype; });
    return operations;
}

} // namespace

class BackendFolding : public testing::TestWithParam<std::tuple<std::string, std::uint32_t>> {
protected:
    void SetUp() override
    {
        if (!backend().isThere())
            GTEST_SKIP() << backend().missing();
    }
    [[nodiscard]] OpenBackend &backend() const { return backendNamed(std::get<0>(GetParam())); }
    [[nodiscard]] std::uint32_t lanes() const { return std::get<1>(GetParam()); }
};

TEST_P(BackendFolding, constantsGiveWhatTheReferenceGives)
{
    const TargetLanguage language = backend().renderer().language();
    std::vector<DType> types;
    std::vector<LoweredKernel> kernels;
    for (const DType dtype : scalarDTypes()) {
        if (dtype == DType::F64 && !backend().device.hasF64)
            continue;
        types.push_back(dtype);
        kernels.push_back(lowered(constantsKernel(operationsOf(language, dtype), dtype, lanes()), language, backend().device));
    }
    const auto artifacts = backend().compileAll(kernels);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const DType dtype = types[k];
        const std::vector<Op> operations = operationsOf(language, dtype);
        std::vector<HostTensor> arguments;
        for (const Op op : operations)
            arguments.emplace_back(resultType(op, dtype),
                                   Shape{static_cast<std::int64_t>(operandsOf(op, dtype).size() * lanes())});
        const auto result = backend().run((*artifacts)[k], kernels[k], arguments);
        ASSERT_TRUE(result) << nameOf(dtype) << ": " << toText(result.error());
        for (std::size_t o = 0; o < operations.size(); ++o) {
            const std::vector<std::vector<Scalar>> operands = operandsOf(operations[o], dtype);
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const Scalar expected = evaluate(operations[o], dtype, operands[i]);
                for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
                    const Scalar found = arguments[o].at(static_cast<std::int64_t>(i * lanes() + lane));
                    EXPECT_TRUE(isSameValue(expected, found))
                        << nameOf(operations[o]) << " on " << nameOf(dtype) << " of the constants "
                        << join(operands[i], ", ", [](const Scalar &one) { return toText(one); }) << " is " << toText(expected)
                        << ", found " << toText(found);
                }
            }
        }
    }
}

TEST_P(BackendFolding, resultsAreWhatFollowsTakesThemFor)
{
    const TargetLanguage language = backend().renderer().language();
    std::vector<LoweredKernel> kernels;
    for (const DType dtype : kSignedTypes)
        for (const Follower follower : kFollowers)
            kernels.push_back(lowered(followedKernel(closedOperationsOf(language, dtype), dtype, follower, lanes()), language,
                                      backend().device));
    const auto artifacts = backend().compileAll(kernels);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    std::size_t k = 0;
    for (const DType dtype : kSignedTypes) {
        const std::vector<Op> operations = closedOperationsOf(language, dtype);
        std::vector<Scalar> values = specialValues(dtype);
        const HostTensor x = tensorOf(dtype, values);
        std::ranges::rotate(values, values.begin() + 3);
        const HostTensor y = tensorOf(dtype, values);
        std::ranges::rotate(values, values.begin() + 4);
        const HostTensor z = tensorOf(dtype, values);
        for (const Follower follower : kFollowers) {
            std::vector<HostTensor> arguments = {x, y, z};
            for (std::size_t o = 0; o < operations.size(); ++o)
                arguments.emplace_back(typeAfter(follower, dtype), x.shape());
            const auto result = backend().run((*artifacts)[k], kernels[k], arguments);
            ++k;
            ASSERT_TRUE(result) << nameOf(dtype) << ": " << toText(result.error());
            for (std::size_t o = 0; o < operations.size(); ++o) {
                for (std::int64_t i = 0; i < x.elements(); ++i) {
                    std::vector<Scalar> operands = {x.at(i), y.at(i), z.at(i)};
                    operands.resize(arityOf(operations[o]));
                    const Scalar expected = valueAfter(follower, evaluate(operations[o], dtype, operands));
                    EXPECT_TRUE(isSameValue(expected, arguments[3 + o].at(i)))
                        << nameOf(operations[o]) << " on " << nameOf(dtype) << " of "
                        << join(operands, ", ", [](const Scalar &one) { return toText(one); }) << ", then follower "
                        << static_cast<int>(follower) << ", is " << toText(expected) << ", found "
                        << toText(arguments[3 + o].at(i));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, BackendFolding, testing::Combine(testing::Values("llvm", "c", "opencl"), testing::Values(1U, 4U)),
                         [](const auto &one) { return format("{}_x{}", std::get<0>(one.param), std::get<1>(one.param)); });

} // namespace sw::test
