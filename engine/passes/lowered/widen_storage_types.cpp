#include "engine/passes/lowered/widen_storage_types.h"

#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>

namespace sw {

namespace {

std::optional<LoweredKernel> widenKernel(const LoweredKernel &kernel, PassContext &context)
{
    if (std::ranges::none_of(kernel.instructions, [](const Instruction &one) { return isStorageOnly(one.dtype); }))
        return std::nullopt; // an operand of such a type is a value of the kernel
    const bool hasF16 = context.device(kernel.device).hasF16;
    KernelCopier copier(kernel);
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionId id(i);
        const Instruction &instruction = kernel.instructions[i];
        const bool isAlu = instruction.kind == InstructionKind::Alu;
        const DType own = isAlu ? operandTypeOf(instruction, kernel.instructions) : instruction.dtype;
        const bool isWidened = isAlu && computeTypeOf(instruction.op, own, hasF16) != own;
        if (!isWidened || !context.mayRewrite()) {
            copier.keep(id);
            continue;
        }
        const InstructionId first = copier.next();
        LoweredBuilder &builder = copier.builder();
        std::vector<InstructionId> operands = copier.madeOperands(instruction);
        for (InstructionId &operand : operands)
            if (isStorageOnly(builder.at(operand).dtype))
                operand = builder.cast(instruction.origin, DType::F32, operand);
        const InstructionId wide = builder.alu(instruction.origin, instruction.op, std::move(operands));
        copier.replace(id, builder.cast(instruction.origin, instruction.dtype, wide));
        recordRewrite(context, "compute-in-f32", kernel, id, first, copier.next(), [&] { return aluText(instruction); });
        changed = true;
    }
    return changed ? std::optional(copier.take()) : std::nullopt;
}

} // namespace

Result<std::optional<LoweredProgram>> widenStorageTypes(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &widenKernel);
}

} // namespace sw
