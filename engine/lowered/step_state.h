#pragma once
// Reads the state of a stepped run at its current position. Private to the stepper.

#include "engine/lowered/kernel_stepper.h"
#include "engine/lowered/stepped_run.h"

namespace sw {

class StepReader {
public:
    // The kernel must outlive the reader.
    explicit StepReader(const LoweredKernel &kernel);

    [[nodiscard]] StepState state(const SteppedRun &run) const;
    [[nodiscard]] std::span<const std::byte> bytesOf(const SteppedRun &run, InstructionId memory) const;

private:
    [[nodiscard]] std::vector<InstructionId> visibleAt(std::size_t next) const;
    void addValues(StepState &state, const SteppedRun &run) const;
    void addLast(StepState &state, const SteppedRun &run) const;
    [[nodiscard]] StepRegister registerOf(const SteppedRun &run, InstructionId id) const;

    const LoweredKernel &m_kernel;
    std::vector<std::string> m_names;
    std::vector<std::size_t> m_firstAssign; // by instruction: for an accumulator, where it is first assigned
};

} // namespace sw
