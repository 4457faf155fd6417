#pragma once
// What is known about integer values of a kernel: the smallest and largest value they can have, from constants, loop extents and
// work item counts. Known only where the arithmetic cannot wrap.

#include "engine/lowered/lowered.h"

#include <optional>
#include <vector>

namespace sw {

struct Bounds {
    std::int64_t low = 0;
    std::int64_t high = 0; // inclusive
};

class ValueBounds {
public:
    // The kernel may grow while bounds are asked for.
    explicit ValueBounds(const LoweredKernel &kernel) : m_kernel(kernel) {}

    [[nodiscard]] std::optional<Bounds> of(InstructionId id);
    [[nodiscard]] bool isWithin(InstructionId id, std::int64_t low, std::int64_t high);

private:
    [[nodiscard]] std::optional<Bounds> find(const Instruction &instruction);
    [[nodiscard]] std::optional<Bounds> ofAlu(const Instruction &alu);
    [[nodiscard]] Bounds ofSpecial(SpecialIndex index) const;

    const LoweredKernel &m_kernel;
    std::vector<std::optional<Bounds>> m_known;
};

// The value of a constant that is the same in every lane, as an integer.
[[nodiscard]] std::optional<std::int64_t> integerConstant(const Instruction &instruction);

} // namespace sw
