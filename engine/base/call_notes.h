#pragma once
// What stands in a function is told at the call in the user's program; these notes lead from there to the line of the function.

#include "engine/base/origin.h"

namespace sw {

// "in softmax" at the item's own place, then "called from here" for each call on the way out; what `told` shows already is left
// out. Each note names the file of its place: "library/softmax.sw" for a function of the library.
[[nodiscard]] std::vector<Diagnostic> callNotes(const SourceMap &sources, SourceId item, Code code, const SourceRange &told);

// The diagnostic at the origin's place in the program, with the notes that lead to the origin itself.
[[nodiscard]] Diagnostic toldAt(const SourceMap &sources, const Origin &origin, Diagnostic diagnostic);

} // namespace sw
