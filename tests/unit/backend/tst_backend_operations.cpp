// Every operation and conversion of every type, in scalars and vectors, at special values, against the reference evaluation.

#include "tests/support/special_values.h"
#include "tests/unit/backend/operations_fixture.h"

#include <random>
#include <tuple>

namespace sw::test {

namespace {

struct Operands {
    HostTensor x, y, z, condition;
};

Operands allPairs(DType dtype)
{
    const std::vector<Scalar> values = specialValues(dtype);
    std::vector<Scalar> x, y, z, condition;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = 0; j < values.size(); ++j) {
            x.push_back(values[i]);
            y.push_back(values[j]);
            z.push_back(values[(i + 3 * j) % values.size()]);
            condition.push_back(Scalar::ofBool((i + j) % 3 == 0));
        }
    }
    return {tensorOf(dtype, x), tensorOf(dtype, y), tensorOf(dtype, z), tensorOf(DType::Bool, condition)};
}

// One output per operation: arguments x, y, z, condition, then the outputs.
LoweredKernel operationsKernel(const std::vector<Op> &operations, DType dtype, std::int64_t elements, std::uint32_t lanes)
{
    LoweredBuilder builder(kernelFrame(format("ops_{}_x{}", nameOf(dtype), lanes), {elements / lanes, 1, 1}));
    const Origin origin = anyOrigin();
    const auto x = builder.defineGlobal(origin, {BufferId(0U), dtype, elements, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), dtype, elements, false, "y"});
    const auto z = builder.defineGlobal(origin, {BufferId(2U), dtype, elements, false, "z"});
    const auto condition = builder.defineGlobal(origin, {BufferId(3U), DType::Bool, elements, false, "condition"});
    std::vector<InstructionId> outputs;
    for (const Op op : operations)
        outputs.push_back(builder.defineGlobal(
            origin, {BufferId(4U + outputs.size()), resultType(op, dtype), elements, true, std::string(nameOf(op))}));
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto at = builder.alu(origin, Op::Mul, {item, builder.index(origin, lanes)});
    const auto a = builder.load(origin, x, at, lanes);
    const auto b = builder.load(origin, y, at, lanes);
    const auto c = builder.load(origin, z, at, lanes);
    const auto when = builder.load(origin, condition, at, lanes);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        std::vector<InstructionId> operands = {a, b, c};
        if (operations[i] == Op::Where)
            operands = {when, a, b};
        operands.resize(arityOf(operations[i]));
        builder.store(origin, outputs[i], at, builder.alu(origin, operations[i], operands));
    }
    return builder.take();
}

LoweredKernel castsKernel(DType from, std::int64_t elements, std::uint32_t lanes)
{
    LoweredBuilder builder(kernelFrame(format("casts_{}_x{}", nameOf(from), lanes), {elements / lanes, 1, 1}));
    const Origin origin = anyOrigin();
    const auto x = builder.defineGlobal(origin, {BufferId(0U), from, elements, false, "x"});
    std::vector<InstructionId> outputs;
    for (const DType to : scalarDTypes())
        outputs.push_back(
            builder.defineGlobal(origin, {BufferId(1U + outputs.size()), to, elements, true, format("to_{}", nameOf(to))}));
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto at = builder.alu(origin, Op::Mul, {item, builder.index(origin, lanes)});
    const auto value = builder.load(origin, x, at, lanes);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        builder.store(origin, outputs[i], at, builder.cast(origin, scalarDTypes()[i], value));
    return builder.take();
}

} // namespace

class BackendOperations : public testing::TestWithParam<std::tuple<std::string, std::uint32_t>> {
protected:
    void SetUp() override
    {
        if (!backend().isThere())
            GTEST_SKIP() << backend().missing();
    }
    [[nodiscard]] OpenBackend &backend() const { return backendNamed(std::get<0>(GetParam())); }
    [[nodiscard]] std::uint32_t lanes() const { return std::get<1>(GetParam()); }
    [[nodiscard]] bool hasType(DType dtype) const { return dtype != DType::F64 || backend().device.hasF64; }
};

TEST_P(BackendOperations, agreeWithTheReference)
{
    const TargetLanguage language = backend().renderer().language();
    std::vector<DType> types;
    std::vector<LoweredKernel> kernels;
    for (const DType dtype : scalarDTypes()) {
        if (!hasType(dtype))
            continue;
        types.push_back(dtype);
        kernels.push_back(lowered(operationsKernel(operationsOf(language, dtype), dtype, allPairs(dtype).x.elements(), lanes()),
                                  language, backend().device));
    }
    const auto artifacts = backend().compileAll(kernels);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const DType dtype = types[k];
        const Operands operands = allPairs(dtype);
        const std::vector<Op> operations = operationsOf(language, dtype);
        ASSERT_FALSE(operations.empty());
        std::vector<HostTensor> arguments = {operands.x, operands.y, operands.z, operands.condition};
        for (const Op op : operations)
            arguments.emplace_back(resultType(op, dtype), operands.x.shape());
        const auto result = backend().run((*artifacts)[k], kernels[k], arguments);
        ASSERT_TRUE(result) << nameOf(dtype) << ": " << toText(result.error());
        for (std::size_t i = 0; i < operations.size(); ++i) {
            int reported = 0;
            for (std::int64_t at = 0; at < operands.x.elements() && reported < 3; ++at) {
                std::vector<Scalar> inputs = {operands.x.at(at), operands.y.at(at), operands.z.at(at)};
                if (operations[i] == Op::Where)
                    inputs = {operands.condition.at(at), operands.x.at(at), operands.y.at(at)};
                inputs.resize(arityOf(operations[i]));
                const Scalar expected = evaluate(operations[i], dtype, inputs);
                const Scalar found = arguments[4 + i].at(at);
                if (isSameValue(expected, found))
                    continue;
                ++reported;
                ADD_FAILURE() << nameOf(operations[i]) << " on " << nameOf(dtype) << " of "
                              << join(inputs, ", ", [](const Scalar &input) { return toText(input); }) << " is "
                              << toText(expected) << ", found " << toText(found);
            }
        }
    }
}

// Of a device that computes with f16 itself, and of one that goes by way of f32: every value of f16 with some others.
TEST_P(BackendOperations, roundF16Once)
{
    constexpr std::int64_t kValues = 1 << 16;
    constexpr std::int64_t kOthers = 3;
    const TargetLanguage language = backend().renderer().language();
    std::vector<Op> operations;
    for (const Op op : allOps()) // those that the language lacks are decomposed
        if (accepts(op, DType::F16) && has(infoOf(op).traits, Trait::RoundedOnce) && op != Op::Where)
            operations.push_back(op);
    ASSERT_GE(operations.size(), 20U);
    constexpr std::int64_t kElements = kValues * kOthers;
    std::mt19937 random(lanes());
    std::vector<HostTensor> arguments(3, HostTensor(DType::F16, {kElements}));
    arguments.emplace_back(DType::Bool, Shape{kElements});
    for (std::int64_t i = 0; i < kElements; ++i) {
        arguments[0].set(i, Scalar::fromBits(DType::F16, static_cast<std::uint64_t>(i % kValues)));
        arguments[1].set(i, Scalar::fromBits(DType::F16, random() % kValues));
        arguments[2].set(i, Scalar::fromBits(DType::F16, random() % kValues));
    }
    for (const Op op : operations)
        arguments.emplace_back(resultType(op, DType::F16), Shape{kElements});
    const std::vector<LoweredKernel> kernels{
        lowered(operationsKernel(operations, DType::F16, kElements, lanes()), language, backend().device)};
    const auto artifacts = backend().compileAll(kernels);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    const auto result = backend().run(artifacts->front(), kernels.front(), arguments);
    ASSERT_TRUE(result) << toText(result.error());
    for (std::size_t i = 0; i < operations.size(); ++i) {
        int reported = 0;
        for (std::int64_t at = 0; at < kElements && reported < 3; ++at) {
            std::vector<Scalar> inputs = {arguments[0].at(at), arguments[1].at(at), arguments[2].at(at)};
            inputs.resize(arityOf(operations[i]));
            const Scalar expected = evaluate(operations[i], DType::F16, inputs);
            if (isSameValue(expected, arguments[4 + i].at(at)))
                continue;
            ++reported;
            ADD_FAILURE() << nameOf(operations[i]) << " of "
                          << join(inputs, ", ", [](const Scalar &input) { return toText(input); }) << " is " << toText(expected)
                          << ", found " << toText(arguments[4 + i].at(at));
        }
    }
}

TEST_P(BackendOperations, castsAgreeWithTheReference)
{
    if (!backend().device.hasF64)
        GTEST_SKIP() << "the device has no f64, which these kernels convert to";
    std::vector<LoweredKernel> kernels;
    for (const DType from : scalarDTypes())
        kernels.push_back(lowered(castsKernel(from, tensorOf(from, conversionValues(from)).elements(), lanes()),
                                  backend().renderer().language(), backend().device));
    const auto artifacts = backend().compileAll(kernels);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const DType from = scalarDTypes()[k];
        const HostTensor values = tensorOf(from, conversionValues(from));
        std::vector<HostTensor> arguments = {values};
        for (const DType to : scalarDTypes())
            arguments.emplace_back(to, values.shape());
        const auto result = backend().run((*artifacts)[k], kernels[k], arguments);
        ASSERT_TRUE(result) << nameOf(from) << ": " << toText(result.error());
        for (std::size_t i = 0; i < scalarDTypes().size(); ++i) {
            for (std::int64_t at = 0; at < values.elements(); ++at) {
                const Scalar expected = values.at(at).castTo(scalarDTypes()[i]);
                const Scalar found = arguments[1 + i].at(at);
                EXPECT_TRUE(isSameValue(expected, found))
                    << nameOf(from) << " " << toText(values.at(at)) << " as " << nameOf(scalarDTypes()[i]) << " is "
                    << toText(expected) << ", found " << toText(found);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, BackendOperations,
                         testing::Combine(testing::Values("llvm", "c", "opencl"), testing::Values(1U, 4U, 16U)),
                         [](const auto &one) { return format("{}_x{}", std::get<0>(one.param), std::get<1>(one.param)); });

} // namespace sw::test
