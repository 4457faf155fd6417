#pragma once
// What differs between two documents of one stage, item by item, and a document that shows both.

#include "engine/api/moment.h"

#include <vector>

namespace sw {

struct DocumentChange {
    std::vector<ItemIndex> gone;    // items of the document before that the one after does not have
    std::vector<ItemIndex> made;    // items of the document after that the one before does not have
    std::vector<ItemIndex> partner; // by item of the document before: the same item after; kNoIndex: it is gone
};

// Items are the same when they say the same and stand in the same order; what only got another number is the same.
[[nodiscard]] DocumentChange changeBetween(const StageDocument &before, const StageDocument &after);

// The document after, with what is gone: as items behind all others, read from where they were read from, and as lines where they
// stood. What is gone is tagged kGoneTag, and `marks` lists it as matched.
[[nodiscard]] StageDocumentPtr withGone(const StageDocument &before, const StageDocument &after, const DocumentChange &change,
                                        StageMarks &marks);

} // namespace sw
