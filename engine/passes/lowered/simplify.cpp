#include "engine/passes/lowered/simplify.h"

#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"
#include "engine/passes/lowered/simplify_rules.h"

#include <unordered_set>

namespace sw {

namespace {

// A rule's result may be simplified again, at most this many times for one instruction.
constexpr int kMaxRounds = 16;

class KernelSimplifier {
public:
    KernelSimplifier(const LoweredKernel &kernel, PassContext &context)
        : m_kernel(kernel),
          m_context(context),
          m_copier(kernel),
          m_bounds(m_copier.builder().kernel()),
          m_simplifier(m_copier.builder(), m_bounds)
    {
    }

    std::optional<LoweredKernel> run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            visit(InstructionId(i));
        return m_changed ? std::optional(m_copier.take()) : std::nullopt;
    }

private:
    void visit(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (dropSingleIteration(id, instruction))
            return;
        const InstructionId first = m_copier.next();
        Instruction current = instruction;
        current.operands = m_copier.madeOperands(instruction);
        const SimplificationRule *rule = nullptr;
        std::optional<InstructionId> made;
        for (int round = 0; round < kMaxRounds && m_context.mayRewrite(); ++round) {
            const auto [applied, result] = applyOne(current);
            if (applied == nullptr)
                break;
            rule = rule == nullptr ? applied : rule;
            made = result;
            // A value that was there before is not simplified again for this instruction.
            if (result.value < first.value)
                break;
            current = m_simplifier.at(result);
        }
        if (rule == nullptr) {
            m_copier.keep(id);
            return;
        }
        m_copier.replace(id, *made);
        // A rule that makes nothing new returns a value that was there before.
        const bool isNew = first.value < m_copier.next().value;
        recordRewrite(m_context, rule->id, m_kernel, id, isNew ? first : *made,
                      isNew ? m_copier.next() : InstructionId(made->value + 1), [&] { return instructionText(instruction); });
        m_changed = true;
    }

    std::pair<const SimplificationRule *, InstructionId> applyOne(const Instruction &instruction)
    {
        for (const auto rules : {constantRules(), integerRules()})
            for (const SimplificationRule &rule : rules)
                if (const auto made = rule.apply(m_simplifier, instruction))
                    return {&rule, *made};
        return {nullptr, InstructionId()};
    }

    // A loop that runs once is no loop: its counter is 0.
    bool dropSingleIteration(InstructionId id, const Instruction &instruction)
    {
        if (instruction.kind == InstructionKind::EndRange)
            return m_dropped.contains(instruction.operands[0]);
        if (!isLoop(instruction.kind) || !m_context.mayRewrite())
            return false;
        const InstructionId extent = m_copier.made(instruction.operands[0]);
        if (integerConstant(m_simplifier.at(extent)) != 1)
            return false;
        const InstructionId first = m_copier.next();
        m_copier.replace(id, m_simplifier.integer(instruction, 0));
        m_dropped.insert(id);
        recordRewrite(m_context, "single-iteration", m_kernel, id, first, m_copier.next(), [] { return std::string("range"); });
        m_changed = true;
        return true;
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    KernelCopier m_copier;
    ValueBounds m_bounds;
    Simplifier m_simplifier;
    std::unordered_set<InstructionId> m_dropped; // ranges
    bool m_changed = false;
};

std::optional<LoweredKernel> simplifyKernel(const LoweredKernel &kernel, PassContext &context)
{
    return KernelSimplifier(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> simplifyInstructions(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &simplifyKernel);
}

} // namespace sw
