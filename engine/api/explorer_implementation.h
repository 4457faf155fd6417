#pragma once
// What an Explorer holds; private to explorer*.cpp.

#include "engine/api/compilation.h"
#include "engine/api/disposal.h"
#include "engine/api/effect.h"
#include "engine/api/explorer.h"
#include "engine/api/inputs.h"
#include "engine/api/item_value.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/moments.h"
#include "engine/api/report_documents.h"
#include "engine/api/tune/use_tunings.h"
#include "engine/execute/executor.h"
#include "engine/execute/measure_runs.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace sw {

// Everything that holds parts of a compilation that was cancelled, or that another one has taken the place of.
struct NoLongerNeeded {
    Compilation compilation;
    ReportPtr report;
    Described described;
};

// tunings: what is kept on this machine; they are used unless the request switches them off. Errors are in the text of the
// overrides.
[[nodiscard]] Result<CompileRequest> compileRequestOf(const ExploreRequest &request, const std::string &resourceFolder,
                                                      std::shared_ptr<const Tunings> tunings);
[[nodiscard]] RunOutputs keptOutputs(const ExecutionResult &result, const RunInputs &inputs);
[[nodiscard]] RunInputs inputsOf(const RunRequest &request);
// The message of the first error, before which warnings may stand.
[[nodiscard]] std::string firstError(const Diagnostics &diagnostics);
[[nodiscard]] std::string firstErrorOf(const Report &report); // that did not succeed
// The times and outputs of a run, and its faults as messages.
void addRun(Report &to, const ExecutionResult &result, const RunInputs &inputs, const std::string &programFile);

struct Explorer::Implementation {
    Implementation(const BackendRegistry &backends, std::string folder, const FiguresStore *store)
        : registry(backends), resourceFolder(std::move(folder)), figures(store), tunings(store), compiler(backends)
    {
    }

    WorkProgress compileProgress;
    const BackendRegistry &registry;
    std::string resourceFolder;
    const FiguresStore *figures = nullptr;
    mutable KeptTunings tunings;
    ProgramCompiler compiler;
    // These belong to the last compilation that was not cancelled.
    Compilation compilation;
    RunInputs inputs; // of the last run, unless others were chosen since
    ReportPtr report;
    std::vector<MachineListing> listings; // by kernel, as far as they were asked for
    Moments moments;

    // What the last compilation is compared with, and was asked for last.
    struct Baseline {
        ExploreRequest request;
        Compilation compilation;
        ReportPtr report;
        bool hasCode = false; // of all its kernels
    };
    std::optional<Baseline> baseline;

    Disposal disposal; // of compilations that are no longer needed

    // Nothing is left of the last compilation.
    void forget();
    void forgetParts(); // what was made of the last compilation later on
    // The program's, with the time of its last run.
    [[nodiscard]] std::optional<WhyCard> cardOf(StageKind stage, ItemIndex item, const std::stop_token &stop) const;
    [[nodiscard]] ProgramFigures programFigures(const Compilation &of, const Timing &run) const;
    void dispose(NoLongerNeeded parts);
    [[nodiscard]] Result<CompileRequest> requestOf(const ExploreRequest &request) const
    {
        return compileRequestOf(request, resourceFolder, tunings.current());
    }
    // There is one of this request, and no kernel was tuned since.
    [[nodiscard]] bool hasBaseline(const ExploreRequest &request) const;
    [[nodiscard]] bool makeBaseline(const ExploreRequest &request, const std::stop_token &stop);
    [[nodiscard]] Result<std::unique_ptr<Executor>> executorOf(const Compilation &of, const RunInputs &wanted);
    [[nodiscard]] Result<std::unique_ptr<Executor>> readyBaseline(const RunInputs &wanted, const std::stop_token &stop);
    [[nodiscard]] Result<MeasuredRuns> measureBoth(Executor &before, const RunRequest &request, const std::stop_token &stop);
    [[nodiscard]] Result<ExecutionResult> execute(const RunRequest &request, std::stop_token stop);
    // Measures devices that were never measured. A device that cannot be measured still runs programs.
    void measureMissing(Report &to, const std::stop_token &stop);
    [[nodiscard]] Result<std::unique_ptr<KernelTrace>> trace(KernelId kernel, std::stop_token stop);
    // The values of nodes by the reference, in their order.
    [[nodiscard]] Result<std::vector<HostTensor>> interpret(const Compilation &of, std::span<const NodeId> nodes,
                                                            std::stop_token stop) const;
    // Why the devices have no value of the node.
    [[nodiscard]] ItemValue valueOf(const MomentItem &item, const std::stop_token &stop) const;
    // step: of the scan that has it in its body, as in MomentItem.
    [[nodiscard]] ValueOpening valueByReference(const ItemValue &wanted, std::optional<std::int64_t> step,
                                                std::stop_token stop) const;
    [[nodiscard]] ValueOpening valueByDevice(const ItemValue &wanted, std::optional<std::int64_t> step, std::stop_token stop);
    // What the devices store in these buffers when they run the program once, in their order; see Executor::runAndKeep.
    [[nodiscard]] Result<std::vector<std::optional<HostTensor>>> store(const Compilation &of, std::span<const BufferId> buffers,
                                                                       std::stop_token stop);
    // Of final graph nodes of a compilation, computed together.
    [[nodiscard]] std::vector<ValueOpening> nodeValues(const Compilation &of, const std::vector<std::uint32_t> &nodes,
                                                       ValueSource source, const std::stop_token &stop);
};

} // namespace sw
