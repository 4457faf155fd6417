#pragma once
// The table of tensor instructions: what processors do with one instruction for a product of small tiles. Everything that knows
// one reads its row: the choice of loop transformations, their text and checks, the writing out of tiles for other devices, the
// renderers, the facts about a device, the documentation.

#include "engine/types/dtype.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sw {

enum class TensorInstruction : std::uint8_t {
#define SW_TENSOR_INSTRUCTION(name, ...) name,
#include "engine/ops/tensor_instructions.def"
#undef SW_TENSOR_INSTRUCTION
};
inline constexpr std::size_t kTensorInstructions = 0 // how many there are
#define SW_TENSOR_INSTRUCTION(name, ...) +1
#include "engine/ops/tensor_instructions.def"
#undef SW_TENSOR_INSTRUCTION
    ;

// sum (rows x columns) += a (rows x depth) @ b (depth x columns).
struct TensorInstructionInfo {
    std::string_view name = {}; // in the list of transformations
    std::string_view mnemonic = {};
    DType a = DType::BF16;
    DType b = DType::BF16;
    DType sum = DType::F32;
    std::int64_t rows = 1; // the most; fewer are one instruction too
    std::int64_t columns = 1;
    std::int64_t depth = 1;
    std::int64_t registers = 1;     // that hold tiles (or, for one row, vectors)
    double cycles = 1;              // between two independent ones
    bool isRaised = false;          // of a + 128, with one more row of sums for what is to be taken off
    std::string_view features = {}; // of the processor, as LLVM names them, all needed
    std::string_view llvm = {};     // the intrinsic
    std::string_view doc = {};
};

// Its row.
[[nodiscard]] constexpr std::size_t indexOf(TensorInstruction instruction)
{
    return static_cast<std::size_t>(instruction);
}
[[nodiscard]] const TensorInstructionInfo &infoOf(TensorInstruction instruction);
[[nodiscard]] std::span<const TensorInstruction> allTensorInstructions();
[[nodiscard]] std::optional<TensorInstruction> tensorInstructionNamed(std::string_view name);

// How many times as many products it adds up in a cycle as fused multiply-adds of vectors do, each as wide as a row of its sums.
[[nodiscard]] double speedupOf(const TensorInstructionInfo &info);

// The sums of a tile stand in a tile register (else in a vector, one row at a time).
[[nodiscard]] inline bool hasTileRegisters(const TensorInstructionInfo &info)
{
    return info.rows > 1;
}

// As many rows of b lie interleaved as fit into one sum: the elements (k, n), (k + 1, n), ... of a group are neighbours. Where b
// is as wide as the sums, the rows lie one after the other.
[[nodiscard]] inline std::int64_t depthGroupOf(DType b, DType sum)
{
    return bytesOf(b) < bytesOf(sum) ? bytesOf(sum) / bytesOf(b) : 1;
}

// A set of rows of the table: a bit for each.
[[nodiscard]] constexpr std::uint32_t bitOf(TensorInstruction instruction)
{
    return std::uint32_t{1} << static_cast<std::uint32_t>(instruction);
}
[[nodiscard]] constexpr bool hasTensorInstruction(std::uint32_t set, TensorInstruction instruction)
{
    return (set & bitOf(instruction)) != 0;
}
// Some instruction of the set multiplies values of the type.
[[nodiscard]] bool multipliesType(std::uint32_t set, DType dtype);

// The row of the set that multiplies tiles of these types with one instruction: the whole columns, at most the rows, and the
// depth or a whole number of groups of it; the smallest of several. Nothing: there is none.
struct TensorShape {
    DType a = DType::BF16;
    DType b = DType::BF16;
    DType sum = DType::F32;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t depth = 1;
};
[[nodiscard]] std::optional<TensorInstruction> tensorInstructionFor(std::uint32_t set, const TensorShape &shape);

} // namespace sw
