#include "engine/lowered/known_values.h"

#include "engine/lowered/same_value.h"

#include <algorithm>

namespace sw {

std::optional<std::uint64_t> KnownValues::hashOf(const Instruction &instruction, std::span<const Instruction> kernel)
{
    if (valueBasisOf(instruction.kind) != ValueBasis::Operands || !instruction.name.empty())
        return std::nullopt;
    WordHasher hasher;
    addOperation(hasher, instruction);
    for (const InstructionId operand : instruction.operands) {
        if (kernel[operand.value].kind == InstructionKind::Acc) // assignments change it
            return std::nullopt;
        hasher.add(std::uint64_t{operand.value});
    }
    return hasher.value();
}

InstructionId KnownValues::find(std::uint64_t hash, const Instruction &wanted, std::span<const Instruction> kernel) const
{
    const auto [first, last] = m_byHash.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const Instruction &known = kernel[it->second.value];
        if (known.operands == wanted.operands && isSameOperation(known, wanted))
            return it->second;
    }
    return {};
}

void KnownValues::add(std::uint64_t hash, InstructionId id)
{
    m_byHash.emplace(hash, id);
    m_added.emplace_back(hash, id);
}

void KnownValues::closeScope()
{
    while (m_added.size() > m_scopes.back()) {
        const auto [hash, id] = m_added.back();
        const auto [first, last] = m_byHash.equal_range(hash);
        m_byHash.erase(std::find_if(first, last, [&](const auto &one) { return one.second == id; }));
        m_added.pop_back();
    }
    m_scopes.pop_back();
}

} // namespace sw
