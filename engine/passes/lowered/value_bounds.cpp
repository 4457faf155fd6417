#include "engine/passes/lowered/value_bounds.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Far from the ends of i64, so that sums and small products of bounds do not wrap.
constexpr std::int64_t kLimit = std::int64_t{1} << 61;

std::optional<Bounds> checked(std::int64_t low, std::int64_t high)
{
    if (low < -kLimit || high > kLimit)
        return std::nullopt;
    return Bounds{low, high};
}

std::optional<Bounds> productOf(const Bounds &a, const Bounds &b)
{
    std::array<std::int64_t, 4> corners{};
    std::size_t count = 0;
    for (const std::int64_t x : {a.low, a.high})
        for (const std::int64_t y : {b.low, b.high})
            if (__builtin_mul_overflow(x, y, &corners.at(count++)))
                return std::nullopt;
    const auto [low, high] = std::ranges::minmax(corners);
    return checked(low, high);
}

} // namespace

std::optional<std::int64_t> integerConstant(const Instruction &instruction)
{
    if (instruction.kind != InstructionKind::Const || !isInteger(instruction.dtype))
        return std::nullopt;
    return instruction.constants.front().asInt();
}

std::optional<Bounds> ValueBounds::of(InstructionId id)
{
    while (m_known.size() <= id.value)
        m_known.push_back(find(m_kernel.instruction(InstructionId(m_known.size()))));
    return m_known[id.value];
}

bool ValueBounds::isWithin(InstructionId id, std::int64_t low, std::int64_t high)
{
    const auto bounds = of(id);
    return bounds && bounds->low >= low && bounds->high <= high;
}

std::optional<Bounds> ValueBounds::find(const Instruction &instruction)
{
    if (instruction.dtype != DType::I64)
        return std::nullopt;
    if (const auto constant = integerConstant(instruction))
        return checked(*constant, *constant);
    switch (instruction.kind) {
    case InstructionKind::Special:
        return ofSpecial(instruction.special);
    case InstructionKind::Range:
    case InstructionKind::Unroll: {
        const auto extent = of(instruction.operands[0]);
        return extent ? checked(0, std::max<std::int64_t>(extent->high - 1, 0)) : std::nullopt;
    }
    case InstructionKind::DefineVar:
        return checked(instruction.low, instruction.high);
    case InstructionKind::Alu:
        return ofAlu(instruction);
    case InstructionKind::Shuffle:
    case InstructionKind::Vectorize: {
        std::optional<Bounds> out = of(instruction.operands[0]);
        for (const InstructionId operand : instruction.operands) {
            const auto bounds = of(operand);
            out = out && bounds ? std::optional(Bounds{std::min(out->low, bounds->low), std::max(out->high, bounds->high)})
                                : std::nullopt;
        }
        return out;
    }
    case InstructionKind::Gep:
        return of(instruction.operands[0]);
    case InstructionKind::DefineGlobal:
    case InstructionKind::Buffer:
    case InstructionKind::Local:
    case InstructionKind::Acc:
    case InstructionKind::Const:
    case InstructionKind::Vconst:
    case InstructionKind::EndRange:
    case InstructionKind::If:
    case InstructionKind::EndIf:
    case InstructionKind::Block:
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier:
    case InstructionKind::Ptrcat:
    case InstructionKind::Wmma:
    case InstructionKind::Custom:
    case InstructionKind::Load:
    case InstructionKind::MaskedLoad:
    case InstructionKind::Store:
    case InstructionKind::Prefetch:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Assign:
    case InstructionKind::IndexCheck:
    case InstructionKind::Noop:
        return std::nullopt;
    }
    SW_UNREACHABLE();
}

std::optional<Bounds> ValueBounds::ofAlu(const Instruction &alu)
{
    if (alu.op == Op::Where) {
        const auto a = of(alu.operands[1]);
        const auto b = of(alu.operands[2]);
        return a && b ? checked(std::min(a->low, b->low), std::max(a->high, b->high)) : std::nullopt;
    }
    if (alu.operands.size() != 2)
        return std::nullopt;
    const auto a = of(alu.operands[0]);
    const auto b = of(alu.operands[1]);
    if (!a || !b)
        return std::nullopt;
    if (alu.op == Op::Add)
        return checked(a->low + b->low, a->high + b->high);
    if (alu.op == Op::Sub)
        return checked(a->low - b->high, a->high - b->low);
    if (alu.op == Op::Mul)
        return productOf(*a, *b);
    if (alu.op == Op::Max)
        return Bounds{std::max(a->low, b->low), std::max(a->high, b->high)};
    if (alu.op == Op::Min)
        return Bounds{std::min(a->low, b->low), std::min(a->high, b->high)};
    // The remaining rules need operands that are not negative and a constant second operand.
    if (a->low < 0 || b->low != b->high || b->low < 0)
        return std::nullopt;
    if ((alu.op == Op::Idiv || alu.op == Op::Div || alu.op == Op::FloorDiv) && b->low > 0)
        return Bounds{a->low / b->low, a->high / b->low};
    if ((alu.op == Op::Mod || alu.op == Op::FloorMod) && b->low > 0)
        return Bounds{0, std::min(a->high, b->low - 1)};
    if (alu.op == Op::And)
        return Bounds{0, std::min(a->high, b->low)};
    if (alu.op == Op::Shr && b->low < 63)
        return Bounds{a->low >> b->low, a->high >> b->low};
    return std::nullopt;
}

Bounds ValueBounds::ofSpecial(SpecialIndex index) const
{
    const auto position = static_cast<std::size_t>(index);
    const std::size_t dimension = position % 3;
    const std::int64_t global = m_kernel.globalSize[dimension];
    const std::int64_t local = m_kernel.localSize[dimension];
    const std::array<std::int64_t, 3> counts{global, local, global / local};
    return {0, std::max<std::int64_t>(counts[position / 3] - 1, 0)};
}

} // namespace sw
