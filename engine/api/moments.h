#pragma once
// Makes the documents of a compilation at its moments, and keeps the newest few.

#include "engine/api/compilation.h"
#include "engine/api/moment.h"
#include "engine/api/report.h"

#include <deque>
#include <stop_token>
#include <vector>

namespace sw {

// The rewrites of a pass that lie in the window, in full detail. The pass runs again for them.
[[nodiscard]] std::vector<RewriteEntry> rewriteEntries(const PassStep &step, const CompileTarget &target, RewriteWindow window,
                                                       const std::stop_token &stop);

// Serves one compilation at a time; the owner calls forget() when there is another one.
class Moments {
public:
    // report: holds the final documents, which finished stages share. Empty when there is no such moment, and when
    // it was stopped.
    [[nodiscard]] MomentDocuments at(const Compilation &compilation, const Report &report, MomentPlace place,
                                     const std::stop_token &stop);
    void forget();

private:
    struct Kept {
        MomentPlace place;
        MomentDocuments documents;
    };
    // The stage that a pass works on, after some of its rewrites.
    struct KeptStage {
        MomentPlace place;
        Stage stage;
    };

    [[nodiscard]] const StageDocumentPtr &inputDocument(const PassStep &step, std::uint32_t pass, const Report &report,
                                                        const std::stop_token &stop);
    [[nodiscard]] Stage stageAt(const Compilation &compilation, MomentPlace place, const std::stop_token &stop);

    std::deque<Kept> m_kept;        // the newest last
    std::deque<KeptStage> m_stages; // likewise
    StageDocumentPtr m_input;       // of the pass m_inputOf
    std::uint32_t m_inputOf = 0;
};

} // namespace sw
