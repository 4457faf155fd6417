#pragma once
// The interpreter's inner loops: an operation on all lanes of native arrays. Every pair of operation and type that computes much
// has a loop of its own, made of the same functions as the rows of ops.def; a test compares each with the table's evaluation.

#include "engine/lowered/lowered.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sw {

// One prepared instruction that computes. Places are byte offsets into a frame, where a value's lanes lie one after the other.
struct LaneStep {
    std::uint32_t result = 0;
    std::array<std::uint32_t, 3> operands{};
    std::uint32_t lanes = 1;
    Op op = Op::Add;
    DType dtype = DType::I64;       // of the result
    DType operandType = DType::I64; // of the typed operands
};

using LaneFunction = void (*)(const LaneStep &step, std::byte *frame);

// Never null: a pair without a loop of its own uses the table's evaluation, lane by lane.
[[nodiscard]] LaneFunction aluFunction(Op op, DType operandType);
[[nodiscard]] LaneFunction castFunction(DType from, DType to);
[[nodiscard]] LaneFunction bitcastFunction(DType to);
[[nodiscard]] LaneFunction copyFunction();                 // copies the lanes of operand 0
[[nodiscard]] LaneFunction broadcastFunction(DType dtype); // copies the first lane of operand 0 to every lane

// The table's evaluation, which the other functions must equal.
void evaluateLanes(const LaneStep &step, std::byte *frame);
void convertLanes(const LaneStep &step, std::byte *frame);

} // namespace sw
