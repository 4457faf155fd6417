#pragma once
// Runs a list of passes and records what each one did: the stages before and after, whether it changed anything, its time, how
// often each rule was applied, and its diagnostics. Every stage is verified, some while the passes after it run already. The run
// stops at the first failure and keeps the steps made so far, including the failed one; whatever was made of a wrong stage is
// thrown away.

#include "engine/passes/pass.h"
#include "engine/pipeline/memo.h"

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// The record of a pass that ran.
struct PassStep {
    const PassInfo *pass = nullptr;
    Stage before;
    Stage after; // same as before when the pass failed or changed nothing
    bool changed = false;
    std::chrono::nanoseconds time{0};       // of the pass alone
    std::chrono::nanoseconds verifyTime{0}; // of the check of what it made
    std::chrono::steady_clock::time_point begin = {};
    std::chrono::steady_clock::time_point verifyBegin = {}; // other passes may run then
    RewriteLog rewrites;
    Diagnostics diagnostics; // errors: this is where the pipeline stopped
    bool failed = false;
};

struct PipelineRun {
    std::vector<PassStep> steps;
    Stage last;              // made by the last pass that succeeded
    Diagnostics diagnostics; // of all steps
    bool succeeded = false;
    bool cancelled = false;
};

// Called when the step is verified, in the order of the passes.
using StepObserver = std::function<void(const PassStep &)>;

// Skips passes whose input stage comes before the given stage: a graph text starts at the graph, a lowered text at the end.
// progress: is told each pass before it runs. memo: of the runs before; the run is the same without it, but takes longer.
[[nodiscard]] PipelineRun runPipeline(const Stage &start, std::span<const PassInfo> passes, const CompileTarget &target,
                                      std::stop_token stop, const StepObserver &observer = {}, WorkProgress *progress = nullptr,
                                      PipelineMemo *memo = nullptr);

// Runs one pass alone, limited to the first rewriteBudget rewrites; the rewrites of the window are recorded in full.
[[nodiscard]] PassStep runPass(const Stage &before, const PassInfo &pass, const CompileTarget &target, std::stop_token stop,
                               std::uint32_t rewriteBudget = kNoRewriteLimit, RewriteWindow told = kNoRewrites);

// The rewrites of a finished step that lie in the window, in full: its pass runs again, which gives the same rewrites.
[[nodiscard]] std::vector<RewriteEvent> rewritesOf(const PassStep &step, const CompileTarget &target, RewriteWindow window,
                                                   std::stop_token stop);

// Runs the verifier for the stage's level.
[[nodiscard]] Result<Done> verifyStage(const Stage &stage);

// What an exception means to the user: a bug in Stepwell, or lack of memory.
[[nodiscard]] Diagnostic diagnosticOf(const std::exception &exception);

} // namespace sw
