#pragma once
// NumPy's .npy files: reads versions 1 to 3, writes version 1, in C order, little-endian. Types that NumPy lacks are stored as
// their raw bits: bf16 as u16, the 8-bit floats as u8, u32x4 as u32 with a last axis of 4.

#include "engine/types/host_tensor.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw {

// Errors carry the file's name; a type that we do not have gives UnsupportedDType, everything else File.
[[nodiscard]] Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &fileName);
[[nodiscard]] Result<HostTensor> readNpyFile(const std::filesystem::path &file);

// The stored tensor as an element type that is stored as raw bits; nothing when it cannot be that type, or already is.
[[nodiscard]] std::optional<HostTensor> fromRawBits(const HostTensor &stored, DType dtype);
// The tensor in the form that is stored: itself, or its raw bits.
[[nodiscard]] HostTensor toRawBits(const HostTensor &tensor);

[[nodiscard]] std::vector<std::byte> npyBytes(const HostTensor &tensor);
[[nodiscard]] Result<Done> writeNpyFile(const std::filesystem::path &file, const HostTensor &tensor);

} // namespace sw
