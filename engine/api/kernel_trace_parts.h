#pragma once
// The parts of a trace, for the code that opens one.

#include "engine/api/compilation.h"
#include "engine/api/kernel_trace.h"
#include "engine/api/trace_condition.h"
#include "engine/api/trace_difference.h"
#include "engine/lowered/kernel_stepper.h"

namespace sw {

struct KernelTrace::Parts {
    Parts(KernelStepper opened, std::vector<std::vector<std::int64_t>> shapesOfArguments, TraceReference referenceOfProgram)
        : stepper(std::move(opened)),
          names(namesOf(stepper.kernel())),
          shapes(std::move(shapesOfArguments)),
          reference(std::move(referenceOfProgram))
    {
    }

    KernelStepper stepper;
    KernelNames names;
    std::vector<std::vector<std::int64_t>> shapes; // by argument position
    TraceReference reference;
    std::optional<FoundDifferences> differences; // once they were looked for

    [[nodiscard]] Result<Done> findDifferences(const std::stop_token &stop);
    [[nodiscard]] Result<StopCondition> condition(std::string_view text, const std::stop_token &stop);
};

struct TraceInputs {
    std::span<const HostTensor> values; // as for Executor::prepare
    SymbolicBindings dimensions;
    std::size_t memoryLimitBytes = StepperRequest{}.memoryLimitBytes;
};

// Opens the kernel on the results of the kernels before it, which the interpreter runs.
[[nodiscard]] Result<std::unique_ptr<KernelTrace>> openTrace(ProgramCompiler &compiler, const Compilation &compilation,
                                                             KernelId kernel, const TraceInputs &inputs, std::stop_token stop);

} // namespace sw
