#pragma once
// Splits text into tokens. Indentation becomes Indent and Dedent tokens, the end of a logical line a Newline token; lines inside
// brackets join. An unclosed bracket ends where the next statement clearly begins, so one slip costs one line.

#include "engine/language/source_text.h"

#include <span>

namespace sw::language {

// Words that are always reserved are Keywords; input, param, const, output and scope are Names, which the parser recognizes by
// place.
enum class TokenKind : std::uint8_t { Name, Keyword, Int, Float, String, Symbol, Newline, Indent, Dedent, EndOfFile, Bad };

struct Token {
    TokenKind kind = TokenKind::EndOfFile;
    TextRange range;
    std::string_view text; // as written; a view into the source text
};

struct TokenList {
    std::vector<Token> tokens; // the last one is EndOfFile
    Diagnostics diagnostics;   // each one has a Bad token at its place
};

[[nodiscard]] std::span<const std::string_view> keywords();

// The tokens point into `source`.
[[nodiscard]] TokenList tokenize(const SourceText &source);

} // namespace sw::language
