#include "engine/base/origin.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sw {

Origin::Origin(SourceId source) : m_sources{source}
{
    SW_ASSERT(source.isValid(), "an origin that names a source item");
}

Origin::Origin(std::vector<SourceId> sources) : m_sources(std::move(sources))
{
    SW_ASSERT(!m_sources.empty(), "an origin with at least one source item");
    std::ranges::sort(m_sources);
    const auto repeated = std::ranges::unique(m_sources);
    m_sources.erase(repeated.begin(), repeated.end());
    SW_ASSERT(m_sources.back().isValid(), "an origin that names source items");
}

Origin Origin::merged(const Origin &a, const Origin &b)
{
    if (a == b)
        return a;
    std::vector<SourceId> all;
    all.reserve(a.m_sources.size() + b.m_sources.size());
    std::ranges::set_union(a.m_sources, b.m_sources, std::back_inserter(all));
    return Origin(std::move(all));
}

bool Origin::contains(SourceId source) const
{
    return std::ranges::binary_search(m_sources, source);
}

bool Origin::meets(const Origin &other) const
{
    auto a = m_sources.begin();
    auto b = other.m_sources.begin();
    while (a != m_sources.end() && b != other.m_sources.end()) {
        if (*a == *b)
            return true;
        if (*a < *b)
            ++a;
        else
            ++b;
    }
    return false;
}

SourceMap::SourceMap()
{
    m_scopes.push_back(Scope{});
}

FileId SourceMap::addFile(SourceFile file)
{
    m_files.push_back(std::move(file));
    return FileId(m_files.size() - 1);
}

ScopeId SourceMap::addScope(Scope scope)
{
    m_scopes.push_back(std::move(scope));
    return ScopeId(m_scopes.size() - 1);
}

SourceId SourceMap::addItem(SourceItem item)
{
    m_items.push_back(std::move(item));
    return SourceId(m_items.size() - 1);
}

SourceRange SourceMap::programRange(SourceId id) const
{
    while (true) {
        const SourceItem &found = item(id);
        if (found.file == programFile() || !found.caller.isValid())
            return found.range;
        id = found.caller;
    }
}

SourceRange SourceMap::programRange(const Origin &origin) const
{
    return programRange(origin.sources().front());
}

std::string SourceMap::scopePath(ScopeId id) const
{
    std::string path;
    while (id.isValid() && id != rootScope()) {
        const Scope &found = scope(id);
        path = path.empty() ? found.name : found.name + "/" + path;
        id = found.parent;
    }
    return path;
}

} // namespace sw
