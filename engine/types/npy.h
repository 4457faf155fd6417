#pragma once
// NumPy's .npy files: versions 1 to 3 are read, version 1 is written, C order, little-endian. What NumPy has no type for travels
// as its raw bits: bf16 as u16, the floats of 8 bits as u8, u32x4 as u32 with a last axis of 4.

#include "engine/types/host_tensor.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw {

// Errors carry the file's name; a type that we do not have is UnsupportedDType, everything else File.
[[nodiscard]] Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &fileName);
[[nodiscard]] Result<HostTensor> readNpyFile(const std::filesystem::path &file);

// The tensor as an element type that is stored as its raw bits, when it can be that; nothing when it cannot, or is already.
[[nodiscard]] std::optional<HostTensor> fromRawBits(const HostTensor &stored, DType dtype);
// The tensor as it is stored: itself, or its raw bits.
[[nodiscard]] HostTensor toRawBits(const HostTensor &tensor);

[[nodiscard]] std::vector<std::byte> npyBytes(const HostTensor &tensor);
[[nodiscard]] Result<Done> writeNpyFile(const std::filesystem::path &file, const HostTensor &tensor);

} // namespace sw
