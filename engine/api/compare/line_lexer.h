#pragma once
// The words of a line of a stage's text, and which of them are names that only count: %12, v7, k3 in k3_softmax, an address. Such
// a name changes when anything before it comes or goes, so the lines of two compilations are aligned without its number.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sw {

// Counted: a name with a number that the compiler counts up. Place: a number that says where something is (the address of an
// instruction, the distance of a jump): it follows from the rest.
enum class WordKind : std::uint8_t { Space, Word, Number, Symbol, Counted, Place };

// Bytes of the line.
struct TextSpan {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const TextSpan &) const = default;
};

struct LineWord {
    WordKind kind = WordKind::Space;
    TextSpan span;
    std::uint64_t stem = 0; // Counted: equal for names of one kind ("%", "v", "k")
    bool isDefined = false; // Counted: the line says what it is; elsewhere it is read
    bool isMarked = false;  // Word: stands where texts of this stage have the names of the user's values
    [[nodiscard]] std::string_view in(std::string_view line) const { return line.substr(span.begin, span.end - span.begin); }
};

// The words of the line replace what is in `words`; none of them is marked yet.
void splitLine(std::string_view line, StageKind stage, std::vector<LineWord> &words);

// Says which of the line's words are marked.
void markNames(std::string_view line, StageKind stage, std::vector<LineWord> &words);

// Whether what comes from here on has its own names: a kernel begins.
[[nodiscard]] bool beginsNames(std::string_view line, StageKind stage);

// Equal for lines that say the same but for counted names and places.
[[nodiscard]] std::uint64_t canonicalHash(std::string_view line, const std::vector<LineWord> &words);
// Also but for marked words (markNames) and numbers.
[[nodiscard]] std::uint64_t skeletonHash(std::string_view line, const std::vector<LineWord> &words);
[[nodiscard]] std::uint64_t hashOfWord(std::string_view text);

} // namespace sw
