#pragma once
// Runs lowered kernels on byte buffers. Every memory access is checked: out of range is a diagnostic with the instruction, the
// index and the size. Values are exactly those of ops.def. A kernel is prepared once and may then run many times, on several
// threads at once.

#include "engine/lowered/lowered.h"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// A value that was just made. An Assign reports the accumulator's new value.
struct TracedValue {
    InstructionId instruction;
    std::array<std::int64_t, 3> workItem{}; // global index
    std::span<const std::int64_t> counters; // of the loops around it, outermost first
    std::span<const Scalar> lanes;
};

using TraceSink = std::function<void(const TracedValue &)>;

struct InterpretRequest {
    std::vector<std::span<std::byte>> buffers; // by argument position; at least as large as the kernel says
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
    std::stop_token stop = {};
    TraceSink trace = {}; // slow; may be empty
};

struct InterpreterProgram;

class PreparedKernel {
public:
    // The kernel must have passed the verifier.
    [[nodiscard]] static Result<PreparedKernel> prepare(const LoweredKernel &kernel);
    ~PreparedKernel();
    PreparedKernel(PreparedKernel &&) noexcept;
    PreparedKernel &operator=(PreparedKernel &&) noexcept;

    // The indices that failed their IndexCheck, one entry per instruction.
    [[nodiscard]] Result<std::vector<IndexFault>> run(const InterpretRequest &request) const;

private:
    explicit PreparedKernel(std::unique_ptr<const InterpreterProgram> program);

    std::unique_ptr<const InterpreterProgram> m_program;
};

} // namespace sw
