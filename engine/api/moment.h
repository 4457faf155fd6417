#pragma once
// When: a place in the list of passes that a compilation ran, and what there was of each stage by then.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sw {

// After so many rewrites of a pass.
struct MomentPlace {
    std::uint32_t pass = 0;            // of Report::passes
    std::uint32_t rewrites = kNoIndex; // kNoIndex: the pass as a whole
    bool operator==(const MomentPlace &) const = default;
};

// One application of a rule.
struct RewriteEntry {
    std::string rule;                       // "drop-neutral"
    std::string doc;                        // what the rule does; what the pass does where the rule has no row of its own
    std::string detail;                     // "mul(x, 1.0) -> x"
    std::uint32_t kernel = kNoIndex;        // where it happened, for stages below the graph
    std::vector<std::uint32_t> before = {}; // ids in the pass's input
    std::vector<std::uint32_t> after = {};  // ids in the pass's output
};

// Items of a stage's document, sorted.
struct StageMarks {
    std::vector<ItemIndex> matched; // what the rewrite took away, or the pass read
    std::vector<ItemIndex> made;    // what it put there
    [[nodiscard]] bool isEmpty() const { return matched.empty() && made.empty(); }
};

// What a rewrite took away is still in the document of its moment, with this tag on its items and lines.
inline constexpr const char *kGoneTag = "gone";

struct MomentStage {
    StageDocumentPtr document; // null: the stage does not exist yet
    StageMarks marks = {};
};

struct MomentDocuments {
    MomentStage graph;
    MomentStage schedule;
    MomentStage loops;
    MomentStage lowered;
    // The last rewrite that was done; of a whole pass: the last of it. Nothing: there is none.
    std::optional<RewriteEntry> rewrite;

    [[nodiscard]] bool isEmpty() const { return !graph.document && !lowered.document; } // there is no such moment
};

} // namespace sw
