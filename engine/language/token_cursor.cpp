#include "engine/language/token_cursor.h"

namespace sw::language {

namespace {

std::string described(const Token &token)
{
    switch (token.kind) {
    case TokenKind::Newline:
        return "the end of the line";
    case TokenKind::Indent:
        return "an indented line";
    case TokenKind::Dedent:
        return "the end of the block";
    case TokenKind::EndOfFile:
        return "the end of the file";
    case TokenKind::Keyword:
        return format("the keyword '{}'", token.text);
    case TokenKind::Name:
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::String:
    case TokenKind::Symbol:
    case TokenKind::Bad:
        return format("'{}'", token.text);
    }
    SW_UNREACHABLE();
}

} // namespace

void TokenCursor::unexpected(std::string_view expected)
{
    if (peek().kind == TokenKind::Bad)
        m_inPanic = true;
    error(peek().range, "expected {}, found {}", expected, described(peek()));
}

} // namespace sw::language
