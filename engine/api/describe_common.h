#pragma once
// Helpers that the describers share.

#include "engine/api/quantity.h"
#include "engine/api/stage_document.h"
#include "engine/base/origin.h"
#include "engine/graph/graph.h"
#include "engine/lowered/lowered.h"
#include "engine/schedule/schedule.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

[[nodiscard]] std::vector<std::uint32_t> sourcesOf(const Origin &origin);
[[nodiscard]] std::uint32_t indexOf(KernelId kernel); // kNoIndex when invalid
// The first item of each kernel in the lowered document.
[[nodiscard]] std::vector<ItemIndex> firstInstructionItems(const LoweredProgram &program);

// Adds "place", where the item's first source is ("library/softmax.sw:4:13"), and, for a line of the library, "called from":
// the call in the program.
void addPlaceFields(DocumentItem &item, const SourceMap &sources, const Origin &origin);

[[nodiscard]] std::string_view languageName(TargetLanguage language); // "OpenCL C"

// Tags for the theme that say what a node does: "reduce", "view", "leaf", "input", "transcendental" ...
[[nodiscard]] std::vector<std::string> tagsOf(const Node &node);

// Adds the lines of a text. itemOf says which item a line (counted from 0) belongs to. An item that has no place yet gets its
// first line as its place.
void addLines(StageDocument &document, std::string_view text,
              const std::function<ItemIndex(std::size_t, std::string_view)> &itemOf);

} // namespace sw
