#include "engine/lowered/stop_search.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/value_names.h"

namespace sw {

namespace {

constexpr std::array kSpecials{SpecialIndex::GlobalX, SpecialIndex::GlobalY, SpecialIndex::GlobalZ,
                               SpecialIndex::LocalX,  SpecialIndex::LocalY,  SpecialIndex::LocalZ,
                               SpecialIndex::GroupX,  SpecialIndex::GroupY,  SpecialIndex::GroupZ};

class Planner {
public:
    Planner(const LoweredKernel &kernel, const InterpreterProgram &program) : m_kernel(kernel), m_program(program) {}

    [[nodiscard]] const StopPlan &plan() const { return m_plan; }

    [[nodiscard]] Result<Done> operator()(const AtInstruction &condition)
    {
        SW_CHECK(checkInstruction(condition.instruction));
        m_plan.stops.resize(m_program.steps.size());
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            if (m_program.steps[i].instruction < condition.instruction)
                continue;
            if (condition.when)
                return addCheck(m_plan.checkedStops, i, *condition.when);
            m_plan.stops[i] = true;
            break;
        }
        return Done{};
    }

    [[nodiscard]] Result<Done> operator()(const AfterAccess &condition)
    {
        (condition.kind == AccessKind::Store ? m_plan.stopsAtStores : m_plan.stopsAtLoads) = true;
        return Done{};
    }

    [[nodiscard]] Result<Done> operator()(const AfterElement &condition)
    {
        for (std::size_t i = 0; i < m_program.memories.size(); ++i) {
            const MemoryPlan &memory = m_program.memories[i];
            if (memory.instruction != condition.memory)
                continue;
            if (condition.element < 0 || condition.element >= memory.elements)
                return Diagnostic::error(Code::Argument, {}, "%{} has {} elements; there is no element {}",
                                         condition.memory.value, memory.elements, condition.element);
            m_plan.elements.push_back({static_cast<std::uint32_t>(i), condition.element});
            return Done{};
        }
        return Diagnostic::error(
            Code::Argument, {}, "%{} is no memory of kernel {}; there are {}", condition.memory.value, m_kernel.name,
            join(m_program.memories, ", ", [](const MemoryPlan &memory) { return format("%{}", memory.instruction.value); }));
    }

    [[nodiscard]] Result<Done> operator()(const AfterValue &condition)
    {
        SW_CHECK(checkInstruction(condition.value));
        m_plan.values.resize(m_program.steps.size());
        bool isMade = false;
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            if (!m_program.steps[i].isTraced || madeBy(m_program.steps[i].instruction) != condition.value)
                continue;
            isMade = true;
            if (condition.when)
                SW_CHECK(addCheck(m_plan.checkedValues, i, *condition.when));
            else
                m_plan.values[i] = true;
        }
        if (!isMade)
            return Diagnostic::error(Code::Argument, {}, "%{} ({}) is no value that a step of kernel {} makes",
                                     condition.value.value, nameOf(m_kernel.instruction(condition.value).kind), m_kernel.name);
        return Done{};
    }

    [[nodiscard]] Result<Done> operator()(const AfterOddity &condition)
    {
        switch (condition.oddity) {
        case Oddity::Nan:
            m_plan.stopsAtNan = true;
            return Done{};
        case Oddity::Infinity:
            m_plan.stopsAtInfinity = true;
            return Done{};
        case Oddity::IndexFault:
            m_plan.stopsAtFaults = true;
            return Done{};
        }
        SW_UNREACHABLE();
    }

    [[nodiscard]] Result<Done> operator()(const AtPlace &condition)
    {
        if (m_plan.hasPlace)
            return Diagnostic::error(Code::Argument, {}, "one search goes to one place, not to several");
        m_plan.hasPlace = true;
        const std::vector<std::string> names = valueNames(m_kernel);
        std::vector<std::string_view> loops;
        for (const PlaceValue &wanted : condition.values) {
            if (addSpecial(wanted))
                continue;
            if (!isLoopName(wanted.name, names))
                return Diagnostic::error(Code::Argument, {}, "kernel {} has no loop {}; there are {}", m_kernel.name,
                                         quoted(wanted.name), knownNames(names));
            loops.push_back(wanted.name);
            m_plan.counterValues.push_back(wanted.value);
        }
        addCounters(loops, names);
        return Done{};
    }

    [[nodiscard]] Result<Done> operator()(const AtPositions &condition)
    {
        m_plan.positions.push_back(condition.positions);
        return Done{};
    }

private:
    [[nodiscard]] Result<Done> checkInstruction(InstructionId id) const
    {
        if (id.value < m_kernel.instructions.size())
            return Done{};
        return Diagnostic::error(Code::Argument, {}, "kernel {} has no instruction %{}; it has {}", m_kernel.name, id.value,
                                 m_kernel.instructions.size());
    }

    [[nodiscard]] Result<Done> addCheck(std::vector<CheckedStep> &checks, std::size_t step, const ValueCheck &check) const
    {
        SW_CHECK(checkInstruction(check.value));
        const Instruction &instruction = m_kernel.instruction(check.value);
        if (!infoOf(instruction.kind).makesValue || isMemory(instruction.kind))
            return Diagnostic::error(Code::Argument, {}, "%{} ({}) of kernel {} has no value to compare", check.value.value,
                                     nameOf(instruction.kind), m_kernel.name);
        const DType dtype =
            instruction.kind == InstructionKind::Ptrcat || isLoop(instruction.kind) ? DType::I64 : instruction.dtype;
        checks.push_back({step, dtype, m_program.places[check.value.value], instruction.lanes, check.relation, check.number});
        return Done{};
    }

    [[nodiscard]] InstructionId madeBy(InstructionId id) const
    {
        const Instruction &instruction = m_kernel.instruction(id);
        return instruction.kind == InstructionKind::Assign ? instruction.operands[0] : id;
    }

    bool addSpecial(const PlaceValue &wanted)
    {
        for (const SpecialIndex special : kSpecials) {
            if (nameOf(special) != wanted.name)
                continue;
            m_plan.specials.emplace_back(special, wanted.value);
            return true;
        }
        return false;
    }

    [[nodiscard]] bool isNamed(InstructionId loop, std::string_view name, const std::vector<std::string> &names) const
    {
        const Instruction &instruction = m_kernel.instruction(loop);
        return isLoop(instruction.kind) && (instruction.name == name || names[loop.value] == name);
    }

    [[nodiscard]] bool isLoopName(std::string_view name, const std::vector<std::string> &names) const
    {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (isNamed(InstructionId(i), name, names))
                return true;
        return false;
    }

    [[nodiscard]] std::string knownNames(const std::vector<std::string> &names) const
    {
        std::vector<std::string> known;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (isLoop(m_kernel.instructions[i].kind))
                known.push_back(names[i]);
        for (const SpecialIndex special : kSpecials)
            known.emplace_back(nameOf(special));
        return join(known, ", ");
    }

    // Follows the steps in and out of loops.
    void addCounters(const std::vector<std::string_view> &loops, const std::vector<std::string> &names)
    {
        std::vector<InstructionId> open;
        for (const Step &step : m_program.steps) {
            for (const std::string_view name : loops) {
                std::uint32_t place = StopPlan::kClosed;
                for (const InstructionId loop : open)
                    if (isNamed(loop, name, names))
                        place = m_program.places[loop.value];
                m_plan.counters.push_back(place);
            }
            if (step.kind == StepKind::LoopBegin)
                open.push_back(step.instruction);
            if (step.kind == StepKind::LoopEnd)
                open.pop_back();
        }
    }

    const LoweredKernel &m_kernel;
    const InterpreterProgram &m_program;
    StopPlan m_plan;
};

} // namespace

Result<StopPlan> planOf(std::span<const StopCondition> conditions, const LoweredKernel &kernel, const InterpreterProgram &program)
{
    Planner planner(kernel, program);
    for (const StopCondition &condition : conditions)
        SW_CHECK(std::visit(planner, condition));
    return planner.plan();
}

} // namespace sw
