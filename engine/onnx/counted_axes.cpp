#include "engine/onnx/counted_axes.h"

#include "engine/onnx/read_model.h"

#include <algorithm>
#include <array>

namespace sw::onnx {

namespace {

// What an operator does with the axes of its operands.
enum class Passing : std::uint8_t {
    Elementwise, // each element of a result is made of the elements at its place
    Order,       // the elements stay in row-major order, other axes come or go
    Permutation, // Transpose
    Rows,        // along one axis, or some; the others are gone through
    Lookup,      // Gather
    Tuples,      // GatherND
    Joining,     // Concat
    Product,     // of rows of the first operand
};

struct PassingRow {
    std::string_view name;
    Passing passing;
};

// Sorted by name. Operators that are not here take no counted operand.
constexpr std::array kPassing = {
    PassingRow{"Abs", Passing::Elementwise},
    PassingRow{"Add", Passing::Elementwise},
    PassingRow{"And", Passing::Elementwise},
    PassingRow{"BitwiseAnd", Passing::Elementwise},
    PassingRow{"BitwiseNot", Passing::Elementwise},
    PassingRow{"BitwiseOr", Passing::Elementwise},
    PassingRow{"BitwiseXor", Passing::Elementwise},
    PassingRow{"Cast", Passing::Elementwise},
    PassingRow{"CastLike", Passing::Elementwise},
    PassingRow{"Ceil", Passing::Elementwise},
    PassingRow{"Clip", Passing::Elementwise},
    PassingRow{"Concat", Passing::Joining},
    PassingRow{"Cos", Passing::Elementwise},
    PassingRow{"Div", Passing::Elementwise},
    PassingRow{"Elu", Passing::Elementwise},
    PassingRow{"Equal", Passing::Elementwise},
    PassingRow{"Erf", Passing::Elementwise},
    PassingRow{"Exp", Passing::Elementwise},
    PassingRow{"Flatten", Passing::Order},
    PassingRow{"Floor", Passing::Elementwise},
    PassingRow{"Gather", Passing::Lookup},
    PassingRow{"GatherND", Passing::Tuples},
    PassingRow{"Gelu", Passing::Elementwise},
    PassingRow{"Gemm", Passing::Product},
    PassingRow{"Greater", Passing::Elementwise},
    PassingRow{"GreaterOrEqual", Passing::Elementwise},
    PassingRow{"HardSigmoid", Passing::Elementwise},
    PassingRow{"Identity", Passing::Elementwise},
    PassingRow{"IsInf", Passing::Elementwise},
    PassingRow{"IsNaN", Passing::Elementwise},
    PassingRow{"LeakyRelu", Passing::Elementwise},
    PassingRow{"Less", Passing::Elementwise},
    PassingRow{"LessOrEqual", Passing::Elementwise},
    PassingRow{"Log", Passing::Elementwise},
    PassingRow{"LogSoftmax", Passing::Rows},
    PassingRow{"MatMul", Passing::Product},
    PassingRow{"Max", Passing::Elementwise},
    PassingRow{"Min", Passing::Elementwise},
    PassingRow{"Mod", Passing::Elementwise},
    PassingRow{"Mul", Passing::Elementwise},
    PassingRow{"Neg", Passing::Elementwise},
    PassingRow{"Not", Passing::Elementwise},
    PassingRow{"Or", Passing::Elementwise},
    PassingRow{"Pow", Passing::Elementwise},
    PassingRow{"Reciprocal", Passing::Elementwise},
    PassingRow{"ReduceL1", Passing::Rows},
    PassingRow{"ReduceL2", Passing::Rows},
    PassingRow{"ReduceMax", Passing::Rows},
    PassingRow{"ReduceMean", Passing::Rows},
    PassingRow{"ReduceMin", Passing::Rows},
    PassingRow{"ReduceProd", Passing::Rows},
    PassingRow{"ReduceSum", Passing::Rows},
    PassingRow{"Relu", Passing::Elementwise},
    PassingRow{"Reshape", Passing::Order},
    PassingRow{"Round", Passing::Elementwise},
    PassingRow{"Sigmoid", Passing::Elementwise},
    PassingRow{"Sign", Passing::Elementwise},
    PassingRow{"Sin", Passing::Elementwise},
    PassingRow{"Slice", Passing::Rows},
    PassingRow{"Softmax", Passing::Rows},
    PassingRow{"Softplus", Passing::Elementwise},
    PassingRow{"Split", Passing::Rows},
    PassingRow{"Sqrt", Passing::Elementwise},
    PassingRow{"Squeeze", Passing::Order},
    PassingRow{"Sub", Passing::Elementwise},
    PassingRow{"Tanh", Passing::Elementwise},
    PassingRow{"Transpose", Passing::Permutation},
    PassingRow{"Unsqueeze", Passing::Order},
    PassingRow{"Where", Passing::Elementwise},
    PassingRow{"Xor", Passing::Elementwise},
};

using Counted = std::optional<CountedAxis>;

class CountedPassage {
public:
    explicit CountedPassage(NodeCall &call) : m_call(call) {}

    Result<std::vector<Counted>> of(const Outputs &outputs)
    {
        const auto row = std::ranges::find(kPassing, std::string_view(m_call.node().op), &PassingRow::name);
        const std::string_view op = m_call.node().op;
        if (m_call.node().domain.empty() && (op == "Shape" || op == "Size")) // they have read the count
            return std::vector<Counted>(outputs.size());
        if (row == kPassing.end() || !m_call.node().domain.empty())
            return refused("the operator may need to know how many");
        std::vector<Counted> counted;
        for (const OutputValue &output : outputs) {
            counted.emplace_back();
            if (output.node.isValid()) {
                SW_TRY(counted.back(), through(row->passing, m_call.shapeOf(output.node)));
            }
        }
        return counted;
    }

private:
    Result<Counted> through(Passing passing, const Shape &result)
    {
        switch (passing) {
        case Passing::Elementwise:
            return elementwise(result);
        case Passing::Order:
            return ordered(result);
        case Passing::Permutation:
            return permuted();
        case Passing::Rows:
            return rows(result);
        case Passing::Lookup:
            return lookup();
        case Passing::Tuples:
            return tuples();
        case Passing::Joining:
            return joined(result);
        case Passing::Product:
            return product(result);
        }
        SW_UNREACHABLE();
    }

    // Operands are aligned at their last axes. Another one may repeat along the axis, or be counted alike.
    Result<Counted> elementwise(const Shape &result)
    {
        Counted found;
        for (std::size_t i = 0; i < m_call.operandCount(); ++i)
            if (const Counted own = countedOf(i)) {
                const Counted aligned = CountedAxis{own->axis + result.rank() - m_call.shape(i).rank(), own->count};
                if (found && *found != *aligned)
                    return refused("its operands are counted in different ways");
                found = aligned;
            }
        for (std::size_t i = 0; i < m_call.operandCount(); ++i)
            if (m_call.has(i) && !countedOf(i) && extentFromEnd(m_call.shape(i), result.rank() - found->axis) != 1)
                return refused("another operand has an extent of its own along that axis");
        return found;
    }

    static std::int64_t extentFromEnd(const Shape &shape, std::size_t place)
    {
        return place > shape.rank() ? 1 : shape[shape.rank() - place];
    }

    // The axis is where the same number of elements stands before it.
    Result<Counted> ordered(const Shape &result)
    {
        SW_TRY(const CountedAxis own, only(0));
        const Shape &shape = m_call.shape(0);
        const auto before = [](const Shape &of, std::size_t axis) {
            std::int64_t product = 1;
            for (std::size_t i = 0; i < axis; ++i)
                product *= of[i];
            return product;
        };
        for (std::size_t axis = 0; axis < result.rank(); ++axis)
            if (result[axis] == shape[own.axis] && before(result, axis) == before(shape, own.axis))
                return Counted(CountedAxis{axis, own.count});
        return refused(format("{} has no such axis", toText(result)));
    }

    Result<Counted> permuted()
    {
        SW_TRY(const CountedAxis own, only(0));
        const std::size_t rank = m_call.shape(0).rank();
        const auto order = m_call.integers("perm");
        if (!order)
            return Counted(CountedAxis{rank - 1 - own.axis, own.count});
        const auto place = std::ranges::find(*order, static_cast<std::int64_t>(own.axis));
        return Counted(CountedAxis{static_cast<std::size_t>(place - order->begin()), own.count});
    }

    // The axes that the operator works along must be others.
    Result<Counted> rows(const Shape &result)
    {
        SW_TRY(const CountedAxis own, only(0));
        const std::size_t rank = m_call.shape(0).rank();
        SW_TRY(const std::vector<std::size_t> along, axesAlong(rank));
        if (std::ranges::find(along, own.axis) != along.end())
            return refused("it works along that axis");
        const auto before = std::ranges::count_if(along, [&](std::size_t axis) { return axis < own.axis; });
        const auto gone = result.rank() == rank ? 0 : before;
        return Counted(CountedAxis{own.axis - static_cast<std::size_t>(gone), own.count});
    }

    Result<std::vector<std::size_t>> axesAlong(std::size_t rank)
    {
        const std::string_view op = m_call.node().op;
        if (op == "Split")
            return m_call.axes({m_call.integer("axis", 0)}, rank);
        if (op == "Softmax" || op == "LogSoftmax") {
            const bool isFlat = m_call.opset() < 13; // of the axis and all behind it
            SW_TRY(std::vector<std::size_t> axes, m_call.axes({m_call.integer("axis", isFlat ? 1 : -1)}, rank));
            for (std::size_t axis = axes[0] + 1; isFlat && axis < rank; ++axis)
                axes.push_back(axis);
            return axes;
        }
        const std::size_t operand = op == "Slice" ? 3 : 1;
        if (m_call.has(operand)) {
            SW_TRY(const std::vector<std::int64_t> given, m_call.constantIntegers(operand, "axes"));
            return m_call.axes(given, rank);
        }
        if (const auto given = m_call.integers("axes"))
            return m_call.axes(*given, rank);
        std::vector<std::size_t> all(rank);
        for (std::size_t axis = 0; axis < rank; ++axis)
            all[axis] = axis;
        return all;
    }

    Result<Counted> lookup()
    {
        SW_TRY(const std::size_t axis, m_call.axis(m_call.integer("axis", 0), m_call.shape(0).rank()));
        const Counted source = countedOf(0);
        const Counted indices = countedOf(1);
        if (source && (indices || source->axis == axis))
            return refused("it takes elements along that axis");
        if (indices)
            return Counted(CountedAxis{axis + indices->axis, indices->count});
        const bool isBehind = source->axis > axis;
        return Counted(CountedAxis{isBehind ? source->axis - 1 + m_call.shape(1).rank() : source->axis, source->count});
    }

    Result<Counted> tuples()
    {
        SW_TRY(const CountedAxis own, only(1));
        if (own.axis + 1 == m_call.shape(1).rank() || m_call.integer("batch_dims", 0) != 0)
            return refused("it takes elements along that axis");
        return Counted(own);
    }

    Result<Counted> joined(const Shape &result)
    {
        Counted found;
        for (std::size_t i = 0; i < m_call.operandCount(); ++i) {
            const Counted own = countedOf(i);
            if (!own || (found && *found != *own))
                return refused("its operands are counted in different ways");
            found = own;
        }
        SW_TRY(const std::size_t axis, m_call.axis(m_call.integer("axis", 0), result.rank()));
        if (found->axis == axis)
            return refused("it joins along that axis");
        return found;
    }

    Result<Counted> product(const Shape &result)
    {
        SW_TRY(const CountedAxis own, only(0));
        const Shape &shape = m_call.shape(0);
        const bool isTransposed = m_call.node().op == "Gemm" && m_call.isOn("transA");
        const bool isRow = !isTransposed && own.axis + 2 == shape.rank();
        if (!isRow || (m_call.has(2) && extentFromEnd(m_call.shape(2), 2) != 1))
            return refused("only rows of its first operand may be counted");
        return Counted(CountedAxis{result.rank() - (m_call.shape(1).rank() == 1 ? 1 : 2), own.count});
    }

    [[nodiscard]] Counted countedOf(std::size_t index) const
    {
        const Value *value = m_call.value(index);
        return value == nullptr ? Counted() : value->counted;
    }

    // The operand's; no other one may be counted.
    Result<CountedAxis> only(std::size_t index)
    {
        for (std::size_t i = 0; i < m_call.operandCount(); ++i)
            if (i != index && countedOf(i))
                return refused("another operand must not be counted");
        return *countedOf(index);
    }

    [[nodiscard]] Diagnostic refused(const std::string &why) const
    {
        for (std::size_t i = 0; i < m_call.operandCount(); ++i)
            if (const Value *value = m_call.value(i); value != nullptr && value->counted)
                return m_call.unsupported("axis {} of '{}' has as many elements as the run finds: {}", value->counted->axis,
                                          displayText(value->name), why);
        return m_call.unsupported("{}", why);
    }

    NodeCall &m_call;
};

} // namespace

bool isAnyCounted(const std::vector<Value *> &operands)
{
    return std::ranges::any_of(operands, [](const Value *operand) { return operand != nullptr && operand->counted; });
}

Result<std::vector<Value *>> withZerosBehindCounts(const NodeTools &tools, const NodePlace &place, std::vector<Value *> operands)
{
    const bool isLookup = place.node.domain.empty() && (place.node.op == "Gather" || place.node.op == "GatherND");
    if (!isLookup || operands.size() < 2 || operands[1] == nullptr || !operands[1]->counted)
        return operands;
    const Value &indices = *operands[1];
    NodeCall call(tools, place, operands);
    std::vector<std::int64_t> extents(indices.shape.rank(), 1);
    extents[indices.counted->axis] = indices.shape[indices.counted->axis];
    SW_TRY(const NodeId numbers, call.builder().iota(call.origin(), Shape{indices.shape[indices.counted->axis]}));
    SW_TRY(const NodeId places, call.reshape(numbers, extents));
    SW_TRY(const NodeId isReal, call.apply(Op::Cmplt, {places, indices.counted->count}));
    SW_TRY(const NodeId masked, call.apply(Op::Where, {isReal, call.input(1), call.scalar(indices.dtype, 0)}));
    Value value = indices;
    value.node = masked;
    operands[1] = tools.bodies->keep(std::move(value));
    return operands;
}

Result<std::vector<std::optional<CountedAxis>>> countedOutputs(NodeCall &call, const Outputs &outputs)
{
    return CountedPassage(call).of(outputs);
}

} // namespace sw::onnx
