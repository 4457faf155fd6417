// Simulates loops with LLVM's machine code analyser.

#include "engine/backend/llvm/ir_translation.h"
#include "engine/backend/llvm/machine_tools.h"
#include "engine/backend/machine/machine_loops.h"

#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>

#include <algorithm>
#include <map>

namespace sw {

namespace {

constexpr std::uint32_t kRounds = 100;          // as many as the analyser's own program takes
constexpr std::size_t kMostInstructions = 2000; // of a loop
constexpr std::size_t kMostSimulated = 20'000;  // instructions, all rounds together
constexpr double kBound = 0.95;                 // of all cycles: a port that is so busy is the limit
constexpr std::size_t kMostWaiting = 4;

using Instructions = std::vector<std::unique_ptr<llvm::mca::Instruction>>;

// Adds up what happens in the simulated processor.
class Witness final : public llvm::mca::HWEventListener {
public:
    std::map<llvm::mca::ResourceRef, double> busy; // cycles by unit
    std::uint64_t microOps = 0;
    std::map<std::uint32_t, std::uint64_t> waitsForRegisters; // by instruction of the sequence
    std::map<std::uint32_t, std::uint64_t> waitsForMemory;

    explicit Witness(std::size_t length) : m_length(length) {}
    void onEvent(const llvm::mca::HWInstructionEvent &event) override
    {
        if (event.Type == llvm::mca::HWInstructionEvent::Dispatched) {
            microOps += static_cast<const llvm::mca::HWInstructionDispatchedEvent &>(event).MicroOpcodes;
            return;
        }
        if (event.Type != llvm::mca::HWInstructionEvent::Issued)
            return;
        for (const auto &[unit, cycles] : static_cast<const llvm::mca::HWInstructionIssuedEvent &>(event).UsedResources)
            busy[unit] += static_cast<double>(cycles);
    }
    void onEvent(const llvm::mca::HWPressureEvent &event) override
    {
        if (event.Reason != llvm::mca::HWPressureEvent::REGISTER_DEPS && event.Reason != llvm::mca::HWPressureEvent::MEMORY_DEPS)
            return;
        auto &waits = event.Reason == llvm::mca::HWPressureEvent::MEMORY_DEPS ? waitsForMemory : waitsForRegisters;
        for (const llvm::mca::InstRef &instruction : event.AffectedInstructions)
            ++waits[static_cast<std::uint32_t>(instruction.getSourceIndex() % m_length)];
    }

private:
    std::size_t m_length;
};

std::uint64_t sumOf(const std::map<std::uint32_t, std::uint64_t> &waits)
{
    std::uint64_t sum = 0;
    for (const auto &[instruction, cycles] : waits)
        sum += cycles;
    return sum;
}

// The instructions that waited longest, longest first.
std::vector<std::uint32_t> longestOf(const std::map<std::uint32_t, std::uint64_t> &waits, std::span<const std::uint32_t> sequence)
{
    std::vector<std::pair<std::uint32_t, std::uint64_t>> all(waits.begin(), waits.end());
    std::ranges::stable_sort(all, std::greater(), &std::pair<std::uint32_t, std::uint64_t>::second);
    std::vector<std::uint32_t> longest;
    for (std::size_t i = 0; i < std::min(all.size(), kMostWaiting); ++i)
        longest.push_back(sequence[all[i].first]);
    return longest;
}

class Simulation {
public:
    Simulation(const MachineTools &tools, std::span<const llvm::MCInst> decoded);
    [[nodiscard]] Throughput run(std::span<const std::uint32_t> sequence, const MachineCode &code);

private:
    [[nodiscard]] std::string lower(llvm::mca::InstrBuilder &builder, std::span<const std::uint32_t> sequence,
                                    Instructions &made);
    void judge(const Witness &witness, std::span<const std::uint32_t> sequence, Throughput &into) const;
    void addPorts(const Witness &witness, Throughput &into) const;

    const MachineTools &m_tools;
    const llvm::MCSubtargetInfo &m_subtarget;
    std::span<const llvm::MCInst> m_decoded;
    std::unique_ptr<llvm::mca::InstrumentManager> m_instruments;
    std::unique_ptr<llvm::mca::InstrPostProcess> m_postProcess;
};

Simulation::Simulation(const MachineTools &tools, std::span<const llvm::MCInst> decoded)
    : m_tools(tools),
      m_subtarget(*tools.subtarget),
      m_decoded(decoded),
      m_instruments(tools.target->createInstrumentManager(m_subtarget, *tools.instructions)),
      m_postProcess(tools.target->createInstrPostProcess(m_subtarget, *tools.instructions))
{
    if (!m_instruments)
        m_instruments = std::make_unique<llvm::mca::InstrumentManager>(m_subtarget, *tools.instructions);
    if (!m_postProcess)
        m_postProcess = std::make_unique<llvm::mca::InstrPostProcess>(m_subtarget, *tools.instructions);
}

// Returns why an instruction cannot be simulated; empty: all can.
std::string Simulation::lower(llvm::mca::InstrBuilder &builder, std::span<const std::uint32_t> sequence, Instructions &made)
{
    m_postProcess->resetState();
    for (const std::uint32_t index : sequence) {
        auto instruction = builder.createInstruction(m_decoded[index], {});
        if (!instruction) {
            std::string reason = llvm::toString(instruction.takeError());
            const std::string name = m_tools.instructions->getName(m_decoded[index].getOpcode()).str();
            return name + ": " + reason.substr(0, reason.find('\n'));
        }
        m_postProcess->postProcessInstruction(**instruction, m_decoded[index]);
        made.push_back(std::move(*instruction));
    }
    return {};
}

void Simulation::addPorts(const Witness &witness, Throughput &into) const
{
    const llvm::MCSchedModel &model = m_subtarget.getSchedModel();
    for (const auto &[unit, cycles] : witness.busy) {
        const llvm::MCProcResourceDesc *resource = model.getProcResource(static_cast<unsigned>(unit.first));
        std::string name = resource->Name;
        if (resource->NumUnits > 1) // a unit is a bit of a mask
            name += "." + std::to_string(llvm::Log2_64(unit.second));
        into.ports.push_back({std::move(name), cycles / into.rounds});
    }
}

// A port, or the front end, that works in nearly all cycles is the limit. Otherwise the loop waits for results.
void Simulation::judge(const Witness &witness, std::span<const std::uint32_t> sequence, Throughput &into) const
{
    for (const PortUse &port : into.ports)
        if (port.cycles >= kBound * into.cycles)
            into.busiest.push_back(port.name);
    if (!into.busiest.empty()) {
        into.bottleneck = Bottleneck::Port;
        return;
    }
    const std::uint64_t registers = sumOf(witness.waitsForRegisters);
    const std::uint64_t memory = sumOf(witness.waitsForMemory);
    if (into.microOps >= kBound * into.cycles * into.width) {
        into.bottleneck = Bottleneck::FrontEnd;
        return;
    }
    into.bottleneck = memory > registers ? Bottleneck::Memory : Bottleneck::Registers;
    into.waiting = longestOf(memory > registers ? witness.waitsForMemory : witness.waitsForRegisters, sequence);
}

Throughput Simulation::run(std::span<const std::uint32_t> sequence, const MachineCode &code)
{
    Throughput made{.first = sequence.front(), .last = sequence.back()};
    const llvm::MCSchedModel &model = m_subtarget.getSchedModel();
    if (m_subtarget.getTargetTriple().isAMDGPU())
        made.problem = "a GPU runs other threads while one waits, which the analyser does not model";
    else if (!model.hasInstrSchedModel())
        made.problem = "LLVM has no scheduling model of " + m_subtarget.getCPU().str();
    else if (std::ranges::any_of(sequence, [&](std::uint32_t i) { return code.instructions[i].flow == MachineFlow::Call; }))
        made.problem = "it calls a function, whose time is not known";
    else if (sequence.size() > kMostInstructions)
        made.problem = "it has more than " + std::to_string(kMostInstructions) + " instructions";
    llvm::mca::InstrBuilder builder(m_subtarget, *m_tools.instructions, *m_tools.registers, m_tools.analysis.get(),
                                    *m_instruments, 0); // holds what the instructions refer to
    Instructions instructions;
    if (made.problem.empty())
        made.problem = lower(builder, sequence, instructions);
    if (!made.problem.empty())
        return made;
    made.rounds = static_cast<std::uint32_t>(std::clamp<std::size_t>(kMostSimulated / sequence.size(), 1, kRounds));
    made.width = model.IssueWidth;
    llvm::mca::CircularSourceMgr source(instructions, made.rounds);
    std::unique_ptr<llvm::mca::CustomBehaviour> behaviour(
        m_tools.target->createCustomBehaviour(m_subtarget, source, *m_tools.instructions));
    if (!behaviour)
        behaviour = std::make_unique<llvm::mca::CustomBehaviour>(m_subtarget, source, *m_tools.instructions);
    llvm::mca::Context context(*m_tools.registers, m_subtarget);
    // 0: as the model says. Loads and stores are taken not to overlap, which our kernels' arguments do not.
    const llvm::mca::PipelineOptions options(0, 0, made.width, 0, 0, 0, true, true);
    const auto pipeline = model.isOutOfOrder() ? context.createDefaultPipeline(options, source, *behaviour)
                                               : context.createInOrderPipeline(options, source, *behaviour);
    Witness witness(sequence.size());
    pipeline->addEventListener(&witness);
    auto cycles = pipeline->run();
    if (!cycles) {
        made.problem = llvm::toString(cycles.takeError());
        return made;
    }
    made.cycles = static_cast<double>(*cycles) / made.rounds;
    made.microOps = static_cast<double>(witness.microOps) / made.rounds;
    addPorts(witness, made);
    judge(witness, sequence, made);
    return made;
}

} // namespace

void addThroughputs(const MachineTools &tools, std::span<const llvm::MCInst> decoded, MachineCode &code)
{
    if (code.empty())
        return;
    Simulation simulation(tools, decoded);
    const auto simulate = [&](std::span<const std::uint32_t> sequence) {
        Throughput made{.first = sequence.front(), .last = sequence.back()};
        if (!recovered({}, [&] { made = simulation.run(sequence, code); }))
            made.problem = "the analyser failed inside";
        code.throughputs.push_back(std::move(made));
    };
    const std::vector<MachineLoop> loops = machineLoops(code.instructions);
    for (const MachineLoop &loop : loops)
        if (loop.isInnermost)
            simulate(loop.body);
    if (!loops.empty())
        return;
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < code.size(); ++i)
        if (code.instructions[i].flow != MachineFlow::Leave) // the analyser knows no return
            all.push_back(i);
    if (!all.empty())
        simulate(all);
}

} // namespace sw
