#pragma once
// What an Explorer holds; private to explorer*.cpp.

#include "engine/api/compilation.h"
#include "engine/api/explorer.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/moments.h"
#include "engine/api/report_documents.h"
#include "engine/execute/executor.h"

#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace sw {

// Everything that holds parts of a cancelled compilation.
struct Cancelled {
    Compilation compilation;
    Report report;
    Described described;
};

struct Explorer::Implementation {
    Implementation(const BackendRegistry &backends, std::string folder, const FiguresStore *store)
        : registry(backends), resourceFolder(std::move(folder)), figures(store), compiler(backends)
    {
    }

    const BackendRegistry &registry;
    std::string resourceFolder;
    const FiguresStore *figures = nullptr;
    ProgramCompiler compiler;
    // These belong to the last compilation that was not cancelled.
    Compilation compilation;
    std::uint64_t seed = RunRequest{}.seed; // of the last run
    SymbolicBindings dimensions;            // likewise
    ReportPtr report;
    std::vector<MachineListing> listings; // by kernel, as far as they were asked for
    Moments moments;

    std::future<void> disposal; // of a compilation that was cancelled

    void dispose(Cancelled cancelled);
    [[nodiscard]] Result<ExecutionResult> execute(const RunRequest &request, std::stop_token stop);
    // Measures devices that were never measured. A device that cannot be measured still runs programs.
    void measureMissing(Report &to, const std::stop_token &stop);
    [[nodiscard]] Result<std::unique_ptr<KernelTrace>> trace(KernelId kernel, std::stop_token stop);
    // The value of a node, from the inputs of the last run.
    [[nodiscard]] Result<HostTensor> interpret(NodeId node, std::stop_token stop) const;
};

} // namespace sw
