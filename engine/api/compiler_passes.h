#pragma once
// The passes of the device's own compiler over one kernel, as a list to step through: which of them changed it, by how many
// lines, and the text before and after.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

struct CompilerPass; // engine/backend/backend.h

struct CompilerPassEntry {
    std::string name; // "instcombine"
    bool isChanged = false;
    std::int64_t nanoseconds = 0;
    std::uint32_t added = 0; // lines; names that only count are no difference
    std::uint32_t removed = 0;
    std::string before = {}; // the kernel's function, when it changed; empty when there was too much text to keep
    std::string after = {};
};

struct CompilerPasses {
    std::string kernel;                    // "k0_softmax"
    std::vector<CompilerPassEntry> passes; // in the order in which they ran
    std::string error;                     // why there are none; empty: there are
};
using CompilerPassesPtr = std::shared_ptr<const CompilerPasses>;

[[nodiscard]] std::vector<CompilerPassEntry> passEntries(std::span<const CompilerPass> passes);
// A text of a pass as a document without items, for views that show differences.
[[nodiscard]] StageDocumentPtr passDocument(const std::string &text);

} // namespace sw
