#include "engine/base/call_notes.h"

#include <iterator>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostNotes = 8;

} // namespace

std::vector<Diagnostic> callNotes(const SourceMap &sources, SourceId item, Code code, const SourceRange &told)
{
    std::vector<Diagnostic> notes;
    for (SourceId at = item; at.isValid() && notes.size() < kMostNotes; at = sources.item(at).caller) {
        const SourceItem &found = sources.item(at);
        if (found.file == SourceMap::programFile() && found.range == told)
            continue;
        std::string text = at == item ? format("in {}", sources.scope(found.scope).name) : "called from here";
        notes.push_back({Severity::Note, code, std::move(text), found.range, {}, {}});
    }
    return notes;
}

Diagnostic toldAt(const SourceMap &sources, const Origin &origin, Diagnostic diagnostic)
{
    const SourceId item = origin.sources().front();
    diagnostic.where = sources.programRange(item);
    std::vector<Diagnostic> notes = callNotes(sources, item, diagnostic.code, diagnostic.where);
    diagnostic.notes.insert(diagnostic.notes.begin(), std::make_move_iterator(notes.begin()),
                            std::make_move_iterator(notes.end()));
    return diagnostic;
}

} // namespace sw
