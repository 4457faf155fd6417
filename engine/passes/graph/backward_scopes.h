#pragma once
// Scopes for the nodes that differentiation makes: a scope "gradient" beside the call that asked for it, and inside it copies of
// the scopes of the forward nodes. A node derived from "step/layer/relu" for a gradient asked for in "step" is put in
// "step/gradient/layer/relu", so that the backward nodes fold by scope like the forward nodes.

#include "engine/base/origin.h"

#include <map>

namespace sw {

class BackwardScopes {
public:
    // New scopes are added to `sources`.
    explicit BackwardScopes(SourceMap &sources) : m_sources(sources) {}

    [[nodiscard]] const SourceMap &sources() const { return m_sources; }
    // Starts a gradient that `call` asked for in `scope`.
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
