#pragma once
// A moment of a compilation: a place in the list of passes that it ran, and the stages as they were by then.

#include "engine/api/stage_document.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sw {

// How much of the documents of moments is kept, unless told otherwise, so that those beside them come sooner.
inline constexpr std::size_t kMomentBytes = std::size_t{64} << 20;

// A point after some of a pass's rewrites.
struct MomentPlace {
    std::uint32_t pass = 0;            // of Report::passes
    std::uint32_t rewrites = kNoIndex; // kNoIndex: the pass as a whole
    bool operator==(const MomentPlace &) const = default;
};

// One application of a rule.
struct RewriteEntry {
    std::string rule;                       // "drop-neutral"
    std::string doc;                        // what the rule does, or what the pass does when the rule has no row of its own
    std::string detail;                     // "mul(x, 1.0) -> x"
    std::uint32_t kernel = kNoIndex;        // where it happened, for stages below the graph
    std::vector<std::uint32_t> before = {}; // ids in the pass's input
    std::vector<std::uint32_t> after = {};  // ids in the pass's output
};

// Which rewrites a person wants to see. What is not set lets all through.
struct RewriteFilter {
    std::string rule = {};
    std::uint32_t kernel = kNoIndex;         // rewrites of graph and schedule are of no kernel
    std::vector<std::uint32_t> sources = {}; // those that found or made an item with one of these (DocumentItem::sources)
    bool operator==(const RewriteFilter &) const = default;
    [[nodiscard]] bool isEmpty() const { return *this == RewriteFilter(); }
};

// The rewrites of a pass that a filter lets through: how many of the pass are done once each is (MomentPlace::rewrites),
// ascending.
using PassMatches = std::vector<std::uint32_t>;

// Items of a stage's document, sorted.
struct StageMarks {
    std::vector<ItemIndex> matched; // what the rewrite took away, or the pass read
    std::vector<ItemIndex> made;    // what the rewrite or the pass added
    [[nodiscard]] bool isEmpty() const { return matched.empty() && made.empty(); }
};

// Items and lines that a rewrite took away stay in the document of its moment, with this tag.
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
    // The last rewrite that was done; for a whole pass, its last one. Empty when there is none.
    std::optional<RewriteEntry> rewrite;

    [[nodiscard]] bool isEmpty() const { return !graph.document && !lowered.document; } // there is no such moment
};

} // namespace sw
