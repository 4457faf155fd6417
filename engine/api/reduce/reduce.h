#pragma once
// Makes a program small that makes devices differ, or that a compiler or a kernel fails on, and keeps that property: delta
// debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) on the graph, where a part is cut
// off by giving its value. Every program that is tried is verified first, tried once, and stopped when it takes too long.

#include "engine/api/inputs.h"
#include "engine/api/reduce/property.h"

#include <chrono>
#include <functional>

namespace sw {

struct ReduceOptions {
    std::chrono::milliseconds budget{60'000};   // then the smallest so far is the result
    std::chrono::milliseconds patience{10'000}; // for one program
    std::stop_token stop = {};                  // likewise
    std::string stem = "reduced";               // of the file that the text is for: "bug" for bug.sw
    std::function<void(std::uint64_t tried, std::uint64_t nodes)> onProgress = {};
};

struct ReducedProgram {
    ProgramProperty property;
    std::string divergence;                                // Different: the first kernel and rewrite, in words; empty: not known
    std::string text;                                      // of the program, with comments that say what it shows, and how
    std::string ending = ".sw";                            // or ".graph", for what cannot be written in the language
    std::vector<std::pair<std::string, HostTensor>> files; // that the program loads, for the same folder
    std::size_t nodesBefore = 0;
    std::size_t nodesAfter = 0;
    std::uint64_t tried = 0;   // programs
    std::uint64_t skipped = 0; // that were tried before
    bool isComplete = true;    // false: time was over, or it was stopped
};

// program: its device is not used. devices: of the property: one, to compare with the reference, or several. inputs: what the
// program runs on. options: how its nodes and devices are compiled (fusion, overrides) is that of `program`. Errors: there is
// nothing to keep, because the devices agree; the program has no graph.
[[nodiscard]] Result<ReducedProgram> reduceProgram(ProgramCompiler &compiler, const CompileRequest &program,
                                                   const std::vector<std::string> &devices,
                                                   const std::function<RunInputs(const Compilation &)> &inputs,
                                                   const ReduceOptions &options = {});

} // namespace sw
