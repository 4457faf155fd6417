#pragma once
// A stage document as JSON, with the same items, edges, groups and lines as in the window.

#include "engine/api/stage_document.h"
#include "engine/base/id.h"

#include <string>

namespace sw::command {

// kernel: limits the output to its items and lines; invalid: everything. Items keep their numbers.
[[nodiscard]] std::string documentJson(const StageDocument &document, KernelId kernel);

} // namespace sw::command
