#pragma once
// Records the steps in which a loop nest is built. Once the context allows no further step, the nest as it is then is kept: the
// builder goes on, and throws the rest away.

#include "engine/loops/loop_nest.h"
#include "engine/passes/pass_context.h"
#include "engine/passes/step_rule.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace sw {

[[nodiscard]] std::span<const StepRule> nestStepRules();
// The rule of nestStepRules() that makes such a value.
[[nodiscard]] std::string_view stepOf(ValueKind kind);

class NestSteps {
public:
    NestSteps(const LoopNest &nest, PassContext &context) : m_nest(nest), m_context(context) {}

    // A step that read the node is done. `text` makes its text, when somebody wants to see it.
    template <class Text>
    void done(std::string_view rule, NodeId node, Text &&text)
    {
        if (!m_context.mayRewrite())
            return;
        m_context.record(rule, m_nest.kernel, [&] { return RewriteDetail{text(), {node.value}}; });
        if (!m_context.mayRewrite())
            m_stopped = m_nest;
    }

    // The nest after the last step that the context allowed; nothing when it allows more.
    [[nodiscard]] std::optional<LoopNest> takeStopped() { return std::move(m_stopped); }

private:
    const LoopNest &m_nest;
    PassContext &m_context;
    std::optional<LoopNest> m_stopped;
};

} // namespace sw
