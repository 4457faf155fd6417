#pragma once
// The second of two compilations that a command compares.

#include "app/commands/common.h"

namespace sw::command {

inline constexpr OptionInfo kWithOption{"--with", "OPTIONS",
                                        "options of the second compilation, in one word: --with \"--device c --no-fuse\""};

// The last file on the line, with the options of --with in the place of those on the line.
[[nodiscard]] Result<CompileRequest> otherRequest(const Arguments &arguments, const Environment &environment, CompileUntil until);

} // namespace sw::command
