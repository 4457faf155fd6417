#include "engine/base/text.h"

#include <charconv>
#include <cmath>

namespace sw {

namespace {

template <class Float>
std::string shortestText(Float value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The character that the escape at the start of the text stands for; `used` becomes the length of the escape.
std::optional<char> escapedCharacter(std::string_view text, std::size_t &used)
{
    used = 2;
    if (text.size() < 2)
        return std::nullopt;
    switch (text[1]) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '"':
    case '\\':
        return text[1];
    case 'x': {
        used = 4;
        unsigned value = 0;
        if (text.size() < 4)
            return std::nullopt;
        const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 4, value, 16);
        return error == std::errc{} && end == text.data() + 4 ? std::optional(static_cast<char>(value)) : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

} // namespace

std::string floatText(double value)
{
    return shortestText(value);
}

std::string floatText(float value)
{
    return shortestText(value);
}

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    out += '"';
    return out;
}

std::optional<std::string> unquoted(std::string_view literal)
{
    if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"')
        return std::nullopt;
    literal = literal.substr(1, literal.size() - 2);
    std::string out;
    while (!literal.empty()) {
        std::size_t used = 1;
        if (literal.front() == '"')
            return std::nullopt;
        if (literal.front() == '\\') {
            const std::optional<char> escaped = escapedCharacter(literal, used);
            if (!escaped)
                return std::nullopt;
            out += *escaped;
        } else {
            out += literal.front();
        }
        literal.remove_prefix(used);
    }
    return out;
}

std::string identifierText(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += isWordCharacter(c) ? c : '_';
    if (out.empty() || (out.front() >= '0' && out.front() <= '9'))
        out.insert(out.begin(), '_');
    return out;
}

} // namespace sw
