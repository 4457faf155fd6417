#include "ui/text_view/comparable_text.h"

#include <cctype>
#include <string_view>
#include <unordered_map>

namespace stepwell::ui {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The digits after the % at `at`; empty for a named value.
std::string_view numberAt(std::string_view line, std::size_t at)
{
    std::size_t end = at + 1;
    while (end < line.size() && isDigit(line[end]))
        ++end;
    const bool isName = end < line.size() && isWordPart(line[end]);
    return isName ? std::string_view() : line.substr(at + 1, end - at - 1);
}

// The word that makes the value in a line "%12 = word ...".
std::string_view operationOf(std::string_view line, std::size_t afterNumber)
{
    if (!line.substr(afterNumber).starts_with(" = "))
        return {};
    const std::size_t start = afterNumber + 3;
    std::size_t end = start;
    while (end < line.size() && isWordPart(line[end]))
        ++end;
    return line.substr(start, end - start);
}

} // namespace

std::vector<std::string> comparableTexts(const sw::StageDocument &document)
{
    std::vector<std::string> texts;
    texts.reserve(document.lines.size());
    std::unordered_map<std::string, std::string> makers; // by number; each kernel numbers its values afresh
    for (const sw::DocumentLine &line : document.lines) {
        const std::string_view text = line.text;
        std::string comparable;
        for (std::size_t i = 0; i < text.size();) {
            const std::string_view number = text[i] == '%' ? numberAt(text, i) : std::string_view();
            if (number.empty()) {
                comparable += text[i++];
                continue;
            }
            i += 1 + number.size();
            if (const std::string_view operation = operationOf(text, i); !operation.empty())
                makers[std::string(number)] = operation;
            const auto maker = makers.find(std::string(number));
            comparable += '%';
            comparable += maker == makers.end() ? std::string(number) : maker->second;
        }
        texts.push_back(std::move(comparable));
    }
    return texts;
}

} // namespace stepwell::ui
