#pragma once
// Scopes as text: "layer/relu", and "layer~2/relu" when the parent has a second scope named "layer". Names are escaped so that
// '/' and '~' are unambiguous. The text forms of all stages use it.

#include "engine/base/origin.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sw {

// Names scopes in the order in which callers ask for them.
class ScopeNames {
public:
    explicit ScopeNames(const SourceMap &sources) : m_sources(sources) {}

    [[nodiscard]] const std::string &textOf(ScopeId scope);

private:
    const SourceMap &m_sources;
    std::unordered_map<ScopeId, std::string> m_texts;
    std::map<std::string, std::uint32_t> m_appearances; // by the text without "~N"
};

// The inverse: makes the scopes that a text names, one per distinct text.
class ScopeReader {
public:
    explicit ScopeReader(SourceMap &sources) : m_sources(sources) {}

    // Returns nothing when the text is malformed.
    [[nodiscard]] std::optional<ScopeId> scopeOf(std::string_view text);

private:
    SourceMap &m_sources;
    std::map<std::string, ScopeId, std::less<>> m_scopes;
};

} // namespace sw
