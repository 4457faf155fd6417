#pragma once
// How much memory documents take, and reports that share what did not change: most stages of a program are as before after a
// small edit of it.

#include "engine/api/report.h"

#include <cstddef>
#include <span>

namespace sw {

// What the document takes, without what the allocator adds. Lists that it shares with others count in full; fields that nobody
// has read are not there yet.
[[nodiscard]] std::size_t bytesOf(const StageDocument &document);
// Of the documents of all these reports; one that several of them have counts once.
[[nodiscard]] std::size_t bytesOf(std::span<const ReportPtr> reports);

// Whether both say the same in every part.
[[nodiscard]] bool areEqual(const StageDocument &a, const StageDocument &b);

// `report`, to be kept: with the documents of `earlier` in the place of its own where they are equal, and with all fields made,
// so that it holds no stage.
[[nodiscard]] ReportPtr sharedWith(const ReportPtr &report, const Report &earlier);

} // namespace sw
