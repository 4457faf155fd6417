#pragma once
// One stage as its passes change it, seen as documents: the whole graph, or one kernel of the loops or the lowered stage, so that
// a question about one kernel costs what one kernel costs.

#include "engine/api/compilation.h"
#include "engine/api/moment.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace sw {

class StageWalk {
public:
    // kernel: of the loops and the lowered stage; invalid: all of them.
    StageWalk(const Compilation &compilation, StageLevel level, KernelId kernel, std::stop_token stop);

    // The passes that make or change the stage. The first of them makes it, except of the graph, which the program gives.
    [[nodiscard]] std::uint32_t firstPass() const { return m_first; }
    [[nodiscard]] std::uint32_t endPass() const { return m_end; } // one behind the last
    [[nodiscard]] bool isGiven() const;                           // the first pass changes the stage, and does not make it

    [[nodiscard]] const PassInfo &passInfo(std::uint32_t pass) const { return *m_compilation.pipeline.steps[pass].pass; }

    // Null: the stage does not exist yet.
    [[nodiscard]] StageDocumentPtr before(std::uint32_t pass) const;
    [[nodiscard]] StageDocumentPtr after(std::uint32_t pass) const;
    [[nodiscard]] StageDocumentPtr at(std::uint32_t pass, std::uint32_t rewrites) const;

    // The rewrites of a pass that can have changed what is looked at, by MomentPlace::rewrites.
    [[nodiscard]] std::vector<std::uint32_t> candidates(std::uint32_t pass) const;
    // The last of so many rewrites of the pass, in full.
    [[nodiscard]] std::optional<RewriteEntry> rewrite(std::uint32_t pass, std::uint32_t rewrites) const;

    [[nodiscard]] const std::stop_token &stop() const { return m_stop; }

private:
    [[nodiscard]] Stage part(const Stage &stage) const;
    [[nodiscard]] StageDocumentPtr documentOf(const Stage &stage) const;

    const Compilation &m_compilation;
    StageLevel m_level;
    KernelId m_kernel;
    std::stop_token m_stop;
    std::uint32_t m_first = 0;
    std::uint32_t m_end = 0;
};

} // namespace sw
