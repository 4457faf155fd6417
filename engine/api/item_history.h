#pragma once
// Which rewrite made an item of a stage, and which one will end it. Both are found by looking at the stages in between: an item
// is the same item where it says the same in the same order (changeBetween).

#include "engine/api/compilation.h"
#include "engine/api/life.h"

#include <optional>
#include <stop_token>

namespace sw {

// document: what the item's stage is at the moment. Nothing when it was stopped, or when passes do not make such items.
[[nodiscard]] std::optional<ItemHistory> historyOf(const Compilation &compilation, const MomentItem &item,
                                                   const StageDocument &document, const std::stop_token &stop);

} // namespace sw
