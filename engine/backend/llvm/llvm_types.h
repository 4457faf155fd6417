#pragma once
// How types and constants are written in LLVM IR. A bool is i1 in registers and i8 in memory; bf16 is i16 everywhere.

#include "engine/backend/source/prelude.h"
#include "engine/types/scalar.h"

#include <cstdint>
#include <span>
#include <string>

namespace sw {

// "float", "<16 x float>": the type of a register.
[[nodiscard]] std::string llvmType(DType dtype, std::uint32_t lanes);
// The same for a value in memory.
[[nodiscard]] std::string llvmMemoryType(DType dtype, std::uint32_t lanes);
// "f32", "v16f32": used in the names of intrinsics and helpers.
[[nodiscard]] std::string llvmShortName(DType dtype, std::uint32_t lanes);
[[nodiscard]] std::string llvmLanes(std::string_view elementType, std::uint32_t lanes);

// A constant without its type: "1.0", "splat (float 1.0)".
[[nodiscard]] std::string llvmConstant(const Scalar &value, std::uint32_t lanes);
// "<float 1.0, float 2.0>"
[[nodiscard]] std::string llvmVectorConstant(std::span<const Scalar> values);

// Fills in the placeholders of resources/kernels/prelude.ll for operands of this type.
[[nodiscard]] PlaceholderText llvmPlaceholders(DType dtype, std::uint32_t lanes);

} // namespace sw
