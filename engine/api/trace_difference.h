#pragma once
// Where a stepped run stores something else than the reference interpreter has. Only the last store of an element counts: what a
// kernel collects in its buffer step by step is right when it is complete.

#include "engine/api/kernel_trace.h"
#include "engine/api/trace_condition.h"
#include "engine/lowered/kernel_stepper.h"
#include "engine/types/host_tensor.h"

#include <map>
#include <memory>
#include <span>

namespace sw {

// What the reference needs to know.
struct TraceReference {
    SchedulePtr schedule;
    std::vector<HostTensor> values; // as for Executor::prepare
    SymbolicBindings dimensions;
};

struct StoredDifference {
    std::uint64_t position = 0; // behind the step that stored it
    InstructionId memory;
    std::int64_t element = 0;
    double allowed = 0;
};

struct FoundDifferences {
    TraceComparison comparison;
    std::map<InstructionId, HostTensor> references;                // of memories that were compared
    std::vector<StoredDifference> elements;                        // by position
    std::shared_ptr<const std::vector<std::uint64_t>> positions{}; // theirs, each once
};

// Runs the kernel to its end, and the reference interpreter. The stepper stays where it is.
[[nodiscard]] Result<FoundDifferences> findDifferences(KernelStepper &stepper, const KernelNames &names,
                                                       const TraceReference &reference, const std::stop_token &stop);

// Those that the last step of this state stored.
[[nodiscard]] std::vector<TraceDifference> differencesAt(const KernelStepper &stepper, std::uint64_t position,
                                                         const FoundDifferences &found, const KernelNames &names);

} // namespace sw
