#pragma once
// Tables and texts in the formats that other programs take. One place knows how each format escapes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Text: columns under each other. Markdown: a table of GitHub's dialect. Csv: RFC 4180, with a line of names. Json: an array with
// an object per row, whose values are strings. Latex: a tabular that needs no package.
enum class TextFormat : std::uint8_t { Text, Markdown, Csv, Json, Latex };
inline constexpr TextFormat kTextFormats[] = {TextFormat::Text, TextFormat::Markdown, TextFormat::Csv, TextFormat::Json,
                                              TextFormat::Latex};

struct TableColumn {
    std::string name;
    bool isRight = false; // numbers stand at the right
};

// Cells are UTF-8. A row that is shorter than the columns ends with empty cells; cells behind the last column are left out.
struct TextTable {
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;
};

// Ends with a line end, unless it is empty. Text and Markdown have a line per row, so that a line end within a cell becomes a
// blank there, and a break in Markdown. In Json, columns of one name are told apart by a number.
[[nodiscard]] std::string tableText(const TextTable &table, TextFormat format);

// Lines of a program. Text: as it is. Markdown: a block of code; language: what it is highlighted as, may be empty. Latex: a
// verbatim block, or escaped lines where the text would end the block. Csv: a table of line numbers and lines. Json: an object
// per line of text, one after the other ("JSON lines").
[[nodiscard]] std::string listingText(std::string_view text, TextFormat format, std::string_view language);

// A field of a line of CSV, in quotes where RFC 4180 asks for them.
[[nodiscard]] std::string csvField(std::string_view text);

} // namespace sw
