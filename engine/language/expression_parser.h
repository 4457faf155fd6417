#pragma once
// Parses expressions and types. Part of the parser: see parser.h.

#include "engine/language/token_cursor.h"

namespace sw::language {

class ExpressionParser {
public:
    explicit ExpressionParser(TokenCursor &cursor) : m_cursor(cursor) {}

    ExprId parseExpression();     // one expression
    ExprId parseExpressionList(); // "a, b" is a list of two
    TypeSyntax parseType();
    std::vector<NameSyntax> parseLoopNames();

    // Counts the nesting of blocks and expressions together; returns false, with a diagnostic, beyond the limit.
    bool enter();
    void leave() { --m_depth; }

private:
    ExprId parseConditional();
    ExprId parseOperators(int minimumPower);
    ExprId parsePrefix();
    ExprId parsePostfix();
    ExprId parsePrimary();
    ExprId parseName();
    ExprId parseNumber();
    ExprId parseString();
    ExprId parseParentheses();
    ExprId parseList();
    ExprId parseComprehension(ExprId element, TextRange begin);
    ExprId parseCall(ExprId callee);
    ExprId parseAttribute(ExprId object);
    ExprId parseSubscript(ExprId object);
    ExprId parseSubscriptItem();

    ExprId errorExpr();
    [[nodiscard]] TextRange rangeOf(ExprId id) { return m_cursor.tree().expr(id).range; }

    TokenCursor &m_cursor;
    std::uint32_t m_depth = 0;
};

} // namespace sw::language
