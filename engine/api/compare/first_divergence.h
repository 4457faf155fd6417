#pragma once
// Where a device first computes something else than the reference: the first kernel, in the order of the run, with a result
// beyond its own error bound, and the pass and rewrite that made it so.

#include "engine/api/inputs.h"
#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace sw {

struct Compilation;
class ProgramCompiler;

// Results are fetched and judged in portions, so that they and their reference values fit in about so much memory. The program
// runs once per portion.
struct DivergenceOptions {
    std::int64_t bytes = std::int64_t{256} << 20;
    double operations = 1e9; // of the reference interpreter for one portion; more is refused
    std::stop_token stop = {};
    std::function<void(std::uint64_t done, std::uint64_t all)> onProgress = {}; // kernels; may be empty
};

// A result of a kernel that is beyond its bound.
struct DivergentResult {
    std::uint32_t kernel = 0;
    std::string kernelName;
    std::string device;
    std::uint32_t node = 0; // of the final graph
    std::string label;      // "exp"
    std::uint32_t line = 0; // of the program; 0: none
    std::int64_t index = 0; // the first element
    std::string place;      // its coordinates
    std::string expected;
    std::string actual;
    double bound = 0;
};

// A pass that changed what the program means.
struct DivergentPass {
    std::uint32_t pass = 0;               // MomentPlace::pass
    std::optional<std::uint32_t> rewrite; // MomentPlace::rewrites after it; nothing: the pass as a whole
    std::string passId;
    std::string rule;
    std::string detail;
    std::string difference;
};

struct FirstDivergence {
    std::uint32_t kernelsJudged = 0;
    std::optional<DivergentResult> result;
    std::optional<DivergentPass>
        pass;             // nothing with a result: the instructions are right, and the device makes something else of them
    std::string passNote; // why passes were not judged; empty: they were

    [[nodiscard]] bool isFound() const { return result.has_value() || pass.has_value(); }
    [[nodiscard]] std::string text() const; // in words
};

// The compilation must have a program. inputs: of the run.
[[nodiscard]] Result<FirstDivergence> firstDivergence(ProgramCompiler &compiler, const Compilation &compilation,
                                                      const RunInputs &inputs, const DivergenceOptions &options = {});

} // namespace sw
