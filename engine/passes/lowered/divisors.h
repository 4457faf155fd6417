#pragma once
// The largest power of two that is known to divide an integer value of a kernel, wherever it is computed.

#include "engine/lowered/lowered.h"

#include <cstdint>
#include <vector>

namespace sw {

class Divisors {
public:
    explicit Divisors(const LoweredKernel &kernel);

    // number: a power of two, at most 4096.
    [[nodiscard]] bool isMultipleOf(InstructionId id, std::int64_t number) const { return m_known[id.value] % number == 0; }

private:
    [[nodiscard]] std::int64_t find(const LoweredKernel &kernel, const Instruction &instruction) const;
    [[nodiscard]] std::int64_t ofAlu(const LoweredKernel &kernel, const Instruction &alu) const;

    std::vector<std::int64_t> m_known; // by instruction
};

} // namespace sw
