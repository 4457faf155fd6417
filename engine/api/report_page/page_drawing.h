#pragma once
// Where the items of a stage stand in the drawing of a page.

#include "engine/api/stage_document.h"
#include "engine/base/json.h"

namespace sw {

// A drawing of more boxes than this takes a browser seconds to make, and nobody to read.
inline constexpr std::size_t kMostDrawnBoxes = 6000;

// How many boxes the drawing of the document has.
[[nodiscard]] std::size_t drawnBoxes(const StageDocument &document);
// {"items", "x", "y", "width", "height": by box, in pixels; "inside": item and box in turn, of items that are drawn inside of
// others; "edges": by edge how many points it has; "points": x and y in turn; "size": [width, height]}
void writeDrawing(JsonWriter &json, const StageDocument &document);

} // namespace sw
