#pragma once
// The rules of the simplifier, and what they see. Each rule looks at one instruction of the kernel being written, whose operands
// are already simplified, and makes its replacement.

#include "engine/lowered/builder.h"
#include "engine/passes/lowered/value_bounds.h"

#include <optional>
#include <span>
#include <string_view>

namespace sw {

class Simplifier {
public:
    Simplifier(LoweredBuilder &builder, ValueBounds &bounds) : m_builder(builder), m_bounds(bounds) {}

    [[nodiscard]] const Instruction &at(InstructionId id) const { return m_builder.at(id); }
    [[nodiscard]] const Instruction &operand(const Instruction &instruction, std::size_t position) const
    {
        return at(instruction.operands[position]);
    }
    [[nodiscard]] ValueBounds &bounds() { return m_bounds; }

    // An accumulator changes, so it must not replace a value, nor be read later than it was.
    [[nodiscard]] bool isStable(InstructionId id) const { return at(id).kind != InstructionKind::Acc; }
    [[nodiscard]] std::optional<InstructionId> stable(InstructionId id) const
    {
        return isStable(id) ? std::optional(id) : std::nullopt;
    }
    [[nodiscard]] bool hasStableOperands(const Instruction &instruction) const;

    InstructionId constant(const Instruction &like, const Scalar &value);
    InstructionId integer(const Instruction &like, std::int64_t value);
    // The new instruction is simplified too, down to a few levels, so the result may be a value that was there before.
    InstructionId alu(const Instruction &like, Op op, InstructionId a, InstructionId b);
    [[nodiscard]] LoweredBuilder &builder() { return m_builder; }

private:
    LoweredBuilder &m_builder;
    ValueBounds &m_bounds;
    int m_depth = 0;
};

struct SimplificationRule {
    std::string_view id;
    std::string_view doc;
    // Nothing: the rule does not apply. Instruction references are valid until something is made.
    std::optional<InstructionId> (*apply)(Simplifier &simplifier, const Instruction &instruction);
};

[[nodiscard]] std::span<const SimplificationRule> constantRules(); // folding, identities, choices
[[nodiscard]] std::span<const SimplificationRule> integerRules();  // sums, products, division, comparisons

} // namespace sw
