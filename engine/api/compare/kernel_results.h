#pragma once
// What the kernels of a compilation store, and what the reference interpreter has in its place. Both are computed for a portion
// of the results at a time, so that they fit in memory; the program runs once per portion.

#include "engine/accuracy/error_bounds.h"
#include "engine/api/inputs.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

struct Compilation;
class ProgramCompiler;

// A value that a kernel stores.
struct KernelResult {
    KernelId kernel;
    NodeId node;
    BufferId buffer;
};

// In the order of the run. Empty for a lowered text: it does not say which values its kernels store.
[[nodiscard]] std::vector<KernelResult> resultsOf(const Schedule &schedule);

// The end of the portion that begins with result `first` and takes about so many bytes with its reference; at least one result.
[[nodiscard]] std::size_t portionEnd(const Schedule &schedule, std::span<const KernelResult> results, std::size_t first,
                                     std::int64_t bytes);

// The values that the compilation runs on. Both in Graph::placeholders order.
struct ResultInputs {
    std::vector<HostTensor> interpreted; // for the reference
    std::vector<HostTensor> values;      // for the devices
    SymbolicBindings dimensions;
};
[[nodiscard]] Result<ResultInputs> resultInputs(const Schedule &schedule, const RunInputs &inputs);

// The values and their error bounds. operations: the most that the reference interpreter may take; more is an error (Limit), and
// so are open dimensions (Unsupported).
[[nodiscard]] Result<BoundedOutputs> referenceResults(const Schedule &schedule, std::span<const KernelResult> results,
                                                      const ResultInputs &inputs, double operations, const std::stop_token &stop);

// What the devices store, in the shapes of the nodes; nothing for what is computed only in other runs, see conditions.h.
[[nodiscard]] Result<std::vector<std::optional<HostTensor>>>
storedResults(ProgramCompiler &compiler, const Compilation &compilation, std::span<const KernelResult> results,
              const ResultInputs &inputs, const std::stop_token &stop);

} // namespace sw
