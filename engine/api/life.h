#pragma once
// What an item of a stage was and became: the rewrite that made it, the one that ends it, and the life of its value from the
// program's text to its time.

#include "engine/api/moment.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// An item of the document that a stage has at a moment. A pass kNoIndex stands for the end of the compilation.
struct MomentItem {
    MomentPlace place;
    StageKind stage = StageKind::Graph;
    ItemIndex item = 0;
    std::optional<std::int64_t> step = {}; // of the scan that has the item in its body; nothing: the last one
};

struct HistoryEvent {
    MomentPlace place;                        // the rewrite is done at it
    std::string pass = {};                    // "Simplify"
    std::optional<RewriteEntry> rewrite = {}; // nothing: the pass as a whole
};

struct ItemHistory {
    std::optional<HistoryEvent> made;  // nothing: the program itself, or what was given
    std::optional<HistoryEvent> ended; // nothing: it stays to the end of its stage
};

struct LifeStep {
    StageKind stage = StageKind::Graph;
    MomentPlace place = {kNoIndex};    // the moment to look at; a pass kNoIndex: the end of the compilation
    std::vector<ItemIndex> items = {}; // of the stage's document at that moment
    std::string title = {};            // "Simplify: drop-neutral"
    std::string text = {};             // "mul(x, 1.0) -> x"
};

struct LifeStory {
    std::string name = {};            // "%4 exp f32[4]"
    std::vector<LifeStep> steps = {}; // in the order of the compilation
    std::string error = {};           // why there is none; empty: there is one
};

struct ItemLife {
    std::optional<ItemHistory> history; // of the item itself
    LifeStory story;                    // of the value that it was made for
};

} // namespace sw
