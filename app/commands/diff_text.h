#pragma once
// The differences that stepwellc diff finds, as text and as JSON.

#include "engine/api/compare/graph_difference.h"
#include "engine/api/compare/tensor_difference.h"
#include "engine/api/compare/text_difference.h"
#include "engine/base/json.h"

#include <string>

namespace sw::command {

struct StageDifference {
    StageDocumentPtr before;
    StageDocumentPtr after;
    TextDifference text;
    GraphDifference items;
};

// The rows around differences, three of context: "-" and "+" before what changed, was removed or added, "<" and ">" before what
// moved from here and to here. The others stand as they are in the second text.
[[nodiscard]] std::string rowsText(const StageDifference &difference);
void writeDifference(JsonWriter &json, const StageDifference &difference, bool withRows);

[[nodiscard]] std::string tensorText(const TensorView &before, const TensorDifference &difference);
[[nodiscard]] std::string tensorJson(const TensorView &before, const TensorDifference &difference);

} // namespace sw::command
