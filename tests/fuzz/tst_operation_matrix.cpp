// Every operation and conversion of every element type at special values, and at every value of the types of up to 16 bits where
// there is one operand, through the whole compiler on every device, against the reference evaluation: bit for bit, but for the
// transcendental functions, which may differ by transcendentalUlps.

#include "engine/backend/native_backends.h"
#include "engine/graph/builder.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/support/special_values.h"

#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <random>
#include <tuple>

namespace sw {
namespace {

using test::isSameValue;

constexpr std::size_t kRandomValues = 24;     // besides the special ones, where each meets each
constexpr std::size_t kRandomOperands = 4096; // of one operand, for types of more than 16 bits
constexpr std::size_t kMaxReports = 5;        // of each output
constexpr std::int64_t kExpectedCases = 100'000;

// Between the result and the correctly rounded one.
std::uint64_t transcendentalUlps(DType dtype)
{
    return isStorageOnly(dtype) ? 1 : 2;
}

std::vector<Scalar> withRandom(std::vector<Scalar> values, DType dtype, std::size_t count)
{
    std::mt19937_64 random(infoOf(dtype).bits + static_cast<std::uint64_t>(dtype) * 131);
    for (std::size_t i = 0; i < count && dtype != DType::Bool; ++i)
        values.push_back(Scalar::fromBits(dtype, random()));
    return values;
}

std::vector<Scalar> everyValue(DType dtype)
{
    const std::uint32_t bits = infoOf(dtype).bits;
    if (dtype == DType::Bool || bits > 16)
        return withRandom(test::conversionValues(dtype), dtype, kRandomOperands);
    std::vector<Scalar> values;
    for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits; ++pattern)
        values.push_back(Scalar::fromBits(dtype, pattern));
    return values;
}

HostTensor tensorOf(DType dtype, const std::vector<Scalar> &values)
{
    HostTensor tensor(dtype, Shape{static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        tensor.set(static_cast<std::int64_t>(i), values[i]);
    return tensor;
}

// One output of a program, and what each of its elements should be.
struct Expectation {
    std::string name;
    std::vector<Scalar> values;
    std::uint64_t ulps = 0;
};

// A program with many outputs of the same inputs.
class MatrixProgram {
public:
    MatrixProgram() : m_builder(sources()) {}

    NodeId input(const HostTensor &value)
    {
        PlaceholderAttributes attributes;
        attributes.name = format("input {}", m_inputs.size());
        m_inputs.push_back(value);
        return m_builder.placeholder(origin(), value.dtype(), value.shape(), std::move(attributes));
    }

    void output(std::string name, NodeId node, std::vector<Scalar> expected, std::uint64_t ulps)
    {
        m_outputs.push_back(node);
        m_expected.push_back({std::move(name), std::move(expected), ulps});
    }

    [[nodiscard]] GraphBuilder &builder() { return m_builder; }
    [[nodiscard]] static Origin origin() { return Origin(SourceId(0U)); }
    [[nodiscard]] const std::vector<HostTensor> &inputs() const { return m_inputs; }
    [[nodiscard]] const std::vector<Expectation> &expected() const { return m_expected; }
    [[nodiscard]] std::int64_t cases() const
    {
        std::int64_t count = 0;
        for (const Expectation &output : m_expected)
            count += static_cast<std::int64_t>(output.values.size());
        return count;
    }

    [[nodiscard]] RandomGraph finish() &&
    {
        std::vector<std::string> names;
        for (const Expectation &output : m_expected)
            names.push_back(output.name);
        return {std::move(m_builder).finish(origin(), m_outputs, std::move(names)).value(), m_inputs};
    }

private:
    static SourceMapPtr sources()
    {
        auto map = std::make_shared<SourceMap>();
        const FileId file = map->addFile({"matrix", "matrix\n"});
        map->addItem({file, {"matrix", 1, 1, 1, 7}, SourceMap::rootScope(), {}, "matrix"});
        return map;
    }

    GraphBuilder m_builder;
    std::vector<HostTensor> m_inputs;
    std::vector<NodeId> m_outputs;
    std::vector<Expectation> m_expected;
};

std::uint64_t allowedUlps(Op op, DType dtype)
{
    return has(infoOf(op).traits, Trait::Transcendental) && isFloat(dtype) ? transcendentalUlps(dtype) : 0;
}

void addOperation(MatrixProgram &program, Op op, DType dtype, const std::vector<NodeId> &operands,
                  const std::vector<const HostTensor *> &values)
{
    const NodeId made = program.builder().elementwise(MatrixProgram::origin(), op, operands).value();
    std::vector<Scalar> expected;
    std::vector<Scalar> scalars(values.size());
    for (std::int64_t i = 0; i < values.front()->elements(); ++i) {
        for (std::size_t k = 0; k < values.size(); ++k)
            scalars[k] = values[k]->at(i);
        expected.push_back(evaluate(op, dtype, scalars));
    }
    program.output(std::string(nameOf(op)), made, std::move(expected), allowedUlps(op, dtype));
}

// Operations of two and three operands: each value with each.
MatrixProgram pairsProgram(DType dtype)
{
    const std::vector<Scalar> values = withRandom(test::specialValues(dtype), dtype, kRandomValues);
    std::vector<Scalar> x, y, z, condition;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = 0; j < values.size(); ++j) {
            x.push_back(values[i]);
            y.push_back(values[j]);
            z.push_back(values[(i + 3 * j) % values.size()]);
            condition.push_back(Scalar::ofBool((i + j) % 3 == 0));
        }
    }
    const std::array tensors{tensorOf(dtype, x), tensorOf(dtype, y), tensorOf(dtype, z), tensorOf(DType::Bool, condition)};
    MatrixProgram program;
    std::array<NodeId, 4> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        inputs.at(i) = program.input(tensors.at(i));
    for (const Op op : allOps()) {
        if (!accepts(op, dtype) || arityOf(op) < 2)
            continue;
        if (op == Op::Where)
            addOperation(program, op, dtype, {inputs[3], inputs[0], inputs[1]}, {&tensors[3], &tensors[0], &tensors[1]});
        else if (arityOf(op) == 2)
            addOperation(program, op, dtype, {inputs[0], inputs[1]}, {tensors.data(), &tensors[1]});
        else
            addOperation(program, op, dtype, {inputs[0], inputs[1], inputs[2]}, {tensors.data(), &tensors[1], &tensors[2]});
    }
    return program;
}

void addConversions(MatrixProgram &program, DType from, NodeId x, const HostTensor &values)
{
    for (const DType to : scalarDTypes()) {
        std::vector<Scalar> casts;
        std::vector<Scalar> saturated;
        for (std::int64_t i = 0; i < values.elements(); ++i) {
            casts.push_back(values.at(i).castTo(to));
            saturated.push_back(values.at(i).saturatedTo(to));
        }
        const auto origin = MatrixProgram::origin();
        if (to != from) {
            program.output(format("cast {}", nameOf(to)), program.builder().cast(origin, x, to).value(), std::move(casts), 0);
            program.output(format("saturate {}", nameOf(to)), program.builder().saturatingCast(origin, x, to).value(),
                           std::move(saturated), 0);
        }
        if (to == from || to == DType::Bool || bytesOf(to) != bytesOf(from))
            continue;
        std::vector<Scalar> bits;
        for (std::int64_t i = 0; i < values.elements(); ++i)
            bits.push_back(Scalar::fromBits(to, values.at(i).bits()));
        program.output(format("bitcast {}", nameOf(to)), program.builder().bitcast(origin, x, to).value(), std::move(bits), 0);
    }
}

// Operations of one operand, and conversions to every type.
MatrixProgram singlesProgram(DType dtype)
{
    const HostTensor values = tensorOf(dtype, everyValue(dtype));
    MatrixProgram program;
    const NodeId x = program.input(values);
    for (const Op op : allOps())
        if (accepts(op, dtype) && arityOf(op) == 1)
            addOperation(program, op, dtype, {x}, {&values});
    addConversions(program, dtype, x, values);
    return program;
}

// Neighbouring floats differ by one; -0 and +0 are the same.
std::uint64_t distance(const Scalar &a, const Scalar &b)
{
    const auto order = [](const Scalar &value) {
        const std::uint64_t sign = std::uint64_t{1} << (infoOf(value.dtype()).bits - 1);
        const auto magnitude = static_cast<std::int64_t>(value.bits() & (sign - 1));
        return (value.bits() & sign) != 0 ? -magnitude : magnitude;
    };
    if (a.isNan() || b.isNan())
        return ~std::uint64_t{0};
    const std::int64_t from = order(a);
    const std::int64_t to = order(b);
    return from > to ? static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to)
                     : static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

class OperationMatrix : public testing::TestWithParam<std::tuple<std::string, DType>> {
protected:
    OperationMatrix() { addNativeBackends(m_registry); }

    void check(MatrixProgram program)
    {
        const auto &[id, dtype] = GetParam();
        auto device = DeviceUnderTest::open(m_registry, id);
        if (!device)
            GTEST_SKIP() << toText(device.error());
        CompileOptions options;
        options.contract = false; // one rounding for each operation
        const std::vector<Expectation> expected = program.expected();
        const std::vector<HostTensor> inputs = program.inputs();
        const auto outputs = device->run(std::move(program).finish(), options);
        ASSERT_TRUE(outputs) << toText(outputs.error());
        ASSERT_EQ(outputs->size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            compare(expected[i], (*outputs)[i].value, inputs);
    }

    static void compare(const Expectation &expected, const HostTensor &found, const std::vector<HostTensor> &inputs)
    {
        std::size_t reports = 0;
        for (std::size_t i = 0; i < expected.values.size() && reports < kMaxReports; ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const Scalar result = found.at(at);
            if (isSameValue(expected.values[i], result) ||
                (expected.ulps > 0 && distance(expected.values[i], result) <= expected.ulps))
                continue;
            ++reports;
            ADD_FAILURE() << expected.name << " of "
                          << join(inputs, ", ", [at](const HostTensor &input) { return toText(input.at(at)); }) << " is "
                          << toText(expected.values[i]) << ", found " << toText(result);
        }
    }

    BackendRegistry m_registry;
};

TEST_P(OperationMatrix, ofPairsAndTriples)
{
    check(pairsProgram(std::get<1>(GetParam())));
}

TEST_P(OperationMatrix, ofSingleOperandsAndConversions)
{
    check(singlesProgram(std::get<1>(GetParam())));
}

const std::vector<std::string> kDevices = {"interpreter", "llvm", "c", "opencl"};

INSTANTIATE_TEST_SUITE_P(All, OperationMatrix,
                         testing::Combine(testing::ValuesIn(kDevices),
                                          testing::ValuesIn(scalarDTypes().begin(), scalarDTypes().end())),
                         [](const auto &test) {
                             return format("{}_{}", std::get<0>(test.param), nameOf(std::get<1>(test.param)));
                         });

TEST(OperationMatrixSize, isLarge)
{
    std::int64_t cases = 0;
    for (const DType dtype : scalarDTypes())
        cases += pairsProgram(dtype).cases() + singlesProgram(dtype).cases();
    std::cout << cases << " cases on each of " << kDevices.size() << " devices, none left out\n";
    EXPECT_GT(cases, kExpectedCases);
}

} // namespace
} // namespace sw
