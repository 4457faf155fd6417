#pragma once
// Reads the text that printer.h writes. '#' starts a comment. What it returns has passed the verifier; every error has its line
// and column, and one text can show many of them.

#include "engine/lowered/lowered.h"

#include <functional>
#include <string>
#include <string_view>

namespace sw {

struct LoweredParseOptions {
    std::string file;            // for diagnostics
    std::uint32_t firstLine = 1; // the number of the text's first line in the file
    // The origin of a line that does not say "from"; by default such a line is an error.
    std::function<Origin(const SourceRange &)> originOf = {};
    // Set when "from" names items of a source table that is missing: originOf is asked for every line.
    bool ignoreFrom = false;
};

[[nodiscard]] Result<std::vector<LoweredKernel>> parseLowered(std::string_view text, const LoweredParseOptions &options);

// For texts that hold exactly one kernel.
[[nodiscard]] Result<LoweredKernel> parseLoweredKernel(std::string_view text, const LoweredParseOptions &options);

} // namespace sw
