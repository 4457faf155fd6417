// The stages of the last compilation before and after a pass, and in the middle of one.

#include "engine/api/describe.h"
#include "engine/api/explorer_implementation.h"

#include <exception>

namespace sw {

PassDocuments Explorer::passDocuments(std::uint32_t index, std::uint32_t afterRewrites)
{
    const Compilation &compilation = m_implementation->compilation;
    if (index >= compilation.pipeline.steps.size())
        return {};
    const PassStep &step = compilation.pipeline.steps[index];
    PassDocuments documents;
    try {
        const bool isPartial = afterRewrites < step.rewrites.size();
        Stage after = step.after;
        std::vector<RewriteEvent> last;
        if (isPartial) {
            const std::uint32_t first = afterRewrites == 0 ? 0 : afterRewrites - 1;
            PassStep part = runPass(step.before, *step.pass, compilation.target, {}, afterRewrites, {first, 1});
            after = std::move(part.after);
            last = part.rewrites.events();
        } else if (!step.rewrites.empty()) {
            last = rewritesOf(step, compilation.target, {static_cast<std::uint32_t>(step.rewrites.size() - 1), 1}, {});
        }
        for (const RewriteEvent &event : last)
            documents.rewrite = event.rule + ": " + event.detail;
        documents.before = describeStage(step.before);
        documents.after = after == step.before ? documents.before : describeStage(after);
    } catch (const std::exception &exception) {
        documents.rewrite = toText(diagnosticOf(exception));
    }
    return documents;
}

std::vector<RewriteEntry> Explorer::rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count, std::stop_token stop)
{
    const Compilation &compilation = m_implementation->compilation;
    if (pass >= compilation.pipeline.steps.size())
        return {};
    return rewriteEntries(compilation.pipeline.steps[pass], compilation.target, {first, count}, stop);
}

MomentDocuments Explorer::documentsAt(MomentPlace place, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.report == nullptr)
        return {};
    try {
        return own.moments.at(own.compilation, *own.report, place, stop);
    } catch (const std::exception &) {
        return {}; // an error that the pass's own step reports
    }
}

} // namespace sw
