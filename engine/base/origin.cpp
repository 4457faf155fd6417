#include "engine/base/origin.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sw {

Origin::Origin(SourceId source) : m_one(source)
{
    SW_ASSERT(source.isValid(), "an origin that names a source item");
}

Origin::Origin(std::vector<SourceId> sources)
{
    SW_ASSERT(!sources.empty(), "an origin with at least one source item");
    if (std::ranges::adjacent_find(sources, std::ranges::greater_equal()) != sources.end()) {
        std::ranges::sort(sources);
        const auto repeated = std::ranges::unique(sources);
        sources.erase(repeated.begin(), repeated.end());
    }
    SW_ASSERT(sources.back().isValid(), "an origin that names source items");
    m_one = sources.front();
    if (sources.size() > 1)
        m_many = std::make_shared<const std::vector<SourceId>>(std::move(sources));
}

bool Origin::operator==(const Origin &other) const
{
    if (m_many == other.m_many)
        return m_one == other.m_one;
    return m_many && other.m_many && *m_many == *other.m_many;
}

Origin Origin::merged(const Origin &a, const Origin &b)
{
    const std::span<const SourceId> ofA = a.sources();
    const std::span<const SourceId> ofB = b.sources();
    if (ofA.size() >= ofB.size() && std::ranges::includes(ofA, ofB))
        return a;
    if (std::ranges::includes(ofB, ofA))
        return b;
    std::vector<SourceId> all;
    all.reserve(ofA.size() + ofB.size());
    std::ranges::set_union(ofA, ofB, std::back_inserter(all));
    return Origin(std::move(all));
}

bool Origin::contains(SourceId source) const
{
    return std::ranges::binary_search(sources(), source);
}

bool Origin::meets(const Origin &other) const
{
    const std::span<const SourceId> ofThis = sources();
    const std::span<const SourceId> ofOther = other.sources();
    auto a = ofThis.begin();
    auto b = ofOther.begin();
    while (a != ofThis.end() && b != ofOther.end()) {
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
