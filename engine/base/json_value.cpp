#include "engine/base/json_value.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sw {

namespace {

void appendUtf8(std::string &out, std::uint32_t point)
{
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xC0U | point >> 6U);
        add(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
        add(0xE0U | point >> 12U);
        add(0x80U | (point >> 6U & 0x3FU));
        add(0x80U | (point & 0x3FU));
    } else {
        add(0xF0U | point >> 18U);
        add(0x80U | (point >> 12U & 0x3FU));
        add(0x80U | (point >> 6U & 0x3FU));
        add(0x80U | (point & 0x3FU));
    }
}

class JsonParser {
public:
    JsonParser(std::string_view text, std::string_view file) : m_text(text), m_file(file) {}

    Result<JsonValue> parse()
    {
        SW_TRY(JsonValue value, parseValue(0));
        skipBlanks();
        if (m_at != m_text.size())
            return expected("the end of the text");
        return value;
    }

private:
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    void skipBlanks()
    {
        while (m_at < m_text.size() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t'))
            ++m_at;
    }

    bool accept(std::string_view word)
    {
        if (m_text.substr(m_at, word.size()) != word)
            return false;
        m_at += word.size();
        return true;
    }

    [[nodiscard]] SourceRange here() const
    {
        const std::string_view before = m_text.substr(0, m_at);
        const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
        const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
        const auto column = static_cast<std::uint32_t>(m_at - lineStart + 1);
        return {std::string(m_file), line, column, line, column + 1};
    }

    [[nodiscard]] Diagnostic expected(std::string_view what) const
    {
        const std::string found = m_at >= m_text.size() ? "the end of the text" : quoted(m_text.substr(m_at, 1));
        return Diagnostic::error(Code::Syntax, here(), "found {}, expected {}", found, what);
    }

    Result<JsonValue> parseValue(int level)
    {
        if (level > kMostJsonLevels)
            return Diagnostic::error(Code::Limit, here(), "nested deeper than {} levels", kMostJsonLevels);
        skipBlanks();
        switch (peek()) {
        case '{':
            return parseObject(level);
        case '[':
            return parseArray(level);
        case '"': {
            SW_TRY(std::string text, parseString());
            return JsonValue(std::move(text));
        }
        default:
            return parseWord();
        }
    }

    Result<JsonValue> parseWord()
    {
        if (accept("true"))
            return JsonValue(true);
        if (accept("false"))
            return JsonValue(false);
        if (accept("null"))
            return JsonValue();
        if (const std::optional<std::int64_t> integer = acceptInteger())
            return JsonValue(*integer);
        return parseFraction();
    }

    [[nodiscard]] std::size_t endOfNumber() const
    {
        return std::min(m_text.find_first_not_of("+-.0123456789eE", m_at), m_text.size());
    }

    // Nothing, and nothing is read, when there is no integer here, or it does not fit.
    std::optional<std::int64_t> acceptInteger()
    {
        const char *const begin = m_text.data() + m_at;
        const char *const end = m_text.data() + m_text.size();
        const bool isNegative = begin != end && *begin == '-';
        const char *const digits = begin + (isNegative ? 1 : 0);
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(begin, end, number);
        const bool hasLeadingZero = stop - digits > 1 && *digits == '0';
        const bool goesOn = stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E');
        if (error != std::errc() || goesOn || hasLeadingZero)
            return std::nullopt;
        m_at += static_cast<std::size_t>(stop - begin);
        return number;
    }

    Result<JsonValue> parseFraction()
    {
        const std::string_view word = m_text.substr(m_at, endOfNumber() - m_at);
        const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        const std::size_t point = digits.find('.');
        const bool isMalformed = digits.empty() || !isDigit(digits.front()) ||
                                 (digits.size() > 1 && digits.front() == '0' && isDigit(digits[1])) ||
                                 (point != std::string_view::npos && (point + 1 == digits.size() || !isDigit(digits[point + 1])));
        double number = 0;
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (isMalformed || error != std::errc() || stop != word.data() + word.size())
            return expected("a value");
        m_at += word.size();
        return JsonValue(number);
    }

    // Reads integers as long as there is nothing else in the array.
    Result<JsonValue> parseArray(int level)
    {
        ++m_at;
        skipBlanks();
        JsonValue::Integers integers;
        if (accept("]"))
            return JsonValue(std::move(integers));
        for (;;) {
            skipBlanks();
            const std::optional<std::int64_t> number = acceptInteger();
            if (!number)
                return parseMixed(level, integers);
            integers.push_back(*number);
            skipBlanks();
            if (accept("]"))
                return JsonValue(std::move(integers));
            if (!accept(","))
                return expected("',' or ']'");
        }
    }

    Result<JsonValue> parseMixed(int level, const JsonValue::Integers &before)
    {
        JsonValue::Array values;
        for (const std::int64_t number : before)
            values.emplace_back(number);
        for (;;) {
            SW_TRY(JsonValue value, parseValue(level + 1));
            values.push_back(std::move(value));
            skipBlanks();
            if (accept("]"))
                return JsonValue(std::move(values));
            if (!accept(","))
                return expected("',' or ']'");
        }
    }

    Result<JsonValue> parseObject(int level)
    {
        ++m_at;
        JsonValue::Object members;
        skipBlanks();
        if (accept("}"))
            return JsonValue(std::move(members));
        for (;;) {
            skipBlanks();
            if (peek() != '"')
                return expected("a name");
            SW_TRY(std::string name, parseString());
            if (members.size() == kMostJsonNames)
                return Diagnostic::error(Code::Limit, here(), "an object with more than {} names", kMostJsonNames);
            if (std::ranges::find(members, name, &JsonValue::Object::value_type::first) != members.end())
                return Diagnostic::error(Code::Syntax, here(), "the name {} is there twice", quoted(name));
            skipBlanks();
            if (!accept(":"))
                return expected("':'");
            SW_TRY(JsonValue value, parseValue(level + 1));
            members.emplace_back(std::move(name), std::move(value));
            skipBlanks();
            if (accept("}"))
                return JsonValue(std::move(members));
            if (!accept(","))
                return expected("',' or '}'");
        }
    }

    Result<std::string> parseString()
    {
        ++m_at;
        std::string text;
        for (;;) {
            const std::size_t begin = m_at;
            while (m_at < m_text.size() && peek() != '"' && peek() != '\\' && static_cast<unsigned char>(peek()) >= 0x20)
                ++m_at;
            text += m_text.substr(begin, m_at - begin);
            if (accept("\""))
                return text;
            if (!accept("\\"))
                return expected("the end of the string");
            SW_CHECK(parseEscape(text));
        }
    }

    Result<Done> parseEscape(std::string &text)
    {
        constexpr std::string_view kLetters = "\"\\/bfnrt";
        constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
        if (const std::size_t at = kLetters.find(peek()); m_at < m_text.size() && at != std::string_view::npos) {
            text += kMeant[at];
            ++m_at;
            return Done{};
        }
        SW_TRY(std::uint32_t point, parseUnit());
        if (point >= 0xDC00 && point < 0xE000)
            return expected("the first half of a surrogate pair before this one");
        if (point >= 0xD800 && point < 0xDC00) {
            if (!accept("\\"))
                return expected("the second half of a surrogate pair");
            SW_TRY(const std::uint32_t low, parseUnit());
            if (low < 0xDC00 || low >= 0xE000)
                return expected("the second half of a surrogate pair before this");
            point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
        }
        appendUtf8(text, point);
        return Done{};
    }

    // The four digits behind a backslash, "u00e4".
    Result<std::uint32_t> parseUnit()
    {
        std::uint32_t unit = 0;
        const std::string_view digits = m_text.substr(std::min(m_at + 1, m_text.size()), 4);
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (peek() != 'u' || digits.size() != 4 || error != std::errc() || stop != digits.data() + 4)
            return expected("an escape: \\uNNNN or one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t");
        m_at += 5;
        return unit;
    }

    std::string_view m_text;
    std::string_view m_file;
    std::size_t m_at = 0;
};

} // namespace

const JsonValue *JsonValue::find(std::string_view name) const
{
    const Object *members = object();
    if (members == nullptr)
        return nullptr;
    const auto found = std::ranges::find(*members, name, &Object::value_type::first);
    return found == members->end() ? nullptr : &found->second;
}

Result<JsonValue> parseJson(std::string_view text, std::string_view file)
{
    return JsonParser(text, file).parse();
}

} // namespace sw
