#include "engine/lowered/interpreter.h"

#include "engine/lowered/interpreter_machine.h"
#include "engine/lowered/race_watch.h"

namespace sw {

namespace {

// Reports every value to the sink.
class Trace {
public:
    Trace(const InterpreterProgram &program, const TraceSink &sink) : m_program(program), m_sink(sink) {}

    void makes(const WorkItem &item, std::size_t stepIndex)
    {
        const Step &step = m_program.steps[stepIndex];
        m_counters.clear();
        for (const std::uint32_t place : m_program.openCounters[stepIndex])
            m_counters.push_back(at<std::int64_t>(item.frame, place));
        m_lanes.clear();
        for (std::uint32_t lane = 0; lane < step.traceLanes; ++lane)
            m_lanes.push_back(Scalar::load(step.lanes.dtype, item.frame + step.traceResult + lane * bytesOf(step.lanes.dtype)));
        m_sink({step.instruction, item.global, m_counters, m_lanes});
    }

private:
    const InterpreterProgram &m_program;
    const TraceSink &m_sink;
    std::vector<std::int64_t> m_counters;
    std::vector<Scalar> m_lanes;
};

} // namespace

PreparedKernel::PreparedKernel(std::unique_ptr<const InterpreterProgram> program) : m_program(std::move(program)) {}
PreparedKernel::~PreparedKernel() = default;
PreparedKernel::PreparedKernel(PreparedKernel &&) noexcept = default;
PreparedKernel &PreparedKernel::operator=(PreparedKernel &&) noexcept = default;

Result<PreparedKernel> PreparedKernel::prepare(const LoweredKernel &kernel)
{
    SW_TRY(auto program, prepareProgram(kernel));
    return PreparedKernel(std::move(program));
}

Result<std::vector<IndexFault>> PreparedKernel::run(const InterpretRequest &request) const
{
    MachineRequest launch{request.buffers, request.globalSize, request.localSize, request.stop};
    SW_CHECK(checkRequest(*m_program, launch));
    std::vector<std::byte> block(layoutOf(*m_program, request.localSize).bytes() + kBlockAlignment);
    KernelMachine machine(*m_program, std::move(launch), alignedBlock(block.data()));
    Unwatched nothing;
    RaceWatch races(*m_program);
    Trace trace(*m_program, request.trace);
    const bool sharesMemory = m_program->sharedBytes != 0;
    switch (request.trace ? machine.advance(trace) : sharesMemory ? machine.advance(races) : machine.advance(nothing)) {
    case Pause::Finished:
    case Pause::Barrier:
        if (const auto race = races.problem())
            return *race;
        break;
    case Pause::Stopped:
        return Diagnostic::error(Code::Cancelled, {}, "kernel {} was cancelled", m_program->name);
    case Pause::Failed:
        return *machine.problem();
    }
    std::vector<IndexFault> faults = machine.faults();
    std::erase_if(faults, [](const IndexFault &fault) { return fault.count == 0; });
    return faults;
}

} // namespace sw
