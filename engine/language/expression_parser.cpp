#include "engine/language/expression_parser.h"

#include "engine/language/parser.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace sw::language {

namespace {

struct InfixOperator {
    std::string_view text;
    int power = 0; // a larger power binds tighter; in Python's order
    bool isRightAssociative = false;
};

constexpr int kLogicalNotPower = 3;
constexpr int kComparisonPower = 4;
constexpr int kUnaryPower = 11;
constexpr std::array<InfixOperator, 25> kInfixOperators = {{
    {"or", 1}, {"and", 2}, {"in", 4}, {"not in", 4}, {"is", 4}, {"is not", 4}, {"<", 4},         {"<=", 4}, {">", 4},
    {">=", 4}, {"==", 4},  {"!=", 4}, {"|", 5},      {"^", 6},  {"&", 7},      {"<<", 8},        {">>", 8}, {"+", 9},
    {"-", 9},  {"*", 10},  {"/", 10}, {"//", 10},    {"%", 10}, {"@", 10},     {"**", 12, true},
}};

const InfixOperator *infixNamed(std::string_view text)
{
    for (const InfixOperator &row : kInfixOperators) {
        if (row.text == text)
            return &row;
    }
    return nullptr;
}

std::string decodedString(std::string_view inner)
{
    std::string out;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i] != '\\' || i + 1 == inner.size()) {
            out += inner[i];
            continue;
        }
        ++i;
        out += inner[i] == 'n' ? '\n' : inner[i] == 't' ? '\t' : inner[i];
    }
    return out;
}

std::string withoutUnderscores(std::string_view text)
{
    std::string out(text);
    std::erase(out, '_');
    return out;
}

// Returns std::errc::result_out_of_range, or another error if the digits are wrong.
std::errc readInteger(std::string_view text, std::uint64_t &value)
{
    const std::string digits = withoutUnderscores(text);
    std::string_view rest = digits;
    int base = 10;
    if (rest.size() > 2 && rest[0] == '0' && rest[1] >= 'A') {
        base = (rest[1] | 0x20) == 'x' ? 16 : (rest[1] | 0x20) == 'b' ? 2 : 8;
        rest.remove_prefix(2);
    }
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
    return end != rest.data() + rest.size() ? std::errc::invalid_argument : error;
}

} // namespace

bool ExpressionParser::enter()
{
    if (++m_depth <= kMaxNesting)
        return true;
    m_cursor.report(Diagnostic::error(Code::Limit, m_cursor.source().rangeOf(m_cursor.peek().range),
                                      "the program nests deeper than {} levels here", kMaxNesting));
    return false;
}

ExprId ExpressionParser::errorExpr()
{
    return m_cursor.addExpr({.kind = ExprKind::Error, .range = m_cursor.peek().range});
}

ExprId ExpressionParser::parseExpressionList()
{
    const ExprId first = parseExpression();
    if (!m_cursor.atSymbol(","))
        return first;
    std::vector<ExprId> items{first};
    while (m_cursor.takeSymbol(",")) {
        if (m_cursor.atKind(TokenKind::Newline))
            break;
        items.push_back(parseExpression());
    }
    return m_cursor.addExpr(
        {.kind = ExprKind::List, .range = joined(rangeOf(first), m_cursor.lastRange()), .operands = std::move(items)});
}

ExprId ExpressionParser::parseExpression()
{
    const ExprId made = enter() ? parseConditional() : errorExpr();
    leave();
    return made;
}

ExprId ExpressionParser::parseConditional()
{
    const ExprId value = parseOperators(1);
    if (!m_cursor.atKeyword("if"))
        return value;
    m_cursor.advance();
    const ExprId condition = parseOperators(1);
    if (!m_cursor.takeKeyword("else")) {
        m_cursor.unexpected("'else' and the value for when the condition is false");
        return errorExpr();
    }
    const ExprId otherwise = parseExpression();
    return m_cursor.addExpr({.kind = ExprKind::Conditional,
                             .range = joined(rangeOf(value), m_cursor.lastRange()),
                             .operands = {value, condition, otherwise}});
}

ExprId ExpressionParser::parseOperators(int minimumPower)
{
    ExprId left = parsePrefix();
    bool compared = false;
    while (!m_cursor.inPanic()) {
        std::string_view text = m_cursor.peek().text;
        if (!m_cursor.atKind(TokenKind::Symbol) && !m_cursor.atKind(TokenKind::Keyword))
            break;
        const bool isNegated = text == "not" && TokenCursor::isKeyword(m_cursor.peek(1), "in");
        const bool isUnequal = text == "is" && TokenCursor::isKeyword(m_cursor.peek(1), "not");
        text = isNegated ? "not in" : isUnequal ? "is not" : text;
        const InfixOperator *row = infixNamed(text);
        if (row == nullptr || row->power < minimumPower)
            break;
        if (row->power == kComparisonPower && compared)
            m_cursor.error(m_cursor.peek().range, "comparisons do not chain here; write (a < b) & (b < c)");
        compared = row->power == kComparisonPower;
        m_cursor.advance();
        if (isNegated || isUnequal)
            m_cursor.advance();
        // Each power in a chain is one level deeper; other operators nest only by their binding powers.
        const ExprId right = !enter() ? errorExpr() : parseOperators(row->isRightAssociative ? row->power : row->power + 1);
        leave();
        left = m_cursor.addExpr({.kind = row->power < kLogicalNotPower ? ExprKind::Logical : ExprKind::Binary,
                                 .range = joined(rangeOf(left), m_cursor.lastRange()),
                                 .text = row->text,
                                 .operands = {left, right}});
    }
    return left;
}

ExprId ExpressionParser::parsePrefix()
{
    const bool isSign = m_cursor.atSymbol("-") || m_cursor.atSymbol("+") || m_cursor.atSymbol("~");
    if (!isSign && !m_cursor.atKeyword("not"))
        return parsePostfix();
    if (!enter()) {
        leave();
        return errorExpr();
    }
    const Token token = m_cursor.advance();
    // As in Python, -x ** 2 is -(x ** 2), and not x == y is not (x == y).
    const ExprId operand = parseOperators(isSign ? kUnaryPower : kLogicalNotPower);
    leave();
    return m_cursor.addExpr(
        {.kind = ExprKind::Unary, .range = joined(token.range, m_cursor.lastRange()), .text = token.text, .operands = {operand}});
}

ExprId ExpressionParser::parsePostfix()
{
    ExprId made = parsePrimary();
    while (!m_cursor.inPanic()) {
        if (m_cursor.atSymbol("("))
            made = parseCall(made);
        else if (m_cursor.atSymbol("."))
            made = parseAttribute(made);
        else if (m_cursor.atSymbol("["))
            made = parseSubscript(made);
        else
            break;
    }
    return made;
}

ExprId ExpressionParser::parsePrimary()
{
    const Token token = m_cursor.peek();
    switch (token.kind) {
    case TokenKind::Name:
        return parseName();
    case TokenKind::Int:
    case TokenKind::Float:
        return parseNumber();
    case TokenKind::String:
        return parseString();
    case TokenKind::Keyword:
        // Handles and(x, y) and or(x, y): operations of the table, called by name.
        if ((token.text == "and" || token.text == "or") && TokenCursor::isSymbol(m_cursor.peek(1), "("))
            return parseName();
        if (token.text == "None" || token.text == "True" || token.text == "true" || token.text == "False" ||
            token.text == "false") {
            m_cursor.advance();
            const bool isTrue = token.text == "True" || token.text == "true";
            return m_cursor.addExpr({.kind = token.text == "None" ? ExprKind::None : ExprKind::Bool,
                                     .range = token.range,
                                     .intValue = isTrue ? 1U : 0U});
        }
        break;
    case TokenKind::Symbol:
        if (token.text == "(")
            return parseParentheses();
        if (token.text == "[")
            return parseList();
        if (token.text == "...") {
            m_cursor.advance();
            return m_cursor.addExpr({.kind = ExprKind::Ellipsis, .range = token.range});
        }
        break;
    case TokenKind::Newline:
    case TokenKind::Indent:
    case TokenKind::Dedent:
    case TokenKind::EndOfFile:
    case TokenKind::Bad:
        break;
    }
    m_cursor.unexpected("an expression");
    return errorExpr();
}

ExprId ExpressionParser::parseName()
{
    const Token token = m_cursor.advance();
    return m_cursor.addExpr({.kind = ExprKind::Name, .range = token.range, .text = token.text});
}

ExprId ExpressionParser::parseNumber()
{
    const Token token = m_cursor.advance();
    Expr expr{.kind = token.kind == TokenKind::Int ? ExprKind::Int : ExprKind::Float, .range = token.range};
    if (token.kind == TokenKind::Int) {
        const std::errc error = readInteger(token.text, expr.intValue);
        if (error == std::errc::result_out_of_range)
            m_cursor.error(token.range, "{} is above {}, the largest integer", token.text,
                           std::numeric_limits<std::uint64_t>::max());
        else if (error != std::errc{})
            m_cursor.error(token.range, "{} is not an integer", token.text);
    } else {
        const std::string digits = withoutUnderscores(token.text);
        if (std::from_chars(digits.data(), digits.data() + digits.size(), expr.floatValue).ec == std::errc::result_out_of_range)
            m_cursor.error(token.range, "{} is out of the range of a 64-bit float", token.text);
    }
    return m_cursor.addExpr(std::move(expr));
}

ExprId ExpressionParser::parseString()
{
    const Token token = m_cursor.advance();
    return m_cursor.addExpr({.kind = ExprKind::String,
                             .range = token.range,
                             .stringValue = decodedString(token.text.substr(1, token.text.size() - 2))});
}

ExprId ExpressionParser::parseParentheses()
{
    const TextRange begin = m_cursor.advance().range;
    std::vector<ExprId> items;
    bool isList = m_cursor.atSymbol(")");
    while (!m_cursor.inPanic() && !m_cursor.atSymbol(")")) {
        items.push_back(parseExpression());
        if (!m_cursor.takeSymbol(","))
            break;
        isList = true;
    }
    if (!m_cursor.expectSymbol(")", "to close the parenthesis"))
        return errorExpr();
    if (!isList && !items.empty())
        return items.front();
    return m_cursor.addExpr({.kind = ExprKind::List, .range = joined(begin, m_cursor.lastRange()), .operands = std::move(items)});
}

ExprId ExpressionParser::parseList()
{
    const TextRange begin = m_cursor.advance().range;
    std::vector<ExprId> items;
    while (!m_cursor.inPanic() && !m_cursor.atSymbol("]")) {
        items.push_back(parseExpression());
        if (items.size() == 1 && m_cursor.atKeyword("for"))
            return parseComprehension(items.front(), begin);
        if (!m_cursor.takeSymbol(","))
            break;
    }
    if (!m_cursor.expectSymbol("]", "to close the list"))
        return errorExpr();
    return m_cursor.addExpr({.kind = ExprKind::List, .range = joined(begin, m_cursor.lastRange()), .operands = std::move(items)});
}

ExprId ExpressionParser::parseComprehension(ExprId element, TextRange begin)
{
    m_cursor.advance();
    std::vector<std::string_view> names;
    for (const NameSyntax &name : parseLoopNames())
        names.push_back(name.text);
    if (!m_cursor.takeKeyword("in"))
        m_cursor.unexpected("'in' and what to go through");
    const ExprId iterable = parseOperators(1);
    const ExprId condition = m_cursor.takeKeyword("if") ? parseOperators(1) : ExprId();
    if (!m_cursor.expectSymbol("]", "to close the list"))
        return errorExpr();
    return m_cursor.addExpr({.kind = ExprKind::Comprehension,
                             .range = joined(begin, m_cursor.lastRange()),
                             .operands = {element, iterable, condition},
                             .keywords = std::move(names)});
}

std::vector<NameSyntax> ExpressionParser::parseLoopNames()
{
    std::vector<NameSyntax> names;
    do {
        if (!m_cursor.atKind(TokenKind::Name)) {
            m_cursor.unexpected("a name for the loop");
            break;
        }
        const Token &token = m_cursor.advance();
        names.push_back({token.text, token.range});
    } while (m_cursor.takeSymbol(","));
    return names;
}

ExprId ExpressionParser::parseCall(ExprId callee)
{
    m_cursor.advance();
    Expr call{.kind = ExprKind::Call, .operands = {callee}};
    while (!m_cursor.inPanic() && !m_cursor.atSymbol(")")) {
        std::string_view keyword;
        if (m_cursor.atKind(TokenKind::Name) && TokenCursor::isSymbol(m_cursor.peek(1), "=")) {
            keyword = m_cursor.advance().text;
            m_cursor.advance();
        } else if (!call.keywords.empty() && !call.keywords.back().empty()) {
            m_cursor.error(m_cursor.peek().range, "an argument without a name stands after one with a name");
        }
        call.keywords.push_back(keyword);
        call.operands.push_back(parseExpression());
        if (!m_cursor.takeSymbol(","))
            break;
    }
    m_cursor.expectSymbol(")", "to close the call");
    call.range = joined(rangeOf(callee), m_cursor.lastRange());
    return m_cursor.inPanic() ? errorExpr() : m_cursor.addExpr(std::move(call));
}

ExprId ExpressionParser::parseAttribute(ExprId object)
{
    m_cursor.advance();
    if (!m_cursor.atKind(TokenKind::Name) && !m_cursor.atKind(TokenKind::Keyword)) {
        m_cursor.unexpected("a name after '.'");
        return errorExpr();
    }
    const Token token = m_cursor.advance();
    return m_cursor.addExpr(
        {.kind = ExprKind::Attribute, .range = joined(rangeOf(object), token.range), .text = token.text, .operands = {object}});
}

ExprId ExpressionParser::parseSubscript(ExprId object)
{
    m_cursor.advance();
    Expr expr{.kind = ExprKind::Subscript, .operands = {object}};
    while (!m_cursor.inPanic() && !m_cursor.atSymbol("]")) {
        expr.operands.push_back(parseSubscriptItem());
        if (!m_cursor.takeSymbol(","))
            break;
    }
    m_cursor.expectSymbol("]", "to close the subscript");
    expr.range = joined(rangeOf(object), m_cursor.lastRange());
    return m_cursor.inPanic() ? errorExpr() : m_cursor.addExpr(std::move(expr));
}

ExprId ExpressionParser::parseSubscriptItem()
{
    const TextRange begin = m_cursor.peek().range;
    const auto atEnd = [&] { return m_cursor.atSymbol(":") || m_cursor.atSymbol(",") || m_cursor.atSymbol("]"); };
    const ExprId first = m_cursor.atSymbol(":") ? ExprId() : parseExpression();
    if (!m_cursor.atSymbol(":"))
        return first;
    m_cursor.advance();
    const ExprId last = atEnd() ? ExprId() : parseExpression();
    const ExprId step = m_cursor.takeSymbol(":") && !atEnd() ? parseExpression() : ExprId();
    return m_cursor.addExpr(
        {.kind = ExprKind::Slice, .range = joined(begin, m_cursor.lastRange()), .operands = {first, last, step}});
}

TypeSyntax ExpressionParser::parseType()
{
    TypeSyntax type{
        .range = m_cursor.peek().range, .dtype = m_cursor.peek().text, .dtypeRange = m_cursor.peek().range, .extents = {}};
    if (!m_cursor.atKind(TokenKind::Name)) {
        m_cursor.unexpected("a type such as f32[2, 3]");
        return type;
    }
    m_cursor.advance();
    if (!m_cursor.expectSymbol("[", "and the shape: f32[2, 3], or f32[] for a scalar"))
        return type;
    while (!m_cursor.inPanic() && !m_cursor.atSymbol("]")) {
        type.extents.push_back(parseExpression());
        if (!m_cursor.takeSymbol(","))
            break;
    }
    m_cursor.expectSymbol("]", "to close the shape");
    type.range = joined(type.range, m_cursor.lastRange());
    return type;
}

} // namespace sw::language
