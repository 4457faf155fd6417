#pragma once
// Which pass, and which of its rewrites, made a compilation mean something else than its program. Graphs are evaluated by the
// reference interpreter, lowered programs are run by the interpreter of instructions; a stage between them is lowered by the
// passes behind it first. Every element is judged by its own error bound.

#include "engine/execute/opened_device.h"
#include "engine/pipeline/runner.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace sw {

inline constexpr std::uint32_t kWholePass = ~std::uint32_t{0};

struct WrongRewrite {
    std::uint32_t pass = 0; // of PipelineRun::steps
    // The result is right after all rewrites of the pass before this one (counted from 1), and wrong after it. kWholePass: the
    // stages between its rewrites mean nothing, or it has none.
    std::uint32_t rewrite = kWholePass;
    std::string passId;
    std::string rule;       // of the rewrite
    std::string detail;     // "mul(x, 1.0) -> x"
    std::string difference; // "output 0: element 3 of f32[4]: expected 1.0, not 2.0; bound 0", or why there is no result
};

struct MeaningCheck {
    const PipelineRun &run;
    const CompileTarget &target;
    std::span<const HostTensor> inputs; // the values of the graph's placeholders
    OpenedDevice &interpreter;          // runs lowered programs (backend/interpreter)
    std::stop_token stop = {};
};

// Nothing: all stages mean what the program means; a wrong result is then made from right instructions. Errors: the program
// itself has no reference values (open dimensions), or it was cancelled.
[[nodiscard]] Result<std::optional<WrongRewrite>> findWrongRewrite(const MeaningCheck &check);

} // namespace sw
