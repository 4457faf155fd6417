#pragma once
// Scopes for the nodes that differentiation makes: "gradient", beside the call that asked for it, and below it the scopes of the
// nodes that are walked back over. What comes from "step/layer/relu" for a gradient asked for in "step" stands in
// "step/gradient/layer/relu", so that the way back folds as the way there does.

#include "engine/base/origin.h"

#include <map>

namespace sw {

class BackwardScopes {
public:
    // The map gets the new scopes.
    explicit BackwardScopes(SourceMap &sources) : m_sources(sources) {}

    [[nodiscard]] const SourceMap &sources() const { return m_sources; }
    // From here on, for a gradient that was asked for in a scope, by a call.
    void begin(ScopeId scope, SourceId call);
    [[nodiscard]] ScopeId gradientScope() const { return m_gradient; }
    [[nodiscard]] ScopeId backwardOf(ScopeId forward);

private:
    [[nodiscard]] bool isWithin(ScopeId scope, ScopeId outer) const;

    SourceMap &m_sources;
    ScopeId m_asked;
    ScopeId m_gradient;
    std::map<ScopeId, ScopeId> m_backward;
};

} // namespace sw
