#pragma once
// Reads a file, or its text, into the first stage of a compilation. The ending of the file name chooses how:
//   .sw       a Stepwell program             -> graph
//   .onnx     an ONNX model                  -> graph
//   .graph    the canonical text of a graph  -> graph
//   .lowered  the canonical text of a lowered program -> lowered

#include "engine/execute/executor.h"
#include "engine/passes/stage.h"
#include "engine/types/dimension_choice.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct ProgramInput {
    std::string fileName;
    std::string text; // used when isText
    bool isText = false;
    std::string resourceFolder;
    // What the program will run on, as far as it is known beforehand. A model is compiled for these dimensions, and for the
    // values that decide shapes; a program in the language binds its dimensions when it runs.
    std::vector<NamedTensor> knownInputs;
    SymbolicBindings dimensions;
    DimensionRanges openDimensions = {}; // of a model, which stay open; a program says the ranges of its dimensions itself
};

struct FrontEndResult {
    std::optional<Stage> stage = {};                   // absent: the diagnostics say why
    SourceMapPtr sources = nullptr;                    // null when not even the text could be read
    std::vector<std::string> constantInputs = {};      // names of known inputs whose values became a part of the program
    SymbolicBindings runDimensions = {};               // the given dimensions that a run binds
    std::vector<DimensionChoice> modelDimensions = {}; // of a model's inputs: what each was compiled for
    Diagnostics diagnostics = {};
    std::string device = {}; // the device that the text was compiled for; empty: it does not say
};

// progress: is told the steps, and how many nodes of a model are imported.
[[nodiscard]] FrontEndResult openProgram(const ProgramInput &input, std::stop_token stop, WorkProgress *progress = nullptr);

// At most 1 GiB. Errors: missing, a folder, unreadable, too large.
[[nodiscard]] Result<std::string> readTextFile(const std::string &path);

} // namespace sw
