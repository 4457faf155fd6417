#pragma once
// A program of the Stepwell language to a graph. The language is described in resources/docs/language.md.

#include "engine/graph/graph.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace sw {

struct ProgramSource {
    std::string name; // as it appears in messages
    std::string text;
    std::filesystem::path folder; // where load("x.npy") looks
};

struct LanguageOptions {
    std::filesystem::path libraryFolder; // with one NAME.sw per library function
};

struct ProgramResult {
    std::optional<Graph> graph; // only without errors
    SourceMapPtr sources;       // file 0 is the program; never null
    Diagnostics diagnostics;    // all that were found, warnings too, in the order of the program's lines
};

[[nodiscard]] ProgramResult compileProgram(const ProgramSource &program, const LanguageOptions &options, std::stop_token stop);

} // namespace sw
