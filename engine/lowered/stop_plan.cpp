#include "engine/lowered/printer.h"
#include "engine/lowered/stop_search.h"
#include "engine/lowered/type_rules.h"

namespace sw {

namespace {

constexpr std::array kSpecials{SpecialIndex::GlobalX, SpecialIndex::GlobalY, SpecialIndex::GlobalZ,
                               SpecialIndex::LocalX,  SpecialIndex::LocalY,  SpecialIndex::LocalZ,
                               SpecialIndex::GroupX,  SpecialIndex::GroupY,  SpecialIndex::GroupZ};

class Planner {
public:
    Planner(const LoweredKernel &kernel, const InterpreterProgram &program) : m_kernel(kernel), m_program(program) {}

    [[nodiscard]] Result<StopPlan> operator()(const AtInstruction &condition)
    {
        SW_CHECK(checkInstruction(condition.instruction));
        m_plan.stops.resize(m_program.steps.size());
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            if (m_program.steps[i].instruction < condition.instruction)
                continue;
            m_plan.stops[i] = true;
            break;
        }
        return m_plan;
    }

    [[nodiscard]] Result<StopPlan> operator()(const AfterAccess &condition)
    {
        m_plan.access = condition.kind;
        return m_plan;
    }

    [[nodiscard]] Result<StopPlan> operator()(const AfterElement &condition)
    {
        for (std::size_t i = 0; i < m_program.memories.size(); ++i) {
            const MemoryPlan &memory = m_program.memories[i];
            if (memory.instruction != condition.memory)
                continue;
            if (condition.element < 0 || condition.element >= memory.elements)
                return Diagnostic::error(Code::Argument, {}, "%{} has {} elements; there is no element {}",
                                         condition.memory.value, memory.elements, condition.element);
            m_plan.memory = static_cast<std::uint32_t>(i);
            m_plan.element = condition.element;
            return m_plan;
        }
        return Diagnostic::error(
            Code::Argument, {}, "%{} is no memory of kernel {}; there are {}", condition.memory.value, m_kernel.name,
            join(m_program.memories, ", ", [](const MemoryPlan &memory) { return format("%{}", memory.instruction.value); }));
    }

    [[nodiscard]] Result<StopPlan> operator()(const AfterValue &condition)
    {
        SW_CHECK(checkInstruction(condition.value));
        m_plan.values.resize(m_program.steps.size());
        bool isMade = false;
        for (std::size_t i = 0; i < m_program.steps.size(); ++i) {
            m_plan.values[i] = m_program.steps[i].isTraced && madeBy(m_program.steps[i].instruction) == condition.value;
            isMade = isMade || m_plan.values[i];
        }
        if (!isMade)
            return Diagnostic::error(Code::Argument, {}, "%{} ({}) is no value that a step of kernel {} makes",
                                     condition.value.value, nameOf(m_kernel.instruction(condition.value).kind), m_kernel.name);
        return m_plan;
    }

    [[nodiscard]] Result<StopPlan> operator()(const AfterOddity &condition)
    {
        m_plan.oddity = condition.oddity;
        return m_plan;
    }

    [[nodiscard]] Result<StopPlan> operator()(const AtPlace &condition)
    {
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
        return m_plan;
    }

private:
    [[nodiscard]] Result<Done> checkInstruction(InstructionId id) const
    {
        if (id.value < m_kernel.instructions.size())
            return Done{};
        return Diagnostic::error(Code::Argument, {}, "kernel {} has no instruction %{}; it has {}", m_kernel.name, id.value,
                                 m_kernel.instructions.size());
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

Result<StopPlan> planOf(const StopCondition &condition, const LoweredKernel &kernel, const InterpreterProgram &program)
{
    return std::visit(Planner(kernel, program), condition);
}

} // namespace sw
