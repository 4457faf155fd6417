#include "engine/loops/join_rules.h"

#include "engine/loops/queries.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw {

namespace {

class JoinMatcher {
public:
    JoinMatcher(const LoopNest &nest, ReductionId leader, ReductionId follower)
        : m_nest(nest), m_leader(nest.reductions[leader.value]), m_follower(nest.reductions[follower.value]), m_leaderId(leader)
    {
    }

    [[nodiscard]] std::optional<JoinMatch> match() const
    {
        const std::vector<ValueId> values = valuesUnder(m_nest, m_follower.body, ThroughReductions::No);
        if (std::ranges::none_of(values, [&](ValueId id) { return isResult(id); }))
            return JoinMatch{{m_leaderId, JoinRule::Beside}, m_follower.body};
        if (const std::optional<ValueId> place = placeOf())
            return JoinMatch{{m_leaderId, JoinRule::Place}, *place};
        if (areDistances())
            return JoinMatch{{m_leaderId, JoinRule::Distances}, m_leader.body};
        if (const std::optional<ValueId> base = baseOfPowers()) {
            const Joined joined{.leader = m_leaderId, .rule = JoinRule::Rescaled, .isFromFinite = !isResult(*base)};
            return JoinMatch{joined, m_leader.body};
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] const Value &at(ValueId id) const { return m_nest.values[id.value]; }

    [[nodiscard]] bool isAlu(ValueId id, Op op) const { return at(id).kind == ValueKind::Alu && at(id).op == op; }

    [[nodiscard]] bool isResult(ValueId id) const
    {
        return at(id).kind == ValueKind::Reduction && at(id).reduction == m_leaderId;
    }

    // The operation has these two operands, in any order.
    template <class IsA, class IsB>
    [[nodiscard]] bool hasOperands(ValueId id, const IsA &isA, const IsB &isB) const
    {
        const std::vector<ValueId> &operands = at(id).operands;
        return (isA(operands[0]) && isB(operands[1])) || (isA(operands[1]) && isB(operands[0]));
    }

    // min of where(x == m or x != x, place, none), with a place that counts the steps; none is no smaller than any place.
    [[nodiscard]] std::optional<ValueId> placeOf() const
    {
        const bool isExtreme = m_leader.op == Op::Max || m_leader.op == Op::Min;
        if (!isExtreme || m_follower.op != Op::Min || !isAlu(m_follower.body, Op::Where))
            return std::nullopt;
        const std::vector<ValueId> &where = at(m_follower.body).operands;
        const auto isX = [&](ValueId id) { return id == m_leader.body; };
        const auto isEqual = [&](ValueId id) {
            return isAlu(id, Op::Cmpeq) && hasOperands(id, isX, [&](ValueId one) { return isResult(one); });
        };
        const auto isNan = [&](ValueId id) { return isAlu(id, Op::Cmpne) && hasOperands(id, isX, isX); };
        const bool isFound =
            isFloat(m_leader.dtype) ? isAlu(where[0], Op::Or) && hasOperands(where[0], isEqual, isNan) : isEqual(where[0]);
        const ValueId counted = at(where[1]).kind == ValueKind::Cast ? at(where[1]).operands.front() : where[1];
        if (!isFound || at(counted).kind != ValueKind::IndexValue || at(where[2]).kind != ValueKind::Constant)
            return std::nullopt;
        const std::int64_t last = m_nest.arena.at(at(counted).index).high;
        return at(where[2]).constant.asDouble() >= static_cast<double>(last) ? std::optional(where[1]) : std::nullopt;
    }

    // The sum of (x - s / n)^2, with the sum s of n elements.
    [[nodiscard]] bool areDistances() const
    {
        const ValueId square = m_follower.body;
        if (m_leader.op != Op::Add || m_follower.op != Op::Add || !isFloat(m_leader.dtype) ||
            m_leader.dtype != m_follower.dtype || at(m_leader.body).dtype != m_leader.dtype || !isAlu(square, Op::Mul) ||
            at(square).operands[0] != at(square).operands[1])
            return false;
        const ValueId distance = at(square).operands[0];
        if (!isAlu(distance, Op::Sub) || at(distance).operands[0] != m_leader.body)
            return false;
        const ValueId mean = at(distance).operands[1];
        const auto isSum = [&](ValueId id) { return isResult(id); };
        const auto isNumber = [&](ValueId id) { return at(id).kind == ValueKind::Constant; };
        const bool isProduct = isAlu(mean, Op::Mul) && hasOperands(mean, isSum, isNumber);
        const bool isQuotient = isAlu(mean, Op::Fdiv) && isSum(at(mean).operands[0]) && isNumber(at(mean).operands[1]);
        if (!isProduct && !isQuotient)
            return false;
        const ValueId factor = isNumber(at(mean).operands[1]) ? at(mean).operands[1] : at(mean).operands[0];
        double elements = 1;
        for (const AxisId axis : m_leader.axes)
            elements *= static_cast<double>(m_nest.axes[axis.value].extent);
        const double number = at(factor).constant.asDouble();
        return std::abs((isProduct ? number * elements : number / elements) - 1) < 1e-6;
    }

    // Of the sum of exp(x - base): the maximum, or 0 in place of an infinite one.
    [[nodiscard]] std::optional<ValueId> baseOfPowers() const
    {
        if (m_leader.op != Op::Max || m_follower.op != Op::Add ||
            (m_leader.dtype != DType::F32 && m_leader.dtype != DType::F64) || m_leader.dtype != m_follower.dtype ||
            at(m_leader.body).dtype != m_leader.dtype || !isAlu(m_follower.body, Op::Exp))
            return std::nullopt;
        const ValueId distance = at(m_follower.body).operands[0];
        if (!isAlu(distance, Op::Sub) || at(distance).operands[0] != m_leader.body)
            return std::nullopt;
        const ValueId base = at(distance).operands[1];
        return isResult(base) || isFiniteResult(base) ? std::optional(base) : std::nullopt;
    }

    // where(|m| == inf, 0, m)
    [[nodiscard]] bool isFiniteResult(ValueId id) const
    {
        if (!isAlu(id, Op::Where) || !isNumber(at(id).operands[1], 0) || !isResult(at(id).operands[2]))
            return false;
        const ValueId isInfinite = at(id).operands[0];
        const auto isMagnitude = [&](ValueId one) { return isAlu(one, Op::Abs) && isResult(at(one).operands[0]); };
        const auto isInfinity = [&](ValueId one) { return isNumber(one, std::numeric_limits<double>::infinity()); };
        return isAlu(isInfinite, Op::Cmpeq) && hasOperands(isInfinite, isMagnitude, isInfinity);
    }

    [[nodiscard]] bool isNumber(ValueId id, double number) const
    {
        return at(id).kind == ValueKind::Constant && at(id).constant.asDouble() == number;
    }

    const LoopNest &m_nest;
    const Reduction &m_leader;
    const Reduction &m_follower;
    ReductionId m_leaderId;
};

} // namespace

std::optional<JoinMatch> joinMatchOf(const LoopNest &nest, ReductionId leader, ReductionId follower)
{
    return JoinMatcher(nest, leader, follower).match();
}

} // namespace sw
