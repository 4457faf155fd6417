#include "engine/onnx/control_scan.h"

#include "engine/graph/scan.h"

#include <algorithm>
#include <utility>

namespace sw::onnx {

namespace {

using Values = std::vector<Value *>;

// The order of all axes that has `axis` in front, or the one that takes it back there.
std::vector<std::size_t> frontOrder(std::size_t rank, std::size_t axis)
{
    std::vector<std::size_t> order{axis};
    for (std::size_t i = 0; i < rank; ++i)
        if (i != axis)
            order.push_back(i);
    return order;
}

std::vector<std::size_t> inverseOf(const std::vector<std::size_t> &order)
{
    std::vector<std::size_t> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        inverse[order[i]] = i;
    return inverse;
}

class ScanMaker {
public:
    // mayEnd: it ends when its condition no longer holds. Only who has made the body knows whether it has one.
    ScanMaker(NodeCall &call, const BodyScan &scan, bool mayEnd)
        : m_call(call),
          m_scan(scan),
          m_attributes{.scan = unusedScanNumber(call.builder()), .steps = scan.steps},
          m_mayEnd(mayEnd)
    {
        if (mayEnd)
            m_attributes.condition = static_cast<std::int64_t>(scan.states.size()) + (hasCounter() ? 1 : 0);
    }

    // Nothing: a node of the body failed, and was reported; or it may end, which was not expected.
    Result<std::optional<Values>> make()
    {
        SW_TRY(Values inputs, bodyInputs());
        SW_TRY(const std::optional<Values> made, m_call.bodies().call(m_scan.body, inputs, "step"));
        if (!made)
            return std::optional<Values>();
        const std::size_t first = m_scan.isLoop ? 1 : 0;
        if (!m_mayEnd && hasCondition(*made)) {
            m_isUnexpected = true;
            return std::optional<Values>();
        }
        if (m_mayEnd)
            SW_CHECK(beginCondition());
        for (std::size_t i = 0; i < m_scan.states.size(); ++i) {
            SW_TRY(const NodeId next, nextState(*(*made)[first + i], i));
            m_nexts.push_back(next);
        }
        if (m_counter.isValid())
            SW_CHECK(countOn());
        if (m_mayEnd)
            SW_CHECK(addCondition(*made->front()));
        Values results;
        for (std::size_t i = 0; i < m_scan.states.size(); ++i) {
            ScanAttributes attributes = m_attributes;
            attributes.index = static_cast<std::int64_t>(i);
            SW_TRY(const NodeId last, m_call.builder().scanLast(m_call.origin(), m_nexts, attributes));
            results.push_back(kept(last, m_scan.states[i]->narrow));
        }
        for (std::size_t i = 0; i < m_scan.rows.size(); ++i) {
            SW_TRY(Value *const rows, collected(*(*made)[first + m_scan.states.size() + i], m_scan.rows[i]));
            results.push_back(rows);
        }
        return std::optional(std::move(results));
    }
    [[nodiscard]] bool isUnexpected() const { return m_isUnexpected; }

private:
    // The number of the step is carried where it is not read from a sequence.
    [[nodiscard]] bool hasCounter() const
    {
        return m_scan.isLoop && (m_scan.steps > kMostNumberedSteps || m_scan.tripCount != nullptr);
    }

    Result<Values> bodyInputs()
    {
        Values inputs;
        for (Value *state : m_scan.states) {
            if (state->sequence)
                return m_call.unsupported("what a step hands on is a sequence");
            SW_CHECK(checkNotCounted(m_call, *state, "what the first step begins with"));
            SW_TRY(const NodeId carry, carried(materialize(m_call.builder(), *state)));
            inputs.push_back(kept(carry, state->narrow));
        }
        for (std::size_t i = 0; i < m_scan.sequences.size(); ++i) {
            Value &whole = *m_scan.sequences[i];
            if (whole.sequence)
                return m_call.unsupported("what it reads step by step is a sequence");
            SW_TRY(const NodeId slice, sliced(materialize(m_call.builder(), whole), m_scan.read[i]));
            inputs.push_back(kept(slice, whole.narrow));
        }
        if (!m_scan.isLoop)
            return inputs;
        SW_TRY(const NodeId number, stepNumber());
        Value condition{.dtype = DType::Bool, .origin = m_call.origin()};
        condition.constant = std::make_shared<const HostTensor>(HostTensor::ofScalar(Scalar::ofBool(true)));
        inputs.insert(inputs.begin(), {kept(number, Narrow::None), m_call.bodies().keep(std::move(condition))});
        return inputs;
    }

    Result<NodeId> stepNumber()
    {
        if (!hasCounter()) {
            SW_TRY(const NodeId numbers, m_call.builder().iota(m_call.origin(), Shape{m_scan.steps}));
            return sliced(numbers, {});
        }
        SW_TRY(const NodeId first, integer(0));
        SW_TRY(m_counter, carried(first));
        return m_counter;
    }

    Result<NodeId> integer(std::int64_t value)
    {
        return m_call.builder().full(m_call.origin(), Scalar::of(DType::I64, value), Shape());
    }

    // The number of the step after this one.
    Result<NodeId> nextNumber()
    {
        if (!m_nextNumber.isValid()) {
            SW_TRY(const NodeId one, integer(1));
            SW_TRY(m_nextNumber, m_call.apply(Op::Add, {m_counter, one}));
        }
        return m_nextNumber;
    }

    Result<Done> countOn()
    {
        SW_TRY(NodeId next, nextNumber());
        if (m_isActive.isValid()) {
            SW_TRY(next, m_call.apply(Op::Where, {m_isActive, next, m_counter}));
        }
        m_nexts.push_back(next);
        return Done{};
    }

    Result<NodeId> carried(NodeId initial)
    {
        ScanAttributes attributes = m_attributes;
        attributes.index = static_cast<std::int64_t>(m_carries.size());
        SW_TRY(const NodeId carry, m_call.builder().scanCarry(m_call.origin(), initial, attributes));
        m_carries.push_back(carry);
        return carry;
    }

    Result<NodeId> sliced(NodeId whole, ScannedAxis along)
    {
        const auto axis = static_cast<std::size_t>(along.axis);
        if (axis != 0) {
            SW_TRY(whole, m_call.permute(whole, frontOrder(m_call.rankOf(whole), axis)));
        }
        ScanAttributes attributes = m_attributes;
        attributes.isReversed = along.isBackward;
        return m_call.builder().scanSlice(m_call.origin(), whole, attributes);
    }

    // Whether the loop may end before its last step.
    [[nodiscard]] bool hasCondition(const Values &made) const
    {
        if (!m_scan.isLoop)
            return false;
        const auto isSurelyTrue = [](const Value *value) {
            return value == nullptr || (value->constant && value->constant->elements() == 1 && value->constant->at(0).asBool());
        };
        return m_scan.tripCount != nullptr || !isSurelyTrue(m_scan.condition) || !isSurelyTrue(made.front());
    }

    // Adds the carried value that tells whether it has not ended.
    Result<Done> beginCondition()
    {
        NodeId initial = m_call.scalar(DType::Bool, 1);
        if (m_scan.condition != nullptr) {
            SW_TRY(initial, condition(*m_scan.condition));
        }
        if (m_scan.tripCount != nullptr) {
            SW_TRY(const NodeId first, integer(0));
            SW_TRY(initial, alsoBelowTripCount(initial, first));
        }
        SW_TRY(m_isActive, carried(initial));
        if (!m_scan.rows.empty()) {
            SW_TRY(const NodeId none, integer(0));
            SW_TRY(m_stepsMade, carried(none));
        }
        return Done{};
    }

    Result<NodeId> alsoBelowTripCount(NodeId condition, NodeId number)
    {
        Value &count = *m_scan.tripCount;
        if (count.sequence || count.shape.elements() != 1 || !isInteger(count.dtype))
            return m_call.error(Code::ShapeMismatch, "the trip count is {}, expected one integer",
                                count.sequence ? std::string("a sequence") : typeText(count.dtype, count.shape));
        SW_TRY(const NodeId flat, m_call.reshape(materialize(m_call.builder(), count), {}));
        SW_TRY(const NodeId most, m_call.cast(flat, DType::I64));
        SW_TRY(const NodeId isBelow, m_call.apply(Op::Cmplt, {number, most}));
        return m_call.apply(Op::And, {condition, isBelow});
    }

    Result<NodeId> condition(Value &value)
    {
        if (value.sequence || value.shape.elements() != 1 || value.dtype != DType::Bool)
            return m_call.error(Code::ShapeMismatch, "the condition is {}, expected one bool",
                                value.sequence ? std::string("a sequence") : typeText(value.dtype, value.shape));
        return m_call.reshape(materialize(m_call.builder(), value), {});
    }

    Result<Done> addCondition(Value &next)
    {
        SW_TRY(const NodeId goesOn, condition(next));
        SW_TRY(NodeId both, m_call.apply(Op::And, {m_isActive, goesOn}));
        if (m_scan.tripCount != nullptr) {
            SW_TRY(const NodeId number, nextNumber());
            SW_TRY(both, alsoBelowTripCount(both, number));
        }
        m_nexts.push_back(both);
        if (!m_stepsMade.isValid())
            return Done{};
        SW_TRY(const NodeId one, m_call.cast(m_isActive, DType::I64));
        SW_TRY(const NodeId made, m_call.apply(Op::Add, {m_stepsMade, one}));
        m_nexts.push_back(made);
        return Done{};
    }

    // How many steps were made before the loop ended, along the axis of what they gave. Nothing: all of them.
    Result<std::optional<CountedAxis>> countedAlong(std::size_t axis)
    {
        if (!m_stepsMade.isValid())
            return std::optional<CountedAxis>();
        if (!m_count.isValid()) {
            ScanAttributes attributes = m_attributes;
            attributes.index = static_cast<std::int64_t>(m_nexts.size() - 1);
            SW_TRY(m_count, m_call.builder().scanLast(m_call.origin(), m_nexts, attributes));
        }
        return std::optional(CountedAxis{axis, m_count});
    }

    Result<NodeId> nextState(Value &next, std::size_t index)
    {
        const Value &state = *m_scan.states[index];
        SW_CHECK(checkNotCounted(m_call, next, "what a step hands on"));
        if (next.sequence || next.dtype != state.dtype || next.shape != state.shape || next.narrow != state.narrow)
            return m_call.unsupported(
                "what a step hands on is {} first, and then {}; in a loop of more than {} steps it has one type",
                typeText(state.dtype, state.shape), next.sequence ? std::string("a sequence") : typeText(next.dtype, next.shape),
                kMostWrittenSteps);
        const NodeId node = materialize(m_call.builder(), next);
        return m_isActive.isValid() ? m_call.apply(Op::Where, {m_isActive, node, m_carries[index]}) : Result<NodeId>(node);
    }

    Result<Value *> collected(Value &row, ScannedAxis along)
    {
        if (row.sequence)
            return m_call.unsupported("what a step gives is a sequence");
        SW_CHECK(checkNotCounted(m_call, row, "what a step gives"));
        SW_TRY(const std::size_t axis, m_call.axis(along.axis, row.shape.rank() + 1));
        ScanAttributes attributes = m_attributes;
        attributes.isReversed = along.isBackward;
        SW_TRY(NodeId rows, m_call.builder().scanRows(m_call.origin(), m_nexts, materialize(m_call.builder(), row), attributes));
        if (axis != 0) {
            SW_TRY(rows, m_call.permute(rows, inverseOf(frontOrder(m_call.rankOf(rows), axis))));
        }
        Value *value = kept(rows, row.narrow);
        SW_TRY(value->counted, countedAlong(axis));
        return value;
    }

    Value *kept(NodeId node, Narrow narrow)
    {
        return m_call.bodies().keep(valueOf(m_call.builder(), OutputValue(node, narrow), m_call.origin(), {}));
    }

    NodeCall &m_call;
    const BodyScan &m_scan;
    ScanAttributes m_attributes;
    bool m_mayEnd = false;
    bool m_isUnexpected = false;
    std::vector<NodeId> m_carries;
    std::vector<NodeId> m_nexts;
    NodeId m_counter; // the number of the step, where it is carried
    NodeId m_nextNumber;
    NodeId m_isActive;  // whether the loop has not ended yet; invalid: it makes all its steps
    NodeId m_stepsMade; // before this one, where rows are collected and the loop may end
    NodeId m_count;     // the same after the last step
};

} // namespace

Result<ScanAttempt> asScan(NodeCall &call, const BodyScan &scan)
{
    const Bodies::Mark before = call.bodies().mark();
    ScanMaker maker(call, scan, scan.tripCount != nullptr || scan.steps > kMostNumberedSteps);
    Result<std::optional<Values>> made = maker.make();
    if (maker.isUnexpected()) {
        call.bodies().takeBackTo(before);
        made = ScanMaker(call, scan, true).make();
    }
    if (made && *made)
        return ScanAttempt{.results = std::move(**made), .isMade = true};
    const bool mustBeMade = scan.steps > kMostSteps && scan.steps < kUnboundedSteps;
    if (mustBeMade && !made)
        return Failure(made.error());
    if (mustBeMade)
        return ScanAttempt{.isReported = true};
    call.bodies().takeBackTo(before);
    return ScanAttempt{};
}

} // namespace sw::onnx
