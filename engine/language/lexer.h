#pragma once
// Text to tokens. Indentation becomes Indent and Dedent tokens, the end of a logical line a Newline token; lines inside brackets
// join. A bracket that is never closed ends where the next statement plainly begins, so that one slip costs one line.

#include "engine/language/source_text.h"

namespace sw::language {

// A word that is always reserved is a Keyword; input, param, const and output are Names that the parser tells by their place.
enum class TokenKind : std::uint8_t { Name, Keyword, Int, Float, String, Symbol, Newline, Indent, Dedent, EndOfFile, Bad };

struct Token {
    TokenKind kind = TokenKind::EndOfFile;
    TextRange range;
    std::string_view text; // as written; a view into the source text
};

struct TokenList {
    std::vector<Token> tokens; // the last one is EndOfFile
    Diagnostics diagnostics;   // a Bad token stands at the place of each
};

// The tokens point into `source`.
[[nodiscard]] TokenList tokenize(const SourceText &source);

} // namespace sw::language
