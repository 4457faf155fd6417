#include "engine/language/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw::language {

namespace {

constexpr std::array<std::string_view, 22> kKeywords = {"def",   "return", "if",    "elif", "else",   "for",   "in",   "and",
                                                        "or",    "not",    "is",    "pass", "None",   "True",  "true", "False",
                                                        "false", "while",  "class", "with", "lambda", "import"};
// Longest first, because the first match is taken.
constexpr std::array<std::string_view, 51> kSymbols = {
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=",
    "%=",  "@=",  "&=",  "|=",  "^=",  "->", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",  "^",  "~",  "<",
    ">",   "=",   "(",   ")",   "[",   "]",  "{",  "}",  ",",  ":",  ".",  ";",  "!",  "?",  "$",  "\\", "`"};
// Words that only begin statements: inside brackets they show that a bracket was not closed.
constexpr std::array<std::string_view, 3> kStatementWords = {"input", "param", "output"};

constexpr std::uint32_t kTabWidth = 8;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isNameCharacter(char c)
{
    return isNameStart(c) || isDigit(c);
}

class Lexer {
public:
    explicit Lexer(const SourceText &source) : m_source(source), m_text(source.text()) {}

    TokenList run()
    {
        if (m_text.starts_with("\xef\xbb\xbf"))
            m_at = 3;
        while (m_at < m_text.size())
            lexLine();
        endLogicalLine();
        closeBlocks(0);
        push(TokenKind::EndOfFile, m_at, m_at);
        return std::move(m_out);
    }

private:
    struct OpenBracket {
        char symbol = '(';
        TextRange range;
    };

    // Indentation matters only where a statement may begin.
    void lexLine()
    {
        const std::uint32_t indent = skipIndentation();
        if (atEndOfLine()) {
            skipToNextLine();
            return;
        }
        if (!m_brackets.empty() && (beginsWithKeyword() || (indent <= m_indents.back() && beginsStatement())))
            abandonBrackets();
        if (m_brackets.empty() && !m_continued)
            indentTo(indent);
        m_continued = false;
        while (!atEndOfLine() && !m_continued)
            lexToken();
        if (m_brackets.empty() && !m_continued)
            endLogicalLine();
        skipToNextLine();
    }

    std::uint32_t skipIndentation()
    {
        std::uint32_t width = 0;
        for (; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == ' ')
                ++width;
            else if (m_text[m_at] == '\t')
                width = (width / kTabWidth + 1) * kTabWidth;
            else if (m_text[m_at] != '\r' && m_text[m_at] != '\f')
                break;
        }
        return width;
    }

    [[nodiscard]] bool atEndOfLine() const { return m_at >= m_text.size() || m_text[m_at] == '\n' || m_text[m_at] == '#'; }

    void skipToNextLine() { m_at = std::min(m_text.find('\n', m_at), m_text.size() - 1) + 1; }

    void indentTo(std::uint32_t indent)
    {
        if (indent > m_indents.back()) {
            m_indents.push_back(indent);
            push(TokenKind::Indent, m_at, m_at);
            return;
        }
        closeBlocks(indent);
        if (indent == m_indents.back())
            return;
        m_indents.push_back(indent); // accepted, or else every line of the block would be reported
        m_out.diagnostics.push_back(Diagnostic::error(Code::Syntax, m_source.rangeOf(rangeFrom(m_at)),
                                                      "this line is indented by {} columns, which matches no block around it",
                                                      indent));
        push(TokenKind::Indent, m_at, m_at);
    }

    void closeBlocks(std::uint32_t indent)
    {
        while (m_indents.back() > indent) {
            m_indents.pop_back();
            push(TokenKind::Dedent, m_at, m_at);
        }
    }

    void endLogicalLine()
    {
        if (!m_brackets.empty())
            abandonBrackets();
        else if (!m_out.tokens.empty() && m_out.tokens.back().kind != TokenKind::Newline)
            push(TokenKind::Newline, m_at, m_at);
    }

    [[nodiscard]] std::string_view wordHere() const
    {
        std::size_t end = m_at;
        while (end < m_text.size() && isNameCharacter(m_text[end]))
            ++end;
        return m_text.substr(m_at, end - m_at);
    }

    // These words cannot appear in an expression.
    [[nodiscard]] bool beginsWithKeyword() const { return wordHere() == "def" || wordHere() == "return"; }

    [[nodiscard]] bool beginsStatement() const
    {
        const std::string_view word = wordHere();
        std::size_t end = m_at + word.size();
        if (word.empty() || isDigit(word.front()))
            return false;
        while (end < m_text.size() && m_text[end] == ' ')
            ++end;
        const std::string_view rest = m_text.substr(std::min(end, m_text.size()));
        if (std::ranges::find(kStatementWords, word) != kStatementWords.end())
            return !rest.empty() && rest.front() != '=' && rest.front() != ',' && rest.front() != ')';
        return rest.starts_with("=") && !rest.starts_with("==");
    }

    void abandonBrackets()
    {
        const OpenBracket &open = m_brackets.back();
        m_out.diagnostics.push_back(
            Diagnostic::error(Code::Syntax, m_source.rangeOf(open.range), "'{}' is never closed", open.symbol));
        m_brackets.clear();
        push(TokenKind::Bad, m_at, m_at);
        push(TokenKind::Newline, m_at, m_at);
    }

    void lexToken()
    {
        const char c = m_text[m_at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            ++m_at;
            return;
        }
        if (isNameStart(c))
            lexWord();
        else if (isDigit(c) || (c == '.' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1])))
            lexNumber();
        else if (c == '"' || c == '\'')
            lexString();
        else
            lexSymbol();
    }

    void lexWord()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameCharacter(m_text[m_at]))
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        const bool isKeyword = std::ranges::find(kKeywords, word) != kKeywords.end();
        push(isKeyword ? TokenKind::Keyword : TokenKind::Name, begin, m_at);
    }

    void lexNumber()
    {
        const std::size_t begin = m_at;
        bool isFloat = false;
        if (m_text[m_at] == '0' && m_at + 1 < m_text.size() &&
            std::string_view("xXbBoO").find(m_text[m_at + 1]) != std::string_view::npos) {
            while (m_at < m_text.size() && isNameCharacter(m_text[m_at]))
                ++m_at;
            push(TokenKind::Int, begin, m_at);
            return;
        }
        skipDigits();
        // A dot after digits belongs to the number unless a name follows, as in "1.reshape".
        if (m_at < m_text.size() && m_text[m_at] == '.' && !isNameStart(characterAfter(1))) {
            isFloat = true;
            ++m_at;
            skipDigits();
        }
        if (m_at < m_text.size() && (m_text[m_at] == 'e' || m_text[m_at] == 'E')) {
            const bool hasSign = characterAfter(1) == '+' || characterAfter(1) == '-';
            if (isDigit(characterAfter(hasSign ? 2 : 1))) {
                isFloat = true;
                m_at += hasSign ? 2 : 1;
                skipDigits();
            }
        }
        if (m_at < m_text.size() && isNameStart(m_text[m_at])) {
            while (m_at < m_text.size() && isNameCharacter(m_text[m_at]))
                ++m_at;
            bad(begin, "'{}' is neither a number nor a name", m_text.substr(begin, m_at - begin));
            return;
        }
        push(isFloat ? TokenKind::Float : TokenKind::Int, begin, m_at);
    }

    void skipDigits()
    {
        while (m_at < m_text.size() && (isDigit(m_text[m_at]) || m_text[m_at] == '_'))
            ++m_at;
    }

    [[nodiscard]] char characterAfter(std::size_t count) const
    {
        return m_at + count < m_text.size() ? m_text[m_at + count] : '\n';
    }

    // The token keeps its quotes; the parser decodes the escapes.
    void lexString()
    {
        const std::size_t begin = m_at;
        const char quote = m_text[m_at++];
        while (m_at < m_text.size() && m_text[m_at] != quote && m_text[m_at] != '\n')
            m_at += m_text[m_at] == '\\' && characterAfter(1) != '\n' ? 2 : 1;
        m_at = std::min(m_at, m_text.size());
        if (m_at >= m_text.size() || m_text[m_at] != quote) {
            bad(begin, "a string that begins with {} is not closed on its line", quote);
            return;
        }
        ++m_at;
        push(TokenKind::String, begin, m_at);
    }

    void lexSymbol()
    {
        const std::size_t begin = m_at;
        const std::string_view rest = m_text.substr(m_at);
        const auto symbol = std::ranges::find_if(kSymbols, [&](std::string_view s) { return rest.starts_with(s); });
        if (symbol == kSymbols.end()) {
            // All bytes of a non-ASCII character belong to one message.
            while (m_at < m_text.size() && static_cast<unsigned char>(m_text[m_at]) >= 0x80)
                ++m_at;
            m_at = std::max(m_at, begin + 1);
            bad(begin, "{} is not a character of the language", quoted(m_text.substr(begin, m_at - begin)));
            return;
        }
        const std::string_view after = rest.substr(1);
        if (*symbol == "\\" && (after.starts_with("\n") || after.starts_with("\r\n"))) {
            m_continued = true;
            m_at += after.front() == '\r' ? 2 : 1;
            return;
        }
        m_at += symbol->size();
        push(TokenKind::Symbol, begin, m_at);
        trackBracket(m_out.tokens.back());
    }

    void trackBracket(const Token &token)
    {
        const char c = token.text.front();
        if (c == '(' || c == '[' || c == '{')
            m_brackets.push_back({c, token.range});
        else if ((c == ')' || c == ']' || c == '}') && !m_brackets.empty())
            m_brackets.pop_back(); // the parser checks that they match
    }

    template <class... Args>
    void bad(std::size_t begin, fmt::format_string<Args...> pattern, Args &&...args)
    {
        push(TokenKind::Bad, begin, m_at);
        m_out.diagnostics.push_back(
            Diagnostic::error(Code::Syntax, m_source.rangeOf(m_out.tokens.back().range), pattern, std::forward<Args>(args)...));
    }

    void push(TokenKind kind, std::size_t begin, std::size_t end)
    {
        m_out.tokens.push_back(
            {kind, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, m_text.substr(begin, end - begin)});
    }

    [[nodiscard]] static TextRange rangeFrom(std::size_t begin)
    {
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)};
    }

    const SourceText &m_source;
    std::string_view m_text;
    std::size_t m_at = 0;
    std::vector<std::uint32_t> m_indents{0};
    std::vector<OpenBracket> m_brackets;
    bool m_continued = false; // the last line ended with a backslash
    TokenList m_out;
};

} // namespace

std::span<const std::string_view> keywords()
{
    return kKeywords;
}

TokenList tokenize(const SourceText &source)
{
    return Lexer(source).run();
}

} // namespace sw::language
