#pragma once
// A stage document as JSON: items, edges, groups and lines as the window has them.

#include "engine/api/stage_document.h"
#include "engine/base/id.h"

#include <string>

namespace sw::command {

// kernel: only its items and lines; invalid: all. Items keep their numbers.
[[nodiscard]] std::string documentJson(const StageDocument &document, KernelId kernel);

} // namespace sw::command
