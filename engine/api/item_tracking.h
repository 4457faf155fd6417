#pragma once
// Follows one item through the passes of its stage, backwards to what made it and forwards to what ends it.

#include "engine/api/item_history.h"
#include "engine/api/stage_walk.h"

#include <optional>

namespace sw {

// An item in one of the documents of a walk: after so many rewrites of the pass.
struct Standing {
    std::uint32_t pass = 0;
    std::uint32_t done = 0;
    StageDocumentPtr document;
    ItemIndex item = kNoIndex;
};

// Where the item stands in the earlier document, or in the later one; kNoIndex: it does not exist there.
[[nodiscard]] ItemIndex partnerBefore(const StageDocumentPtr &before, const StageDocument &now, ItemIndex item);
[[nodiscard]] ItemIndex partnerAfter(const StageDocument &now, const StageDocumentPtr &after, ItemIndex item);

// The last of so many rewrites of a pass.
[[nodiscard]] HistoryEvent eventAt(const StageWalk &walk, std::uint32_t pass, std::uint32_t done);

struct Making {
    HistoryEvent event;
    Standing made; // the item as the pass left it, or as it stood in the same pass
};

// As the pass that made the item left it, or as the stage was given with it: then no rewrite of the first pass is done.
[[nodiscard]] Standing earliestOf(const StageWalk &walk, Standing from);
// Nothing: the stage was given with it.
[[nodiscard]] std::optional<Making> makingOf(const StageWalk &walk, const Standing &from);
// Nothing: it stays to the end of its stage.
[[nodiscard]] std::optional<HistoryEvent> endOf(const StageWalk &walk, Standing from);

} // namespace sw
