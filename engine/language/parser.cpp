#include "engine/language/parser.h"

#include "engine/language/expression_parser.h"
#include "engine/language/token_cursor.h"

#include <array>

namespace sw::language {

namespace {

constexpr std::size_t kMaxParameters = 1000;
constexpr std::array<std::string_view, 13> kAugmentedAssignments = {
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="};

class Parser {
public:
    explicit Parser(const SourceText &source) : m_cursor(source, tokenize(source)), m_expressions(m_cursor) {}

    ParsedFile run()
    {
        std::vector<StatementId> program;
        while (!m_cursor.atKind(TokenKind::EndOfFile))
            parseInto(program);
        m_cursor.tree().program = std::move(program);
        Diagnostics diagnostics = m_cursor.takeDiagnostics();
        return {std::move(m_cursor.tree()), std::move(diagnostics)};
    }

private:
    void parseInto(std::vector<StatementId> &block)
    {
        if (m_cursor.atKind(TokenKind::Indent)) {
            // A block whose header could not be parsed is still read, so that its own lines are checked.
            if (!m_cursor.inPanic())
                m_cursor.error(nextWordRange(), "this line is indented, but no block begins here");
            m_cursor.advance();
            m_cursor.endPanic();
            parseNestedStatements(block);
            return;
        }
        if (m_cursor.atKind(TokenKind::Dedent) || m_cursor.atKind(TokenKind::Newline)) {
            m_cursor.advance();
            return;
        }
        block.push_back(parseStatement());
    }

    void parseNestedStatements(std::vector<StatementId> &block)
    {
        if (m_expressions.enter())
            parseStatements(block);
        else
            skipBlock();
        m_expressions.leave();
    }

    // Parses up to and including the Dedent that ends the block.
    void parseStatements(std::vector<StatementId> &block)
    {
        while (!m_cursor.atKind(TokenKind::Dedent) && !m_cursor.atKind(TokenKind::EndOfFile))
            parseInto(block);
        if (m_cursor.atKind(TokenKind::Dedent))
            m_cursor.advance();
    }

    StatementId parseStatement()
    {
        const TextRange begin = m_cursor.peek().range;
        Statement statement;
        if (m_cursor.atKind(TokenKind::Keyword))
            statement = parseKeywordStatement();
        else
            statement = parsePlainStatement();
        if (!isCompound(statement.kind)) {
            statement.range = joined(begin, m_cursor.lastRange());
            statement.isBroken = m_cursor.inPanic();
            endStatement();
        }
        m_cursor.tree().statements.push_back(std::move(statement));
        return StatementId(m_cursor.tree().statements.size() - 1);
    }

    [[nodiscard]] static bool isCompound(StatementKind kind)
    {
        return kind == StatementKind::Def || kind == StatementKind::If || kind == StatementKind::For ||
               kind == StatementKind::Scope;
    }

    // After an error, skips everything up to the next line.
    void endStatement()
    {
        if (!m_cursor.inPanic() && !m_cursor.takeSymbol(";") && !m_cursor.atKind(TokenKind::Newline))
            m_cursor.unexpected("the end of the line");
        if (m_cursor.inPanic()) {
            while (!m_cursor.atKind(TokenKind::Newline) && !m_cursor.atKind(TokenKind::EndOfFile))
                m_cursor.advance();
        }
        if (m_cursor.atKind(TokenKind::Newline))
            m_cursor.advance();
        if (!m_cursor.atKind(TokenKind::Indent))
            m_cursor.endPanic();
    }

    Statement parseKeywordStatement()
    {
        const Token token = m_cursor.peek();
        if (token.text == "def")
            return parseDef();
        if (token.text == "if")
            return parseIf();
        if (token.text == "for")
            return parseFor();
        if (token.text == "return")
            return parseReturn();
        if (token.text == "pass") {
            m_cursor.advance();
            return {.kind = StatementKind::Pass};
        }
        if (token.text == "while" || token.text == "class" || token.text == "with" || token.text == "lambda" ||
            token.text == "import") {
            m_cursor.report(unsupported(token));
            return {.kind = StatementKind::Error};
        }
        if (token.text == "else" || token.text == "elif") {
            m_cursor.error(token.range, "'{}' without an 'if' before it", token.text);
            return {.kind = StatementKind::Error};
        }
        return parsePlainStatement();
    }

    Diagnostic unsupported(const Token &token) const
    {
        const std::string_view hint =
            token.text == "while"    ? "use for i in range(n): the number of turns must be known while compiling"
            : token.text == "import" ? "nothing needs to be imported: every function of the library is found by its name"
            : token.text == "with"   ? "the device is chosen when the program is compiled or run"
                                     : "use def for functions";
        return Diagnostic::error(Code::Unsupported, m_cursor.source().rangeOf(token.range), "'{}' is not supported", token.text)
            .withHint(std::string(hint));
    }

    Statement parsePlainStatement()
    {
        const std::string_view word = m_cursor.peek().text;
        const bool isDeclaration = m_cursor.atKind(TokenKind::Name) && m_cursor.peek(1).kind == TokenKind::Name;
        if (isDeclaration && word == "input")
            return parseDeclaration(StatementKind::Input);
        if (isDeclaration && word == "param")
            return parseDeclaration(StatementKind::Param);
        if (isDeclaration && word == "const")
            return parseDeclaration(StatementKind::Const);
        if (m_cursor.atKind(TokenKind::Name) && word == "output" && beginsOutput(m_cursor.peek(1)))
            return parseOutput();
        if (m_cursor.atKind(TokenKind::Name) && word == "scope" && m_cursor.peek(1).kind == TokenKind::String)
            return parseScope();
        return parseAssignment();
    }

    // "output" can also be a variable: output = x, output.shape.
    [[nodiscard]] static bool beginsOutput(const Token &next)
    {
        if (next.kind != TokenKind::Symbol)
            return next.kind != TokenKind::Keyword || (next.text != "in" && next.text != "is");
        return next.text == "(" || next.text == "[" || next.text == "-" || next.text == "~";
    }

    NameSyntax parseName(std::string_view purpose)
    {
        if (!m_cursor.atKind(TokenKind::Name)) {
            m_cursor.unexpected(purpose);
            return {{}, m_cursor.peek().range};
        }
        const Token &token = m_cursor.advance();
        return {token.text, token.range};
    }

    Statement parseDeclaration(StatementKind kind)
    {
        m_cursor.advance();
        Statement out{.kind = kind, .targets = {parseName("a name")}};
        if (!m_cursor.expectSymbol(":", "and the type, as in x: f32[2, 3]"))
            return out;
        out.type = m_expressions.parseType();
        if (m_cursor.inPanic())
            return out;
        if (m_cursor.atSymbol("=") && kind == StatementKind::Input)
            m_cursor.error(m_cursor.peek().range, "an input has no value in the program; use param or const");
        if (kind == StatementKind::Const ? m_cursor.expectSymbol("=", "and the value of the constant") : m_cursor.takeSymbol("="))
            out.value = m_expressions.parseExpression();
        return out;
    }

    Statement parseOutput()
    {
        m_cursor.advance();
        Statement out{.kind = StatementKind::Output};
        if (m_cursor.atKind(TokenKind::Name) && TokenCursor::isSymbol(m_cursor.peek(1), "=")) {
            out.targets.push_back(parseName("a name"));
            m_cursor.advance();
        }
        out.value = m_expressions.parseExpressionList();
        return out;
    }

    Statement parseAssignment()
    {
        if (m_cursor.atKind(TokenKind::Name) && TokenCursor::isSymbol(m_cursor.peek(1), ":"))
            return parseAnnotated();
        const std::size_t exprsBefore = m_cursor.tree().exprs.size();
        const ExprId first = m_expressions.parseExpressionList();
        for (const std::string_view symbol : kAugmentedAssignments) {
            if (m_cursor.atSymbol(symbol))
                return parseAugmented(first, symbol);
        }
        if (!m_cursor.atSymbol("="))
            return {.kind = StatementKind::Expression, .value = first};
        Statement out{.kind = StatementKind::Assign, .targets = targetsOf(first)};
        m_cursor.tree().exprs.resize(exprsBefore);
        m_cursor.advance();
        out.value = m_expressions.parseExpressionList();
        if (m_cursor.atSymbol("="))
            m_cursor.error(m_cursor.peek().range, "an assignment has one '='; write two lines");
        return out;
    }

    std::vector<NameSyntax> targetsOf(ExprId id)
    {
        const Expr expr = m_cursor.tree().expr(id);
        if (expr.kind == ExprKind::Name)
            return {{expr.text, expr.range}};
        std::vector<NameSyntax> out;
        for (const ExprId operand : expr.kind == ExprKind::List ? expr.operands : std::vector<ExprId>{}) {
            const Expr &item = m_cursor.tree().expr(operand);
            if (item.kind == ExprKind::Name)
                out.push_back({item.text, item.range});
        }
        if (out.empty() || out.size() != expr.operands.size())
            m_cursor.error(expr.range, "only a name can be assigned to; tensors are never changed in place");
        return out;
    }

    Statement parseAugmented(ExprId target, std::string_view symbol)
    {
        Statement out{.kind = StatementKind::Assign, .text = symbol.substr(0, symbol.size() - 1), .targets = targetsOf(target)};
        if (out.targets.size() > 1)
            m_cursor.error(m_cursor.peek().range, "'{}' assigns to one name", symbol);
        m_cursor.advance();
        out.value = m_expressions.parseExpressionList();
        return out;
    }

    // Parses n: dim[1, 4096] or n: dim[1, 4096] = 32 or x: f32[2, 3] = value
    Statement parseAnnotated()
    {
        Statement out{.kind = StatementKind::Assign, .targets = {parseName("a name")}};
        m_cursor.advance();
        const bool isDimension = m_cursor.peek().text == "dim";
        out.type = m_expressions.parseType();
        if (isDimension) {
            out.kind = StatementKind::Dimension;
            if (m_cursor.takeSymbol("="))
                out.value = m_expressions.parseExpressionList();
            return out;
        }
        if (m_cursor.expectSymbol("=", "and the value"))
            out.value = m_expressions.parseExpressionList();
        return out;
    }

    Statement parseReturn()
    {
        m_cursor.advance();
        Statement out{.kind = StatementKind::Return};
        if (!m_cursor.atKind(TokenKind::Newline))
            out.value = m_expressions.parseExpressionList();
        return out;
    }

    Statement parseDef()
    {
        const TextRange begin = m_cursor.advance().range;
        Statement out{.kind = StatementKind::Def, .targets = {parseName("the name of the function")}};
        if (m_cursor.expectSymbol("(", "and the parameters"))
            parseParameters(out.parameters);
        out.range = joined(begin, m_cursor.lastRange());
        out.isBroken = m_cursor.inPanic();
        parseBlock(out.body);
        return out;
    }

    void parseParameters(std::vector<ParameterSyntax> &parameters)
    {
        while (!m_cursor.inPanic() && !m_cursor.atSymbol(")")) {
            if (parameters.size() == kMaxParameters) {
                m_cursor.report(Diagnostic::error(Code::Limit, m_cursor.source().rangeOf(m_cursor.peek().range),
                                                  "a function has at most {} parameters", kMaxParameters));
                return;
            }
            ParameterSyntax parameter{parseName("a parameter"), {}, {}};
            for (const ParameterSyntax &earlier : parameters) {
                if (earlier.name.text == parameter.name.text && !m_cursor.inPanic())
                    m_cursor.error(parameter.name.range, "two parameters are called {}", parameter.name.text);
            }
            if (m_cursor.takeSymbol(":"))
                parameter.type = m_expressions.parseType();
            if (m_cursor.takeSymbol("="))
                parameter.defaultValue = m_expressions.parseExpression();
            else if (!parameters.empty() && parameters.back().defaultValue.isValid())
                m_cursor.error(parameter.name.range, "a parameter without a default stands after one with a default");
            parameters.push_back(parameter);
            if (!m_cursor.takeSymbol(","))
                break;
        }
        m_cursor.expectSymbol(")", "to close the parameters");
    }

    // An "elif" becomes an "if" in the other branch.
    Statement parseIf()
    {
        const TextRange begin = m_cursor.advance().range;
        Statement out{.kind = StatementKind::If};
        out.value = m_expressions.parseExpression();
        out.range = joined(begin, m_cursor.lastRange());
        out.isBroken = m_cursor.inPanic();
        parseBlock(out.body);
        if (m_cursor.atKeyword("elif")) {
            const bool entered = m_expressions.enter();
            Statement nested = entered ? parseIf() : Statement{};
            if (!entered)
                endStatement();
            m_expressions.leave();
            m_cursor.tree().statements.push_back(std::move(nested));
            out.otherwise.push_back(StatementId(m_cursor.tree().statements.size() - 1));
        } else if (m_cursor.atKeyword("else")) {
            m_cursor.advance();
            parseBlock(out.otherwise);
        }
        return out;
    }

    Statement parseFor()
    {
        const TextRange begin = m_cursor.advance().range;
        Statement out{.kind = StatementKind::For, .targets = m_expressions.parseLoopNames()};
        if (!m_cursor.takeKeyword("in"))
            m_cursor.unexpected("'in' and what to go through");
        out.value = m_expressions.parseExpressionList();
        out.range = joined(begin, m_cursor.lastRange());
        out.isBroken = m_cursor.inPanic();
        parseBlock(out.body);
        return out;
    }

    Statement parseScope()
    {
        const TextRange begin = m_cursor.advance().range;
        Statement out{.kind = StatementKind::Scope, .value = m_expressions.parseExpression()};
        out.range = joined(begin, m_cursor.lastRange());
        out.isBroken = m_cursor.inPanic();
        parseBlock(out.body);
        return out;
    }

    // Parses ": NEWLINE INDENT statements DEDENT", or one statement on the same line.
    void parseBlock(std::vector<StatementId> &block)
    {
        m_cursor.expectSymbol(":", "before the block");
        if (!m_cursor.inPanic() && !m_cursor.atKind(TokenKind::Newline)) {
            if (m_expressions.enter())
                block.push_back(parseStatement());
            else
                endStatement();
            m_expressions.leave();
            return;
        }
        endStatement();
        if (!m_cursor.atKind(TokenKind::Indent)) {
            if (!m_cursor.inPanic())
                m_cursor.error(nextWordRange(), "expected an indented block");
            m_cursor.endPanic();
            return;
        }
        m_cursor.endPanic();
        m_cursor.advance();
        parseNestedStatements(block);
    }

    void skipBlock()
    {
        for (int depth = 1; depth > 0 && !m_cursor.atKind(TokenKind::EndOfFile); m_cursor.advance()) {
            if (m_cursor.atKind(TokenKind::Indent))
                ++depth;
            else if (m_cursor.atKind(TokenKind::Dedent))
                --depth;
        }
        m_cursor.endPanic();
    }

    [[nodiscard]] TextRange nextWordRange() const
    {
        return m_cursor.atKind(TokenKind::Indent) ? m_cursor.peek(1).range : m_cursor.peek().range;
    }

    TokenCursor m_cursor;
    ExpressionParser m_expressions;
};

} // namespace

ParsedFile parse(const SourceText &source)
{
    return Parser(source).run();
}

} // namespace sw::language
