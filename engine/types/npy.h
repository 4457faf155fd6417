#pragma once
// NumPy's .npy files: versions 1 to 3 are read, version 1 is written, C order, little-endian. bf16 travels as its raw bits (u16).

#include "engine/types/host_tensor.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sw {

// Errors carry the file's name; a type that we do not have is UnsupportedDType, everything else File.
[[nodiscard]] Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &fileName);
[[nodiscard]] Result<HostTensor> readNpyFile(const std::filesystem::path &file);

[[nodiscard]] std::vector<std::byte> npyBytes(const HostTensor &tensor);
[[nodiscard]] Result<Done> writeNpyFile(const std::filesystem::path &file, const HostTensor &tensor);

} // namespace sw
