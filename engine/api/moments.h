#pragma once
// Makes the documents of a compilation at its moments, and keeps the newest few.

#include "engine/api/compilation.h"
#include "engine/api/kernel_documents.h"
#include "engine/api/moment.h"
#include "engine/api/report.h"

#include <cstddef>
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
    // How much of the documents' parts to keep between calls: kMomentBytes unless told.
    void keepAtMost(std::size_t bytes) { m_parts.keepAtMost(bytes); }

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

    // A graph or a schedule, with the document of its graph.
    struct KeptDocument {
        Stage stage;
        StageDocumentPtr document;
    };
    // The stages around a moment.
    struct Change {
        Stage input;  // of the pass
        Stage before; // the rewrite, or the pass as a whole
        Stage now;
        bool isOneRewrite = false;
    };

    [[nodiscard]] Stage stageAt(const Compilation &compilation, MomentPlace place, const std::stop_token &stop);
    [[nodiscard]] StageDocumentPtr graphDocument(const Stage &stage, const std::stop_token &stop);
    void showUpper(MomentDocuments &documents, const Change &change, const std::stop_token &stop);
    void showLower(MomentDocuments &documents, const Change &change, const Report &report);

    std::deque<Kept> m_kept;              // the newest last
    std::deque<KeptStage> m_stages;       // likewise
    std::deque<KeptDocument> m_documents; // likewise
    KernelDocuments m_parts;              // at most so many bytes as keepAtMost() says
};

} // namespace sw
