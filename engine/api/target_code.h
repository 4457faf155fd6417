#pragma once
// The machine code that a kernel becomes on another processor, as a document of its own. Its items say which lowered instruction
// they were made for, so it lights up with the stages of the compilation.

#include "engine/api/stage_document.h"

#include <string>
#include <vector>

namespace sw {

// A processor to look at code for. All that there are: engine/backend/machine/cross_targets.def.
struct TargetEntry {
    std::string name; // "aarch64+sve"
    std::string doc;  // "Arm's 64-bit servers of 2020: SVE of 256 bits"
};
[[nodiscard]] std::vector<TargetEntry> targetEntries();

struct TargetCode {
    StageDocumentPtr document; // of stage Machine, of this kernel alone; null: the error says why
    std::string error;         // with the hint behind it, if there is one
};

} // namespace sw
