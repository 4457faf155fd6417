#include "engine/passes/lowered/kernel_pass.h"

#include "engine/lowered/type_rules.h"

namespace sw {

namespace {

LoweredKernel frameOf(const LoweredKernel &kernel)
{
    return {.kernel = kernel.kernel,
            .name = kernel.name,
            .symbol = kernel.symbol,
            .instructions = {},
            .arguments = kernel.arguments,
            .globalSize = kernel.globalSize,
            .localSize = kernel.localSize,
            .origin = kernel.origin,
            .device = kernel.device};
}

} // namespace

Result<std::optional<LoweredProgram>> rewriteKernels(const LoweredProgram &program, PassContext &context, KernelPass pass)
{
    const std::span<const KernelList::Body> bodies = program.kernels.bodies();
    std::vector<KernelList::Body> made(bodies.begin(), bodies.end());
    bool isChanged = false;
    for (KernelList::Body &body : made) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "compiling was cancelled");
        if (std::optional<LoweredKernel> rewritten = pass(*body, context)) {
            body = std::make_shared<const LoweredKernel>(std::move(*rewritten));
            isChanged = true;
        }
    }
    if (!isChanged)
        return std::optional<LoweredProgram>();
    return std::optional(LoweredProgram{program.schedule, program.kernels.withBodies(std::move(made))});
}

KernelCopier::KernelCopier(const LoweredKernel &source)
    : m_source(source), m_builder(frameOf(source)), m_made(source.instructions.size())
{
}

InstructionId KernelCopier::keep(InstructionId old)
{
    Instruction copy = m_source.instruction(old);
    copy.operands = madeOperands(copy);
    m_made[old.value] = m_builder.add(std::move(copy));
    return m_made[old.value];
}

std::vector<InstructionId> KernelCopier::madeOperands(const Instruction &old) const
{
    std::vector<InstructionId> out;
    out.reserve(old.operands.size());
    for (const InstructionId operand : old.operands)
        out.push_back(m_made[operand.value]);
    return out;
}

std::string aluText(const Instruction &alu)
{
    return format("{} {}", nameOf(alu.op), typeText(alu.dtype, alu.lanes));
}

std::string instructionText(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Alu ? aluText(instruction) : std::string(nameOf(instruction.kind));
}

} // namespace sw
