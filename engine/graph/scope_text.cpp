#include "engine/graph/scope_text.h"

#include "engine/base/text.h"

#include <algorithm>
#include <charconv>

namespace sw {

namespace {

// The limit is needed because each level of a text repeats the levels around it.
constexpr std::ptrdiff_t kMaximumNesting = 1000;

// Writes '%', '/' and '~' as %25, %2f and %7e.
std::string escaped(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        if (c == '%' || c == '/' || c == '~')
            out += format("%{:02x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out;
}

std::optional<std::string> unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned value = 0;
        if (i + 3 > text.size())
            return std::nullopt;
        const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
        if (error != std::errc{} || end != text.data() + i + 3)
            return std::nullopt;
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

} // namespace

const std::string &ScopeNames::textOf(ScopeId scope)
{
    const auto isOutside = [](ScopeId id) { return !id.isValid() || id == SourceMap::rootScope(); };
    std::vector<ScopeId> unnamed; // from the scope outwards
    for (ScopeId id = scope; !isOutside(id) && !m_texts.contains(id); id = m_sources.scope(id).parent)
        unnamed.push_back(id);
    for (auto id = unnamed.rbegin(); id != unnamed.rend(); ++id) {
        const Scope &found = m_sources.scope(*id);
        std::string text = isOutside(found.parent) ? escaped(found.name) : m_texts[found.parent] + "/" + escaped(found.name);
        const std::uint32_t appearance = ++m_appearances[text];
        if (appearance > 1)
            text += format("~{}", appearance);
        m_texts.emplace(*id, std::move(text));
    }
    return m_texts[scope];
}

std::optional<ScopeId> ScopeReader::scopeOf(std::string_view text)
{
    const auto known = m_scopes.find(text);
    if (known != m_scopes.end())
        return known->second;
    if (std::ranges::count(text, '/') >= kMaximumNesting)
        return std::nullopt;
    ScopeId scope = SourceMap::rootScope();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        const std::string_view path = text.substr(0, end);
        const std::string_view last = text.substr(begin, end - begin);
        begin = end + 1;
        if (const auto outer = m_scopes.find(path); outer != m_scopes.end()) {
            scope = outer->second;
            continue;
        }
        const std::optional<std::string> name = unescaped(last.substr(0, last.find('~')));
        if (!name)
            return std::nullopt;
        scope = m_sources.addScope({*name, scope, {}});
        m_scopes.emplace(path, scope);
    }
    return scope;
}

} // namespace sw
