#include "engine/backend/source/prelude.h"

#include "engine/base/assert.h"

namespace sw {

namespace {

constexpr std::string_view kMarker = "### ";

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> found;
    while (true) {
        const std::size_t start = text.find_first_not_of(' ');
        if (start == std::string_view::npos)
            return found;
        text.remove_prefix(start);
        const std::size_t end = std::min(text.find(' '), text.size());
        found.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::size_t closingBrace(std::string_view text, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '{')
            ++depth;
        if (text[i] == '}' && --depth == 0)
            return i;
    }
    SW_ASSERT(false, "a closing brace in: " + std::string(text));
    return text.size();
}

bool isNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

std::string substituted(std::string_view pattern, const PlaceholderText &replacement)
{
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        const bool isDoubled = (c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c;
        if (isDoubled) {
            out += c;
            ++i;
        } else if (c == '{') {
            const std::size_t end = closingBrace(pattern, i);
            const std::string_view inside = pattern.substr(i + 1, end - i - 1);
            const bool isNested = inside.find('{') != std::string_view::npos;
            out += isNested ? replacement(substituted(inside, replacement)) : replacement(inside);
            i = end;
        } else {
            out += c;
        }
    }
    return out;
}

PreludeTemplates::PreludeTemplates(std::string_view file)
{
    std::size_t at = file.find(kMarker);
    while (at != std::string_view::npos) {
        const std::size_t lineEnd = file.find('\n', at);
        const std::size_t next = file.find("\n### ", at);
        const std::size_t end = next == std::string_view::npos ? file.size() : next + 1;
        const std::string_view header = file.substr(at + kMarker.size(), lineEnd - at - kMarker.size());
        const std::size_t colon = std::min(header.find(':'), header.size());
        PreludeTemplate entry;
        entry.needs = words(header.substr(std::min(colon + 1, header.size())));
        entry.text = file.substr(lineEnd + 1, end - lineEnd - 1);
        // combinedProgram() recognises helpers by the empty lines between them.
        if (!entry.text.ends_with("\n\n"))
            entry.text += '\n';
        m_templates.emplace(std::string(header.substr(0, colon)), std::move(entry));
        at = next == std::string_view::npos ? next : next + 1;
    }
}

const PreludeTemplate &PreludeTemplates::find(std::string_view name) const
{
    const auto found = m_templates.find(name);
    SW_ASSERT(found != m_templates.end(), "a prelude template named " + std::string(name));
    return found->second;
}

void PreludeInstances::use(std::string_view name, std::string_view key, const PlaceholderText &replacement)
{
    if (!m_used.insert(format("{}|{}", name, key)).second)
        return;
    const PreludeTemplate &entry = m_templates.find(name);
    for (const std::string &needed : entry.needs)
        use(needed, key, replacement);
    m_text += substituted(entry.text, replacement);
}

std::vector<std::string_view> helpersIn(std::string_view spelling)
{
    std::vector<std::string_view> found;
    std::size_t at = spelling.find("sw_");
    while (at != std::string_view::npos) {
        std::size_t end = at;
        while (end < spelling.size() && isNameCharacter(spelling[end]))
            ++end;
        std::string_view name = spelling.substr(at, end - at);
        while (name.ends_with('_'))
            name.remove_suffix(1);
        found.push_back(name);
        at = spelling.find("sw_", end);
    }
    return found;
}

} // namespace sw
