#pragma once
// Compiles a program of the Stepwell language to a graph. resources/docs/language.md describes the language.

#include "engine/graph/graph.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace sw {

struct ProgramSource {
    std::string name; // as messages show it
    std::string text;
    std::filesystem::path folder; // load("x.npy") looks here
};

struct LanguageOptions {
    std::filesystem::path libraryFolder; // has one NAME.sw per library function
};

struct ProgramResult {
    std::optional<Graph> graph; // only if there were no errors
    SourceMapPtr sources;       // file 0 is the program; never null
    Diagnostics diagnostics;    // all errors and warnings, in the order of the program's lines
};

[[nodiscard]] ProgramResult compileProgram(const ProgramSource &program, const LanguageOptions &options, std::stop_token stop);

} // namespace sw
