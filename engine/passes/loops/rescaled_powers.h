#pragma once
// Sums of exp(x - m) that are carried along with the maximum m: see loops/join.h.

#include "engine/lowered/builder.h"

namespace sw {

class RescaledPowers {
public:
    // dtype: f32 or f64, of the elements and of the sum.
    RescaledPowers(LoweredBuilder &builder, const Origin &origin, DType dtype)
        : m_builder(builder), m_origin(origin), m_dtype(dtype)
    {
    }

    // The sum with the power of one more element, where `largest` is the maximum before it.
    InstructionId withElement(InstructionId sum, InstructionId largest, InstructionId element);
    // The sum of a part whose maximum is `largest`, below that of all parts.
    InstructionId below(InstructionId whole, InstructionId sum, InstructionId largest);
    // The sum of two parts, below the larger of their maxima.
    InstructionId together(InstructionId sum, InstructionId largest, InstructionId otherSum, InstructionId otherLargest);
    // What the sum is where the maximum is infinite: exp(inf - inf) is NaN, and exp(inf - 0) is inf.
    InstructionId finished(InstructionId sum, InstructionId largest, bool isFromFinite);

private:
    InstructionId alu(Op op, std::initializer_list<InstructionId> operands);
    InstructionId number(double value, InstructionId like);
    // What -inf is from -inf is not asked for: no element lies below the lowest number but -inf, whose power is 0.
    InstructionId atLeastLowest(InstructionId largest);
    InstructionId powerOfDistance(InstructionId distance);

    LoweredBuilder &m_builder;
    Origin m_origin;
    DType m_dtype;
};

} // namespace sw
