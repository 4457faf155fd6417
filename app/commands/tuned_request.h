#pragma once
// Compilations for commands that use what tuning has found for kernels.

#include "app/commands/common.h"

#include <string>

namespace sw::command {

inline constexpr OptionInfo kNoTuningsOption{"--no-tunings", "",
                                             "the loops that the compiler chooses, also for kernels that were tuned"};

// requestOf() with the loops that were found for the program's kernels by measuring, unless --no-tunings is there.
[[nodiscard]] Result<CompileRequest> tunedRequestOf(const Arguments &arguments, const Environment &environment,
                                                    CompileUntil until);
// What is wrong with tunings that are kept, a warning to a line; empty: nothing.
[[nodiscard]] std::string tuningNotes(const Environment &environment);

} // namespace sw::command
