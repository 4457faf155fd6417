#include "engine/api/machine_analysis.h"

#include "engine/backend/backend.h"
#include "engine/base/text.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sw {

namespace {

// The loops of the lowered kernel around an instruction, outermost first; a loop and its end are in it themselves.
std::vector<InstructionId> lowerLoops(const LoweredKernel &kernel, InstructionId id)
{
    std::vector<InstructionId> scopes;
    for (std::uint32_t i = 0; i <= id.value; ++i) {
        const InstructionKind kind = kernel.instructions[i].kind;
        if (opensScope(kind))
            scopes.emplace_back(i);
        if (closesScope(kind) && i != id.value)
            scopes.pop_back();
    }
    std::erase_if(scopes, [&](InstructionId scope) { return !isLoop(kernel.instruction(scope).kind); });
    return scopes;
}

std::optional<InstructionId> loweredOf(const MachineInstruction &machine, const RenderedSource &source)
{
    if (machine.sourceLine == 0 || machine.sourceLine > source.lines.size())
        return std::nullopt;
    const SourceLine &line = source.lines[machine.sourceLine - 1];
    return line.tag == CodeTag::Instruction ? std::optional(line.instruction) : std::nullopt;
}

std::int64_t roundsOfLoop(const LoweredKernel &kernel, InstructionId loop)
{
    const Instruction &extent = kernel.instruction(kernel.instruction(loop).operands[0]);
    return extent.kind == InstructionKind::Const ? extent.constants.front().asInt() : 0;
}

class Analyst {
public:
    Analyst(const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel)
        : m_code(code), m_source(source), m_kernel(kernel)
    {
    }
    [[nodiscard]] MachineAnalysis made() const;

private:
    [[nodiscard]] InstructionId loweredLoop(const MachineLoop &loop, const std::vector<std::uint32_t> &own) const;
    [[nodiscard]] std::int64_t roundsOf(InstructionId lowered) const;
    void name(std::vector<LoopAnalysis> &loops) const;

    const MachineCode &m_code;
    const RenderedSource &m_source;
    const LoweredKernel &m_kernel;
};

InstructionId Analyst::loweredLoop(const MachineLoop &loop, const std::vector<std::uint32_t> &own) const
{
    for (const std::uint32_t jump : loop.jumps) {
        const auto lowered = loweredOf(m_code.instructions[jump], m_source);
        if (!lowered || m_code.instructions[jump].isInferred)
            continue;
        const std::vector<InstructionId> around = lowerLoops(m_kernel, *lowered);
        if (!around.empty())
            return around.back();
    }
    std::map<std::uint32_t, std::size_t> count; // by loop
    std::size_t known = 0;
    for (const std::uint32_t index : own) {
        const auto lowered = loweredOf(m_code.instructions[index], m_source);
        if (!lowered)
            continue;
        ++known;
        for (const InstructionId around : lowerLoops(m_kernel, *lowered))
            ++count[around.value];
    }
    InstructionId best;
    for (const auto &[candidate, times] : count) // an inner loop stands behind the ones around it
        if (2 * times >= known)
            best = InstructionId(candidate);
    return best;
}

std::int64_t Analyst::roundsOf(InstructionId lowered) const
{
    if (!lowered.isValid())
        return 0;
    const Instruction &loop = m_kernel.instruction(lowered);
    const std::int64_t times = timesOf(m_kernel, lowered) * roundsOfLoop(m_kernel, lowered);
    const std::int64_t copies = loop.kind == InstructionKind::Unroll ? std::max<std::int64_t>(loop.copies, 1) : 1;
    return (times + copies - 1) / copies;
}

void Analyst::name(std::vector<LoopAnalysis> &loops) const
{
    std::vector<std::uint32_t> order(loops.size()); // by place in the code
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return std::pair(loops[i].loop.depth, loops[i].loop.first); });
    std::map<std::int32_t, int> count; // by loop around
    for (const std::uint32_t i : order) {
        const std::int32_t parent = loops[i].loop.parent;
        const std::string around = parent < 0 ? std::string() : loops[static_cast<std::size_t>(parent)].name + '.';
        loops[i].name = around + std::to_string(++count[parent]);
    }
}

MachineAnalysis Analyst::made() const
{
    MachineAnalysis analysis;
    for (MachineLoop &loop : machineLoops(m_code.instructions))
        analysis.loops.push_back({.loop = std::move(loop)});
    for (std::size_t i = 0; i < analysis.loops.size(); ++i) {
        LoopAnalysis &one = analysis.loops[i];
        std::vector<std::uint32_t> own = one.loop.body;
        for (const LoopAnalysis &inner : analysis.loops)
            if (inner.loop.parent == static_cast<std::int32_t>(i))
                std::erase_if(own, [&](std::uint32_t at) { return std::ranges::binary_search(inner.loop.body, at); });
        one.lowered = loweredLoop(one.loop, own);
        one.rounds = roundsOf(one.lowered);
        for (const Throughput &throughput : m_code.throughputs)
            if (one.loop.isInnermost && throughput.first == one.loop.first)
                one.throughput = throughput;
        const bool isSimulated = one.throughput && one.throughput->problem.empty();
        double perRound = isSimulated ? one.throughput->cycles : 0;
        if (!isSimulated && !m_code.throughputs.empty() && m_code.throughputs.front().width > 0)
            perRound = static_cast<double>(own.size()) / m_code.throughputs.front().width;
        one.cycles = perRound * static_cast<double>(one.rounds);
    }
    if (analysis.loops.empty() && !m_code.throughputs.empty())
        analysis.whole = m_code.throughputs.front();
    name(analysis.loops);
    analysis.byHeat.resize(analysis.loops.size());
    std::iota(analysis.byHeat.begin(), analysis.byHeat.end(), 0U);
    // Where it is not known how often a loop runs, deeper ones are taken to be hotter.
    std::ranges::stable_sort(analysis.byHeat, [&](std::uint32_t a, std::uint32_t b) {
        const LoopAnalysis &one = analysis.loops[a];
        const LoopAnalysis &other = analysis.loops[b];
        return std::pair(one.cycles, one.loop.depth) > std::pair(other.cycles, other.loop.depth);
    });
    for (std::uint32_t rank = 0; rank < analysis.byHeat.size(); ++rank)
        analysis.loops[analysis.byHeat[rank]].rank = rank;
    analysis.liveness = livenessOf(m_code);
    analysis.copies = machineCopies(m_code);
    return analysis;
}

std::string waitingText(const Throughput &throughput, const MachineCode &code)
{
    if (throughput.waiting.empty())
        return {};
    return ", at " + join(throughput.waiting, ", ", [&](std::uint32_t index) {
               const std::string &text = code.instructions.at(index).text;
               return format("0x{:x} {}", code.instructions[index].address, text.substr(0, text.find(' ')));
           });
}

} // namespace

std::int64_t timesOf(const LoweredKernel &kernel, InstructionId id)
{
    std::int64_t times = 1;
    for (const InstructionId loop : lowerLoops(kernel, id))
        if (loop != id)
            times *= roundsOfLoop(kernel, loop);
    return times;
}

MachineAnalysis analysed(const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel)
{
    return Analyst(code, source, kernel).made();
}

std::string registersText(const MachineCode &code, const Liveness &liveness)
{
    return join(code.registers, ", ", [&](const RegisterFile &file) {
        return format("{} of {} {}", liveness.peakOf(file.kind), file.count, file.name);
    });
}

std::string copiesText(const MachineCopies &copies)
{
    const std::string each = copies.registers == 1 ? "1 register each" : format("{} registers each", copies.registers);
    const std::string length = copies.length == 1 ? "1 instruction" : format("{} instructions", copies.length);
    return format("x {}, {}, {}", copies.count, length, each);
}

std::string limitText(const Throughput &throughput, const MachineCode &code)
{
    switch (throughput.bottleneck) {
    case Bottleneck::FrontEnd:
        return format("limit: {} micro-operations begin per cycle", throughput.width);
    case Bottleneck::Port:
        return format("limit: {} busy", join(throughput.busiest, ", ", [](const std::string &name) { return name; }));
    case Bottleneck::Registers:
        return "limit: waits for results" + waitingText(throughput, code);
    case Bottleneck::Memory:
        return "limit: waits for stores" + waitingText(throughput, code);
    }
    SW_UNREACHABLE();
}

std::string throughputText(const Throughput &throughput, const MachineCode &code)
{
    if (!throughput.problem.empty())
        return "no estimate: " + throughput.problem;
    return format("{:.2f} cycles per round, {:.1f} micro-operations ({:.2f} per cycle); {}", throughput.cycles,
                  throughput.microOps, throughput.microOps / throughput.cycles, limitText(throughput, code));
}

std::string loopText(const LoopAnalysis &loop)
{
    const std::string rounds = loop.rounds == 0 ? "rounds not known" : format("{} rounds per work item", loop.rounds);
    return format("loop {}: {} instructions, {}", loop.name, loop.loop.body.size(), rounds);
}

} // namespace sw
