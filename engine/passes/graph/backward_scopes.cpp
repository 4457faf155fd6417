#include "engine/passes/graph/backward_scopes.h"

#include <utility>

namespace sw {

void BackwardScopes::begin(ScopeId scope, SourceId call)
{
    m_asked = scope;
    m_gradient = m_sources.addScope({"gradient", scope, call});
    m_backward.clear();
}

bool BackwardScopes::isWithin(ScopeId scope, ScopeId outer) const
{
    while (scope != outer && scope.isValid() && scope != SourceMap::rootScope())
        scope = m_sources.scope(scope).parent;
    return scope == outer || outer == SourceMap::rootScope();
}

ScopeId BackwardScopes::backwardOf(ScopeId forward)
{
    // What the gradient's own scope stands in, the way back stands in already.
    if (!forward.isValid() || isWithin(m_asked, forward))
        return m_gradient;
    const auto known = m_backward.find(forward);
    if (known != m_backward.end())
        return known->second;
    Scope mirrored = m_sources.scope(forward);
    mirrored.parent = backwardOf(mirrored.parent);
    const ScopeId made = m_sources.addScope(std::move(mirrored));
    m_backward.emplace(forward, made);
    return made;
}

} // namespace sw
