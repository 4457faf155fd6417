#include "engine/passes/lowered/widen_storage_types.h"

#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace sw {

namespace {

// Whether the result is one of the operands, or that with another sign: what was a value of the narrow type still is one.
bool isOfItsOperands(Op op)
{
    constexpr std::array kOps{Op::Max, Op::Min, Op::Neg, Op::Abs, Op::Relu};
    return std::ranges::find(kOps, op) != kOps.end();
}

std::optional<LoweredKernel> widenKernel(const LoweredKernel &kernel, PassContext &context)
{
    if (std::ranges::none_of(kernel.instructions, [](const Instruction &one) { return isStorageOnly(one.dtype); }))
        return std::nullopt; // an operand of such a type is a value of the kernel
    const bool hasF16 = context.device(kernel.device).hasF16;
    KernelCopier copier(kernel);
    bool changed = false;
    std::unordered_map<InstructionId, InstructionId> wideOf; // by narrow value: the same value in f32, if it was computed there
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
            if (const auto known = wideOf.find(operand); known != wideOf.end())
                operand = known->second;
            else if (isStorageOnly(builder.at(operand).dtype))
                operand = builder.cast(instruction.origin, DType::F32, operand);
        const InstructionId wide = builder.alu(instruction.origin, instruction.op, std::move(operands));
        const InstructionId narrow = builder.cast(instruction.origin, instruction.dtype, wide);
        if (isOfItsOperands(instruction.op))
            wideOf.emplace(narrow, wide);
        copier.replace(id, narrow);
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
