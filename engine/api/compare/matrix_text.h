#pragma once
// A matrix as text, to be read, to be pasted, and to be computed with.

#include "engine/api/compare/matrix.h"

#include <cstddef>
#include <span>
#include <string>

namespace sw {

// Text: columns under each other. Markdown: a table. Csv: a line per kernel and column, with numbers as they are (nanoseconds),
// then a line per output and column.
enum class MatrixFormat : std::uint8_t { Text, Markdown, Csv };

// rows: of Matrix::rows, in this order.
[[nodiscard]] std::string matrixText(const Matrix &matrix, MatrixFormat format, std::span<const std::size_t> rows);
[[nodiscard]] std::string matrixText(const Matrix &matrix, MatrixFormat format); // of all rows

// "=", "≈", "≠", "?"
[[nodiscard]] std::string_view signOf(Conformance conformance);
// "≈ 2 ULP", "≠ at [3, 0]", "="
[[nodiscard]] std::string shortTextOf(const MatrixVerdict &verdict);

} // namespace sw
