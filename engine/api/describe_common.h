#pragma once
// What the describers share.

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
// The item of the lowered document that each kernel begins with.
[[nodiscard]] std::vector<ItemIndex> firstInstructionItems(const LoweredProgram &program);

// "place", where the item's first source stands ("library/softmax.sw:4:13"), and for the library's lines "called from", the call
// in the program.
void addPlaceFields(DocumentItem &item, const SourceMap &sources, const Origin &origin);

// Semantic tags of what a node does, for the theme: "reduce", "view", "leaf", "input", "transcendental" ...
[[nodiscard]] std::vector<std::string> tagsOf(const Node &node);

// Adds the lines of a text; itemOf tells which item a line (counted from 0) belongs to, and each item that has none yet gets its
// first line as its place.
void addLines(StageDocument &document, std::string_view text,
              const std::function<ItemIndex(std::size_t, std::string_view)> &itemOf);

} // namespace sw
