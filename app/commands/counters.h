#pragma once
// What the hardware counters of a processor counted for each kernel, as text and JSON.

#include "engine/api/timeline.h"
#include "engine/base/json.h"

#include <string>

namespace sw::command {

// A table of the counts of one run by kernel, or the sentence that says why there are none.
[[nodiscard]] std::string countersText(const RecordedTimelines &timelines);
// "counters": {"reason", "kernels": [{"name", "runs", "cycles", ..., "counted_part"}]}
void writeCounters(JsonWriter &json, const RecordedTimelines &timelines);

} // namespace sw::command
