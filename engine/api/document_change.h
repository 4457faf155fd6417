#pragma once
// What differs between two documents of one stage, item by item, and a document that shows both.

#include "engine/api/moment.h"

#include <vector>

namespace sw {

struct DocumentChange {
    std::vector<ItemIndex> gone;    // items of `before` that `after` does not have
    std::vector<ItemIndex> made;    // items of `after` that `before` does not have
    std::vector<ItemIndex> partner; // by item of `before`: the same item in `after`; kNoIndex: it is gone
};

// Items are the same when they say the same and stand in the same order; an item that only got a new number is the same.
[[nodiscard]] DocumentChange changeBetween(const StageDocument &before, const StageDocument &after);

// Returns `after` plus what is gone: its items after all others, with the edges that led to them, and its lines where they
// stood. What is gone is tagged kGoneTag, and `marks` lists it as matched.
[[nodiscard]] StageDocumentPtr withGone(const StageDocument &before, const StageDocument &after, const DocumentChange &change,
                                        StageMarks &marks);

} // namespace sw
