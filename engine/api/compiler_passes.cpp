#include "engine/api/compiler_passes.h"

#include "engine/api/changed_lines.h"
#include "engine/backend/backend.h"

namespace sw {

std::vector<CompilerPassEntry> passEntries(std::span<const CompilerPass> passes)
{
    std::vector<CompilerPassEntry> entries;
    for (const CompilerPass &pass : passes) {
        CompilerPassEntry entry{pass.name, pass.isChanged, static_cast<std::int64_t>(pass.time.count())};
        if (pass.isChanged && !pass.after.empty()) {
            for (const ChangedLine &line : changedLines(pass.before, pass.after))
                ++(line.isAdded ? entry.added : entry.removed);
            entry.before = pass.before;
            entry.after = pass.after;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

StageDocumentPtr passDocument(const std::string &text)
{
    auto document = std::make_shared<StageDocument>();
    document->kind = StageKind::Code;
    document->title = "LLVM IR";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        document->lines.push_back({text.substr(at, end - at), kNoIndex, {}});
        at = end + 1;
    }
    return document;
}

} // namespace sw
