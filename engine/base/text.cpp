#include "engine/base/text.h"

#include <charconv>
#include <cmath>

namespace sw
{

namespace
{

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
