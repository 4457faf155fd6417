#include "engine/passes/lowered/remove_dead.h"

#include "engine/lowered/same_value.h"
#include "engine/passes/lowered/kernel_pass.h"

namespace sw {

namespace {

// Arguments stay for their positions. Blocks and instructions that change memory or accumulators stay for their effect. A check
// of an index stays because the run reports it.
bool isPure(const Instruction &instruction)
{
    const InstructionKind kind = instruction.kind;
    switch (valueBasisOf(kind)) {
    case ValueBasis::Operands:
    case ValueBasis::Memory:
        return true;
    case ValueBasis::Reported:
        return false;
    case ValueBasis::None:
        return kind == InstructionKind::Buffer || kind == InstructionKind::Local || kind == InstructionKind::Noop;
    }
    SW_UNREACHABLE();
}

// Removes blocks that have become empty.
bool removeEmptyBlocks(const LoweredKernel &kernel, PassContext &context, std::vector<char> &isDead)
{
    struct Open {
        std::size_t opener;
        bool isEmpty = true;
    };
    std::vector<Open> open;
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionKind kind = kernel.instructions[i].kind;
        if (isDead[i] != 0)
            continue;
        if (kind == InstructionKind::Block) {
            open.push_back({i});
            continue;
        }
        const bool closesEmpty = kind == InstructionKind::EndBlock && open.back().isEmpty;
        if (closesEmpty && context.mayRewrite()) {
            isDead[open.back().opener] = isDead[i] = 1;
            context.record("empty-block", kernel.kernel, [&] {
                return RewriteDetail{kernel.instructions[open.back().opener].name,
                                     {static_cast<std::uint32_t>(open.back().opener), static_cast<std::uint32_t>(i)}};
            });
            changed = true;
            open.pop_back();
            continue;
        }
        if (kind == InstructionKind::EndBlock)
            open.pop_back();
        for (Open &block : open)
            block.isEmpty = false;
    }
    return changed;
}

std::optional<LoweredKernel> removeDeadOf(const LoweredKernel &kernel, PassContext &context)
{
    std::vector<std::uint32_t> uses(kernel.instructions.size());
    for (const Instruction &instruction : kernel.instructions)
        for (const InstructionId operand : instruction.operands)
            ++uses[operand.value];
    std::vector<char> isDead(kernel.instructions.size());
    bool changed = false;
    for (std::size_t i = kernel.instructions.size(); i-- > 0;) {
        const Instruction &instruction = kernel.instructions[i];
        if (uses[i] != 0 || !isPure(instruction) || !context.mayRewrite())
            continue;
        isDead[i] = 1;
        changed = true;
        for (const InstructionId operand : instruction.operands)
            --uses[operand.value];
        context.record("unused-value", kernel.kernel,
                       [&] { return RewriteDetail{std::string(nameOf(instruction.kind)), {static_cast<std::uint32_t>(i)}}; });
    }
    if (!(removeEmptyBlocks(kernel, context, isDead) || changed))
        return std::nullopt;
    KernelCopier copier(kernel);
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (isDead[i] == 0)
            copier.keep(InstructionId(i));
    return copier.take();
}

} // namespace

Result<std::optional<LoweredProgram>> removeDeadInstructions(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &removeDeadOf);
}

} // namespace sw
