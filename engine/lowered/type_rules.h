#pragma once
// What an instruction may look like, given the instructions before it: operand counts, element types, lanes, constants. The
// builder asserts it and the verifier reports it; only the verifier checks scopes, structure and accumulators.

#include "engine/lowered/lowered.h"

#include <optional>
#include <span>
#include <string>

namespace sw {

inline constexpr std::uint32_t kMaxLanes = 1024; // the elements of the largest tile register
// The limit of one launch. Counting to it cannot overflow, however many threads count at once.
inline constexpr std::int64_t kMaxWorkItems = std::int64_t{1} << 62;

[[nodiscard]] constexpr bool isMemory(InstructionKind kind)
{
    return kind == InstructionKind::DefineGlobal || kind == InstructionKind::Buffer || kind == InstructionKind::Local;
}

// Opens a loop: its value is the counter, its operand the extent, and EndRange closes it.
[[nodiscard]] constexpr bool isLoop(InstructionKind kind)
{
    return kind == InstructionKind::Range || kind == InstructionKind::Unroll;
}

// Opens a scope of values; EndRange or EndIf closes it.
[[nodiscard]] constexpr bool opensScope(InstructionKind kind)
{
    return isLoop(kind) || kind == InstructionKind::If;
}

[[nodiscard]] constexpr bool closesScope(InstructionKind kind)
{
    return kind == InstructionKind::EndRange || kind == InstructionKind::EndIf;
}

// The DefineGlobal, Buffer or Local that a Load, MaskedLoad, DefineVar, Store or Ptrcat touches.
[[nodiscard]] InstructionId memoryOf(const Instruction &access, std::span<const Instruction> instructions);

// The size of a Wmma: rows x columns x depth.
struct TileSize {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t depth = 1;
    std::int64_t group = 1; // so many rows of b lie interleaved; see depthGroupOf

    // The lane of b that holds the element of this row and column.
    [[nodiscard]] std::int64_t laneOfB(std::int64_t row, std::int64_t column) const
    {
        return (row / group * columns + column) * group + row % group;
    }
};
[[nodiscard]] TileSize tileOf(const Instruction &wmma, std::span<const Instruction> instructions);

// The type of an Alu's operands, which decides its spelling and meaning. Only for a well-formed Alu.
[[nodiscard]] DType operandTypeOf(const Instruction &alu, std::span<const Instruction> instructions);

// In which type an operation on that type is computed: f16 and bf16 in f32, but in f16 itself what is rounded once, by a device
// that has f16. Its roots are in f32, too, which processors take half as long for (VSQRTPH against VSQRTPS on Emerald Rapids).
[[nodiscard]] DType computeTypeOf(Op op, DType dtype, bool hasF16);

// "f32x16"; a single lane is "f32".
[[nodiscard]] std::string typeText(DType dtype, std::uint32_t lanes);

// What is wrong with the instruction, as a sentence's predicate; empty when nothing is.
[[nodiscard]] std::optional<std::string> typeProblemOf(const Instruction &instruction, std::span<const Instruction> earlier);

} // namespace sw
