#include "engine/base/json.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace sw {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length of the UTF-8 sequence at the start of the text; 0 when there is none.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : (first >> 5U) == 6 ? 2 : (first >> 4U) == 14 ? 3 : (first >> 3U) == 30 ? 4 : 0;
    if (length == 0 || length > text.size())
        return 0;
    std::uint32_t point = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) >> 6U) != 2)
            return 0;
        point = point << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = point >= 0xD800 && point < 0xE000;
    return point < kSmallest[length] || point > 0x10FFFF || isSurrogate ? 0 : length;
}

std::string escaped(unsigned char c)
{
    constexpr std::string_view kSpecial = "\"\\\n\t\r";
    constexpr std::string_view kLetters = "\"\\ntr";
    if (const std::size_t at = kSpecial.find(static_cast<char>(c)); at != std::string_view::npos)
        return {'\\', kLetters[at]};
    return c < 0x20 ? format("\\u{:04x}", c) : std::string(1, static_cast<char>(c));
}

} // namespace

std::string jsonQuoted(std::string_view text)
{
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 1)
            out += escaped(static_cast<unsigned char>(text.front()));
        else
            out += length == 0 ? kReplacement : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

JsonWriter &JsonWriter::key(std::string_view name)
{
    SW_ASSERT(!m_levels.empty() && m_levels.back().closing == '}' && !m_afterKey, "a key stands in an object, before a value");
    separate();
    m_text += jsonQuoted(name);
    m_text += m_layout == JsonLayout::Compact ? ":" : ": ";
    m_afterKey = true;
    return *this;
}

JsonWriter &JsonWriter::value(std::string_view text)
{
    return raw(jsonQuoted(text));
}

JsonWriter &JsonWriter::value(bool truth)
{
    return raw(truth ? "true" : "false");
}

JsonWriter &JsonWriter::value(double number)
{
    if (!std::isfinite(number))
        return value(std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    return raw(floatText(number));
}

JsonWriter &JsonWriter::value(std::int64_t number)
{
    return raw(format("{}", number));
}

JsonWriter &JsonWriter::value(std::uint64_t number)
{
    return raw(format("{}", number));
}

JsonWriter &JsonWriter::null()
{
    return raw("null");
}

JsonWriter &JsonWriter::integers(std::span<const std::int64_t> numbers)
{
    raw("[");
    std::array<char, 24> digits{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0)
            m_text += ',';
        m_text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), numbers[i]).ptr);
    }
    m_text += ']';
    return *this;
}

std::string JsonWriter::text() const
{
    SW_ASSERT(m_levels.empty() && !m_text.empty(), "a closed document");
    return m_text + '\n';
}

JsonWriter &JsonWriter::open(char opening, char closing)
{
    raw(std::string_view(&opening, 1));
    m_levels.push_back({closing});
    return *this;
}

JsonWriter &JsonWriter::close()
{
    SW_ASSERT(!m_levels.empty() && !m_afterKey, "an open object or array");
    const Level level = m_levels.back();
    m_levels.pop_back();
    if (!level.isEmpty)
        indent();
    m_text += level.closing;
    return *this;
}

JsonWriter &JsonWriter::raw(std::string_view text)
{
    if (m_afterKey)
        m_afterKey = false;
    else
        separate();
    m_text += text;
    return *this;
}

void JsonWriter::separate()
{
    if (m_levels.empty())
        return;
    if (!m_levels.back().isEmpty)
        m_text += ',';
    m_levels.back().isEmpty = false;
    indent();
}

void JsonWriter::indent()
{
    if (m_layout == JsonLayout::Compact)
        return;
    m_text += '\n';
    m_text.append(2 * m_levels.size(), ' ');
}

} // namespace sw
