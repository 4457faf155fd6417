#include "engine/passes/graph/backward_scopes.h"

#include <utility>
#include <vector>

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
    std::vector<ScopeId> unknown; // from the scope outwards
    ScopeId made = m_gradient;
    // The backward scopes already lie inside the scopes around the gradient, so only the scopes below those are mirrored.
    for (ScopeId scope = forward; scope.isValid() && !isWithin(m_asked, scope); scope = m_sources.scope(scope).parent) {
        if (const auto known = m_backward.find(scope); known != m_backward.end()) {
            made = known->second;
            break;
        }
        unknown.push_back(scope);
    }
    for (auto scope = unknown.rbegin(); scope != unknown.rend(); ++scope) {
        Scope mirrored = m_sources.scope(*scope);
        mirrored.parent = made;
        made = m_sources.addScope(std::move(mirrored));
        m_backward.emplace(*scope, made);
    }
    return made;
}

} // namespace sw
