#include "engine/passes/lowered/hoist_invariants.h"

#include "engine/lowered/same_value.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <unordered_map>

namespace sw {

namespace {

class Hoister {
public:
    Hoister(const LoweredKernel &kernel, PassContext &context)
        : m_kernel(kernel), m_context(context), m_depths(kernel.instructions.size(), 0)
    {
    }

    std::optional<LoweredKernel> run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            place(InstructionId(i));
        if (m_moved.empty())
            return std::nullopt;
        KernelCopier copier(m_kernel);
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            if (const auto moved = m_before.find(InstructionId(i)); moved != m_before.end())
                for (const InstructionId id : moved->second)
                    copier.keep(id);
            if (!m_moved.contains(InstructionId(i)))
                copier.keep(InstructionId(i));
        }
        for (const auto &[id, rewrite] : m_moved)
            m_context.rewrites().complete(rewrite, [&](RewriteEvent &event) { event.after = {copier.made(id).value}; });
        return copier.take();
    }

private:
    // Decides how many blocks still contain the instruction, and before which block it moves.
    void place(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (closesScope(instruction.kind))
            m_open.pop_back();
        std::size_t depth = m_open.size();
        while (depth > 0 && mayLeave(instruction, m_open[depth - 1]) && isFromOutside(instruction, depth))
            --depth;
        if (depth < m_open.size() && m_context.mayRewrite()) {
            m_before[m_open[depth]].push_back(id);
            m_moved.emplace(id, m_context.rewrites().size());
            record(id, m_open[depth]);
        } else {
            depth = m_open.size();
        }
        m_depths[id.value] = depth;
        if (opensScope(instruction.kind)) {
            m_open.push_back(id);
            m_depths[id.value] = m_open.size(); // the counter belongs to the body
        }
    }

    [[nodiscard]] bool mayLeave(const Instruction &instruction, InstructionId block) const
    {
        const Instruction &opener = m_kernel.instruction(block);
        switch (valueBasisOf(instruction.kind)) {
        case ValueBasis::None:
            return false;
        case ValueBasis::Operands:
            return instruction.kind == InstructionKind::Const || instruction.kind == InstructionKind::Vconst ||
                   isLoop(opener.kind);
        case ValueBasis::Reported:
            return isLoop(opener.kind) && surelyRuns(opener);
        case ValueBasis::Memory:
            return isLoop(opener.kind) && surelyRuns(opener) && isNeverWritten(memoryOf(instruction, m_kernel.instructions));
        }
        SW_UNREACHABLE();
    }

    [[nodiscard]] bool surelyRuns(const Instruction &range) const
    {
        const Instruction &extent = m_kernel.instruction(range.operands[0]);
        return extent.kind == InstructionKind::Const && extent.constants.front().asInt() > 0;
    }

    [[nodiscard]] bool isNeverWritten(InstructionId memory) const
    {
        const Instruction &made = m_kernel.instruction(memory);
        return made.kind == InstructionKind::DefineGlobal && !made.isWritten;
    }

    // An accumulator's value may change in any loop, so instructions that read one stay.
    [[nodiscard]] bool isFromOutside(const Instruction &instruction, std::size_t depth) const
    {
        return std::ranges::all_of(instruction.operands, [&](InstructionId operand) {
            return m_kernel.instruction(operand).kind != InstructionKind::Acc && m_depths[operand.value] < depth;
        });
    }

    void record(InstructionId id, InstructionId block)
    {
        m_context.record("out-of-loop", m_kernel.kernel, [&] {
            return RewriteDetail{
                format("{} before {}", instructionText(m_kernel.instruction(id)), nameOf(m_kernel.instruction(block).kind)),
                {id.value}};
        });
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    std::vector<InstructionId> m_open;
    std::vector<std::size_t> m_depths; // by instruction: how many blocks it is in, after moving
    std::unordered_map<InstructionId, std::vector<InstructionId>> m_before; // by block
    std::unordered_map<InstructionId, std::size_t> m_moved;                 // the number of its rewrite
};

std::optional<LoweredKernel> hoistInvariantsOf(const LoweredKernel &kernel, PassContext &context)
{
    return Hoister(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> hoistInvariants(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &hoistInvariantsOf);
}

} // namespace sw
