#include "engine/lowered/work.h"

#include "engine/lowered/round_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace sw {

namespace {

// Sizes may exceed 63 bits, and the figures need not be exact there.
std::int64_t counted(double amount)
{
    constexpr double kMost = 9e18;
    return static_cast<std::int64_t>(std::min(amount, kMost));
}

double flopsOf(const LoweredKernel &kernel, const Instruction &instruction)
{
    const auto lanes = static_cast<double>(instruction.lanes);
    if (instruction.kind == InstructionKind::Wmma) {
        const auto depth = static_cast<double>(kernel.instruction(instruction.operands[0]).lanes) /
                           static_cast<double>(instruction.rows); // rows
        return isFloat(instruction.dtype) ? 2 * lanes * depth : 0;
    }
    const bool isArithmetic = instruction.kind == InstructionKind::Custom || instruction.kind == InstructionKind::Alu;
    if (!isArithmetic || !isFloat(instruction.dtype))
        return 0;
    if (instruction.kind == InstructionKind::Custom)
        return lanes;
    if (instruction.op == Op::Where || instruction.op == Op::Arg1 || instruction.op == Op::Arg2)
        return 0;
    return instruction.op == Op::Fma || instruction.op == Op::Mulacc ? 2 * lanes : lanes;
}

class WorkCounter {
public:
    WorkCounter(const LoweredKernel &kernel, const SymbolicBindings &dimensions)
        : m_kernel(kernel), m_dimensions(dimensions), m_read(kernel.arguments.size()), m_written(m_read)
    {
    }

    std::optional<KernelWork> count()
    {
        for (const std::int64_t size : m_kernel.globalSize)
            m_times *= static_cast<double>(size);
        std::vector<double> outer;
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            const Instruction &instruction = m_kernel.instructions[i];
            if (instruction.kind == InstructionKind::Range || instruction.kind == InstructionKind::Unroll) {
                const auto rounds = boundOf(instruction.operands[0]);
                if (!rounds)
                    return std::nullopt;
                outer.push_back(m_times);
                m_times *= *rounds;
                m_open.push_back({InstructionId(i), counted(*rounds)});
            } else if (instruction.kind == InstructionKind::If) {
                outer.push_back(m_times);
                m_times *= shareOf(instruction.operands[0]);
                m_conditions.insert(instruction.operands[0]);
                m_around.push_back(instruction.operands[0]);
            } else if (instruction.kind == InstructionKind::EndRange || instruction.kind == InstructionKind::EndIf) {
                m_times = outer.back();
                outer.pop_back();
                if (instruction.kind == InstructionKind::EndRange)
                    m_open.pop_back();
                else
                    m_around.pop_back();
            } else {
                add(instruction);
            }
        }
        return work();
    }

private:
    // The value of an index where it is known, or the most that it can be where a dimension tells it.
    [[nodiscard]] std::optional<double> boundOf(InstructionId id) const
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (instruction.kind == InstructionKind::Const)
            return static_cast<double>(instruction.constants.front().asInt());
        if (instruction.kind == InstructionKind::DefineVar) {
            const auto known = m_dimensions.find(instruction.name);
            return static_cast<double>(known == m_dimensions.end() ? instruction.high : known->second);
        }
        if (instruction.kind != InstructionKind::Alu || instruction.operands.size() != 2)
            return std::nullopt;
        const std::optional<double> a = boundOf(instruction.operands[0]);
        if (instruction.op == Op::Sub) // of an index, which may be 0
            return a;
        const std::optional<double> b = boundOf(instruction.operands[1]);
        if (instruction.op == Op::Min && (a || b))
            return std::min(a.value_or(*(b ? b : a)), b.value_or(*(a ? a : b)));
        if (!a || !b)
            return std::nullopt;
        const bool isNumber = m_kernel.instruction(instruction.operands[1]).kind == InstructionKind::Const;
        if (instruction.op == Op::Idiv && isNumber && *b > 0)
            return std::floor(*a / *b);
        if (instruction.op == Op::Shr && isNumber)
            return std::floor(std::ldexp(*a, -static_cast<int>(*b)));
        if (instruction.op == Op::Max)
            return std::max(*a, *b);
        return instruction.op == Op::Add ? std::optional(*a + *b) : std::nullopt;
    }

    // The work items that a condition lets through, in each dimension of the launch.
    struct Items {
        double first = 0;
        double end = 0;
    };

    // What the condition denies; invalid: it denies nothing.
    [[nodiscard]] InstructionId deniedBy(InstructionId condition) const
    {
        const Instruction &of = m_kernel.instruction(condition);
        if (of.kind != InstructionKind::Alu || of.dtype != DType::Bool)
            return InstructionId();
        if (of.op == Op::Not)
            return of.operands[0];
        const bool isOfBools = of.op == Op::Cmpeq && m_kernel.instruction(of.operands[0]).dtype == DType::Bool;
        if (!isOfBools)
            return InstructionId();
        const Instruction &other = m_kernel.instruction(of.operands[1]);
        return other.kind == InstructionKind::Const && !other.constants.front().asBool() ? of.operands[0] : InstructionId();
    }

    // The part of the times that the condition is asked for which it holds, and what is left of that where it denies another one.
    [[nodiscard]] double shareOf(InstructionId condition) const
    {
        const InstructionId denied = deniedBy(condition);
        const bool isKnown = denied.isValid() && shareOfRounds(m_kernel, m_open, std::span(&denied, 1));
        if (isKnown || m_conditions.contains(denied))
            return 1 - shareOf(denied);
        std::vector<InstructionId> all;
        for (const InstructionId around : m_around)
            if (shareOfRounds(m_kernel, m_open, std::span(&around, 1)))
                all.push_back(around);
        const double before = all.empty() ? 1 : shareOfRounds(m_kernel, m_open, all).value_or(0);
        all.push_back(condition);
        const std::optional<double> share = shareOfRounds(m_kernel, m_open, all);
        return share && before > 0 ? std::min(*share / before, 1.0) : shareOfItems(condition);
    }

    // The part of the work items for which the condition holds, 1 where it is about something else.
    [[nodiscard]] double shareOfItems(InstructionId condition) const
    {
        std::array<Items, 3> items;
        for (std::size_t i = 0; i < items.size(); ++i)
            items[i].end = static_cast<double>(m_kernel.globalSize[i]);
        narrow(items, condition);
        double share = 1;
        for (std::size_t i = 0; i < items.size(); ++i)
            share *= std::max(0.0, items[i].end - items[i].first) / std::max(1.0, static_cast<double>(m_kernel.globalSize[i]));
        return share;
    }

    // id < n and first <= id, joined by and, are how the loops of work items begin and end.
    void narrow(std::array<Items, 3> &items, InstructionId condition) const
    {
        const Instruction &of = m_kernel.instruction(condition);
        if (of.kind != InstructionKind::Alu || of.operands.size() != 2)
            return;
        const auto axisOf = [&](std::size_t operand) -> Items * {
            const Instruction &id = m_kernel.instruction(of.operands[operand]);
            const auto axis = static_cast<std::size_t>(id.special);
            return id.kind == InstructionKind::Special && axis < items.size() ? &items[axis] : nullptr;
        };
        if (of.op == Op::And) {
            narrow(items, of.operands[0]);
            narrow(items, of.operands[1]);
        } else if (of.op == Op::Cmplt && axisOf(0) != nullptr) {
            if (const auto end = boundOf(of.operands[1]))
                axisOf(0)->end = std::min(axisOf(0)->end, *end);
        } else if (of.op == Op::Cmple && axisOf(1) != nullptr) {
            if (const auto first = boundOf(of.operands[0]))
                axisOf(1)->first = std::max(axisOf(1)->first, *first);
        }
    }

    void add(const Instruction &instruction)
    {
        m_flops += m_times * flopsOf(m_kernel, instruction);
        if (instruction.kind == InstructionKind::Load || instruction.kind == InstructionKind::MaskedLoad)
            touch(m_read, instruction.operands[0], instruction.lanes);
        else if (instruction.kind == InstructionKind::Store)
            touch(m_written, instruction.operands[0], instruction.lanes);
    }

    void touch(std::vector<double> &elements, InstructionId memory, double lanes)
    {
        const Instruction &place = m_kernel.instruction(memory);
        if (place.kind == InstructionKind::Ptrcat) { // memory and index, per lane
            for (std::size_t i = 0; i < place.operands.size(); i += 2)
                touch(elements, place.operands[i], 1);
        } else if (place.kind == InstructionKind::DefineGlobal) {
            elements[place.argument] += m_times * lanes;
        }
    }

    [[nodiscard]] KernelWork work() const
    {
        double read = 0;
        double written = 0;
        for (const Instruction &instruction : m_kernel.instructions) {
            if (instruction.kind != InstructionKind::DefineGlobal)
                continue;
            const auto argument = std::size_t{instruction.argument};
            const auto most = static_cast<double>(instruction.elements);
            const auto size = static_cast<double>(bytesOf(instruction.dtype));
            read += size * std::min(most, m_read[argument]);
            written += size * std::min(most, m_written[argument]);
        }
        return {counted(m_flops), counted(read), counted(written)};
    }

    const LoweredKernel &m_kernel;
    const SymbolicBindings &m_dimensions;
    std::vector<OpenLoop> m_open;
    std::vector<InstructionId> m_around;  // the conditions of the open blocks
    std::set<InstructionId> m_conditions; // of the blocks so far
    std::vector<double> m_read;           // elements, by argument
    std::vector<double> m_written;
    double m_times = 1; // how often the instruction at hand runs
    double m_flops = 0;
};

} // namespace

std::optional<KernelWork> workOf(const LoweredKernel &kernel, const SymbolicBindings &dimensions)
{
    return WorkCounter(kernel, dimensions).count();
}

namespace {

// once: what one launch executes, where it is known.
KernelWork ofAllLaunches(const ScheduledKernel &kernel, std::optional<KernelWork> once)
{
    if (once && kernel.estimate.launches > 1)
        for (std::int64_t *const sum : {&once->flops, &once->bytesRead, &once->bytesWritten})
            *sum = counted(static_cast<double>(*sum) * static_cast<double>(kernel.estimate.launches));
    return once.value_or(KernelWork{kernel.estimate.flops, kernel.estimate.bytesRead, kernel.estimate.bytesWritten});
}

} // namespace

KernelWork executedWork(const ScheduledKernel &kernel, const LoweredProgram *lowered, std::size_t index,
                        const SymbolicBindings &dimensions)
{
    return ofAllLaunches(kernel, lowered == nullptr ? std::nullopt : workOf(lowered->kernels.bodyOf(index), dimensions));
}

std::vector<KernelWork> executedWorks(const Schedule &schedule, const LoweredProgram *lowered, const SymbolicBindings &dimensions)
{
    std::vector<std::optional<KernelWork>> ofBody;
    if (lowered != nullptr)
        for (const KernelList::Body &body : lowered->kernels.bodies())
            ofBody.push_back(workOf(*body, dimensions));
    std::vector<KernelWork> works;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        works.push_back(
            ofAllLaunches(schedule.kernels[i], lowered == nullptr ? std::nullopt : ofBody.at(lowered->kernels.bodyNumberOf(i))));
    return works;
}

} // namespace sw
