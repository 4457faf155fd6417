#include "engine/passes/lowered/divisors.h"

#include "engine/passes/lowered/value_bounds.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMost = 4096;

// Integers wrap modulo a power of two, which changes nothing here.
std::int64_t powerOfTwoIn(std::int64_t value)
{
    const std::int64_t lowest = value & -value;
    return lowest <= 0 ? kMost : std::min(lowest, kMost);
}

} // namespace

Divisors::Divisors(const LoweredKernel &kernel)
{
    m_known.reserve(kernel.instructions.size());
    for (const Instruction &instruction : kernel.instructions)
        m_known.push_back(find(kernel, instruction));
}

std::int64_t Divisors::find(const LoweredKernel &kernel, const Instruction &instruction) const
{
    if (instruction.dtype != DType::I64)
        return 1;
    if (const auto constant = integerConstant(instruction))
        return powerOfTwoIn(*constant);
    if (instruction.kind == InstructionKind::Alu)
        return ofAlu(kernel, instruction);
    if (instruction.kind == InstructionKind::Gep)
        return m_known[instruction.operands[0].value];
    if (instruction.kind != InstructionKind::Vectorize && instruction.kind != InstructionKind::Shuffle)
        return 1;
    std::int64_t least = kMost;
    for (const InstructionId operand : instruction.operands)
        least = std::min(least, m_known[operand.value]);
    return least;
}

std::int64_t Divisors::ofAlu(const LoweredKernel &kernel, const Instruction &alu) const
{
    const auto of = [&](std::size_t position) { return m_known[alu.operands[position].value]; };
    if (alu.op == Op::Add || alu.op == Op::Sub || alu.op == Op::Max || alu.op == Op::Min || alu.op == Op::Or || alu.op == Op::Xor)
        return std::min(of(0), of(1));
    if (alu.op == Op::Mod || alu.op == Op::FloorMod)
        return std::min(of(0), of(1));
    if (alu.op == Op::Mul)
        return std::min(of(0) * of(1), kMost);
    if (alu.op == Op::And)
        return std::max(of(0), of(1));
    if (alu.op == Op::Where)
        return std::min(of(1), of(2));
    if (alu.op != Op::Shl)
        return 1;
    const auto shift = integerConstant(kernel.instruction(alu.operands[1]));
    return shift && *shift >= 0 && *shift <= 12 ? std::min(of(0) << *shift, kMost) : 1;
}

} // namespace sw
