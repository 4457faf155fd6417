#pragma once
// A graph as a program of the language that a person can edit, and one file of weights.

#include "engine/api/convert/library_calls.h"
#include "engine/types/safetensors.h"

#include <filesystem>
#include <string>

namespace sw {

struct ConvertOptions {
    std::string title = {};       // the first line, as a comment; empty: none
    std::string weightsFile = {}; // what the program calls the file of weights
    std::filesystem::path libraryFolder = {};
    std::vector<LibraryUse> calls = {}; // of the library that may be written as such; any others are written out
    bool showsSources = false;          // writes the line that nodes were made for above them, as a comment: of a model
};

struct ConvertedProgram {
    std::string text;
    NamedTensors weights;       // for the file; may be empty, and then the program does not name it
    std::size_t lines = 0;      // that compute something
    std::size_t operations = 0; // of the graph
};

// Scopes become scope blocks, parameters and large constants tensors of the file. Errors: what the language cannot say, with the
// place in the program that the graph was made from.
[[nodiscard]] Result<ConvertedProgram> convertGraph(const Graph &graph, const ConvertOptions &options);

// Compiles the text, which loads from the folder, and compares. Errors (Code::Internal): it is not the same graph, or none.
[[nodiscard]] Result<Done> checkConverted(const Graph &graph, const std::string &text, const std::filesystem::path &folder,
                                          const std::filesystem::path &libraryFolder);

} // namespace sw
