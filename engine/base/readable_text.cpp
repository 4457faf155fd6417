#include "engine/base/readable_text.h"

#include "engine/base/text.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kLongestWord = 400; // paths can be long, too
constexpr std::size_t kLongestText = 8000;

// The length of the UTF-8 sequence at the start of the text; 0: there is none.
std::size_t sequenceLength(std::string_view text)
{
    const auto byteAt = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byteAt(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byteAt(i) & 0xc0U) != 0x80)
            return 0;
    const bool isOverlong = (first == 0xe0 && byteAt(1) < 0xa0) || (first == 0xf0 && byteAt(1) < 0x90);
    const bool isOutside = (first == 0xed && byteAt(1) > 0x9f) || (first == 0xf4 && byteAt(1) > 0x8f);
    return isOverlong || isOutside ? 0 : length;
}

// Cuts the middle out of a text of more than `most` bytes. A cut may split a character; its bytes are then escaped.
std::string shortened(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return std::string(text);
    const std::size_t kept = most / 2;
    return format("{}...({} more bytes)...{}", text.substr(0, kept), text.size() - 2 * kept, text.substr(text.size() - kept));
}

std::string escaped(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        const bool isControl = static_cast<unsigned char>(text[0]) < 0x20 || text[0] == '\x7f';
        if (length == 0 || (isControl && text[0] != '\n' && text[0] != '\t'))
            out += format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

} // namespace

std::string readableText(std::string_view text)
{
    std::string words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n\t"), text.size() - 1) + 1;
        words += shortened(text.substr(0, end), kLongestWord);
        text.remove_prefix(end);
    }
    return escaped(shortened(words, kLongestText));
}

} // namespace sw
