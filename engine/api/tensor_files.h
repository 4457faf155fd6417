#pragma once
// Tensors from files and numbers, and into files.

#include "engine/api/tensor_view.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace sw {

// NumPy's .npy; types that NumPy lacks as their raw bits.
[[nodiscard]] Result<Done> saveNpy(const TensorView &view, const std::filesystem::path &file);
// Comma-separated text that reads back to the same bits. The last axis runs across; a vector has one value per line. The lines of
// all slices follow one another. The text is made piece by piece, never as a whole. A file that was not finished leaves nothing.
[[nodiscard]] Result<Done> saveCsv(const TensorView &view, const std::filesystem::path &file, const std::stop_token &stop);

[[nodiscard]] Result<TensorViewPtr> loadNpy(const std::filesystem::path &file);
// Values between commas, semicolons, blanks and line ends, row by row, as a tensor of this type and shape. '#' begins a comment.
// Errors name the line, or both counts.
[[nodiscard]] Result<TensorViewPtr> loadCsv(const std::filesystem::path &file, std::string_view elementType,
                                            std::span<const std::int64_t> shape);

// Each number cast to the type. As many numbers as the shape has elements.
[[nodiscard]] TensorViewPtr tensorOfNumbers(std::string name, std::string_view elementType, std::span<const std::int64_t> shape,
                                            std::span<const double> numbers);

} // namespace sw
