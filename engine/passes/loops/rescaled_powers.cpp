#include "engine/passes/loops/rescaled_powers.h"

#include <limits>
#include <vector>

namespace sw {

InstructionId RescaledPowers::alu(Op op, std::initializer_list<InstructionId> operands)
{
    return m_builder.alu(m_origin, op, std::vector<InstructionId>(operands));
}

InstructionId RescaledPowers::number(double value, InstructionId like)
{
    return m_builder.constant(m_origin, Scalar::of(m_dtype, value), m_builder.at(like).lanes);
}

InstructionId RescaledPowers::atLeastLowest(InstructionId largest)
{
    const double lowest = m_dtype == DType::F64 ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
    return alu(Op::Max, {largest, number(lowest, largest)});
}

// exp(-|d|): the power of what lies below, or the factor of what is below that.
InstructionId RescaledPowers::powerOfDistance(InstructionId distance)
{
    return alu(Op::Exp, {alu(Op::Neg, {alu(Op::Abs, {distance})})});
}

InstructionId RescaledPowers::withElement(InstructionId sum, InstructionId largest, InstructionId element)
{
    const InstructionId before = atLeastLowest(largest);
    const InstructionId power = powerOfDistance(alu(Op::Sub, {element, before}));
    const InstructionId rescaled = alu(Op::Add, {alu(Op::Mul, {sum, power}), number(1, sum)});
    return alu(Op::Where, {alu(Op::Cmplt, {before, element}), rescaled, alu(Op::Add, {sum, power})});
}

InstructionId RescaledPowers::below(InstructionId whole, InstructionId sum, InstructionId largest)
{
    const InstructionId distance = alu(Op::Sub, {atLeastLowest(largest), atLeastLowest(whole)});
    return alu(Op::Mul, {sum, alu(Op::Exp, {distance})});
}

InstructionId RescaledPowers::together(InstructionId sum, InstructionId largest, InstructionId otherSum,
                                       InstructionId otherLargest)
{
    const InstructionId own = atLeastLowest(largest);
    const InstructionId other = atLeastLowest(otherLargest);
    const InstructionId power = powerOfDistance(alu(Op::Sub, {other, own}));
    const InstructionId otherIsLarger = alu(Op::Add, {alu(Op::Mul, {sum, power}), otherSum});
    const InstructionId ownIsLarger = alu(Op::Add, {sum, alu(Op::Mul, {otherSum, power})});
    return alu(Op::Where, {alu(Op::Cmplt, {own, other}), otherIsLarger, ownIsLarger});
}

InstructionId RescaledPowers::finished(InstructionId sum, InstructionId largest, bool isFromFinite)
{
    if (!isFromFinite)
        return alu(Op::Add, {sum, alu(Op::Sub, {largest, largest})});
    const InstructionId infinity = number(std::numeric_limits<double>::infinity(), largest);
    return alu(Op::Where, {alu(Op::Cmpeq, {largest, infinity}), infinity, sum});
}

} // namespace sw
