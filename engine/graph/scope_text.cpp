#include "engine/graph/scope_text.h"

#include "engine/base/text.h"

#include <charconv>

namespace sw {

namespace {

// '%', '/' and '~' as %25, %2f and %7e.
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
    const auto known = m_texts.find(scope);
    if (known != m_texts.end())
        return known->second;
    if (scope == SourceMap::rootScope() || !scope.isValid())
        return m_texts[scope];
    const Scope &found = m_sources.scope(scope);
    const bool isOutermost = found.parent == SourceMap::rootScope() || !found.parent.isValid();
    std::string text = isOutermost ? escaped(found.name) : textOf(found.parent) + "/" + escaped(found.name);
    const std::uint32_t appearance = ++m_appearances[text];
    if (appearance > 1)
        text += format("~{}", appearance);
    return m_texts.emplace(scope, std::move(text)).first->second;
}

std::optional<ScopeId> ScopeReader::scopeOf(std::string_view text)
{
    const auto known = m_scopes.find(text);
    if (known != m_scopes.end())
        return known->second;
    const std::size_t slash = text.rfind('/');
    ScopeId parent = SourceMap::rootScope();
    std::string_view last = text;
    if (slash != std::string_view::npos) {
        const std::optional<ScopeId> outer = scopeOf(text.substr(0, slash));
        if (!outer)
            return std::nullopt;
        parent = *outer;
        last = text.substr(slash + 1);
    }
    const std::optional<std::string> name = unescaped(last.substr(0, last.find('~')));
    if (!name)
        return std::nullopt;
    const ScopeId made = m_sources.addScope({*name, parent, {}});
    m_scopes.emplace(text, made);
    return made;
}

} // namespace sw
