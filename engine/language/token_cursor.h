#pragma once
// What both halves of the parser share: the current token, the unfinished tree, and panic mode: after an error nothing more is
// reported until the statement parser has found the next statement.

#include "engine/base/assert.h"
#include "engine/language/lexer.h"
#include "engine/language/syntax_tree.h"

#include <algorithm>
#include <utility>

namespace sw::language {

class TokenCursor {
public:
    TokenCursor(const SourceText &source, TokenList tokens)
        : m_source(source), m_tokens(std::move(tokens.tokens)), m_diagnostics(std::move(tokens.diagnostics))
    {
    }

    [[nodiscard]] const Token &peek(std::size_t ahead = 0) const { return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)]; }
    [[nodiscard]] bool atKind(TokenKind kind) const { return peek().kind == kind; }
    [[nodiscard]] bool atSymbol(std::string_view text) const { return isSymbol(peek(), text); }
    [[nodiscard]] bool atKeyword(std::string_view text) const { return isKeyword(peek(), text); }
    [[nodiscard]] static bool isSymbol(const Token &token, std::string_view text)
    {
        return token.kind == TokenKind::Symbol && token.text == text;
    }
    [[nodiscard]] static bool isKeyword(const Token &token, std::string_view text)
    {
        return token.kind == TokenKind::Keyword && token.text == text;
    }

    const Token &advance()
    {
        const Token &token = peek();
        if (m_at + 1 < m_tokens.size())
            ++m_at;
        m_lastRange = token.range;
        return token;
    }
    bool takeSymbol(std::string_view text)
    {
        const bool found = atSymbol(text);
        if (found)
            advance();
        return found;
    }
    bool takeKeyword(std::string_view text)
    {
        const bool found = atKeyword(text);
        if (found)
            advance();
        return found;
    }

    // Takes the symbol, or reports that it was expected, with a purpose such as "to close the list" or "after the condition".
    bool expectSymbol(std::string_view text, std::string_view purpose)
    {
        if (takeSymbol(text))
            return true;
        unexpected(format("'{}' {}", text, purpose));
        return false;
    }

    // Reports "expected ..., found ...". A Bad token was already reported by the lexer.
    void unexpected(std::string_view expected);

    template <class... Args>
    void error(TextRange range, fmt::format_string<Args...> pattern, Args &&...args)
    {
        report(Diagnostic::error(Code::Syntax, m_source.rangeOf(range), pattern, std::forward<Args>(args)...));
    }
    void report(Diagnostic diagnostic)
    {
        if (!m_inPanic)
            m_diagnostics.push_back(std::move(diagnostic));
        m_inPanic = true;
    }

    [[nodiscard]] bool inPanic() const { return m_inPanic; }
    void endPanic() { m_inPanic = false; }

    [[nodiscard]] TextRange lastRange() const { return m_lastRange; } // of the last token taken
    [[nodiscard]] const SourceText &source() const { return m_source; }
    [[nodiscard]] SyntaxTree &tree() { return m_tree; }
    [[nodiscard]] Diagnostics takeDiagnostics() { return std::move(m_diagnostics); }

    ExprId addExpr(Expr expr)
    {
        m_tree.exprs.push_back(std::move(expr));
        return ExprId(m_tree.exprs.size() - 1);
    }

private:
    const SourceText &m_source;
    std::vector<Token> m_tokens;
    Diagnostics m_diagnostics;
    SyntaxTree m_tree;
    std::size_t m_at = 0;
    TextRange m_lastRange;
    bool m_inPanic = false;
};

} // namespace sw::language
