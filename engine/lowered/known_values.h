#pragma once
// Finds what a kernel has computed already, while it is written.

#include "engine/lowered/lowered.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

// A scope that is closed takes along what was added in it.
class KnownValues {
public:
    void openScope() { m_scopes.push_back(m_added.size()); }
    void closeScope();

    // Nothing: the value may be another one each time. kernel: the instructions that its operands are among.
    [[nodiscard]] static std::optional<std::uint64_t> hashOf(const Instruction &instruction, std::span<const Instruction> kernel);
    // The instruction with the same value; invalid: there is none.
    [[nodiscard]] InstructionId find(std::uint64_t hash, const Instruction &wanted, std::span<const Instruction> kernel) const;
    void add(std::uint64_t hash, InstructionId id);

private:
    std::unordered_multimap<std::uint64_t, InstructionId> m_byHash;
    std::vector<std::pair<std::uint64_t, InstructionId>> m_added; // in their order
    std::vector<std::size_t> m_scopes;                            // how many there were before each open one
};

} // namespace sw
