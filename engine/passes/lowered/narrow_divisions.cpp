#include "engine/passes/lowered/narrow_divisions.h"

#include "engine/passes/lowered/kernel_pass.h"
#include "engine/passes/lowered/value_bounds.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sw {

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
constexpr std::array kDivisions{Op::Div, Op::Idiv, Op::FloorDiv, Op::Mod, Op::FloorMod};

// Bounds are known of results where the divisor is a positive constant, so that the least number is never divided by -1.
bool isNarrowed(const LoweredKernel &kernel, InstructionId id, ValueBounds &bounds)
{
    const Instruction &instruction = kernel.instruction(id);
    if (instruction.kind != InstructionKind::Alu || instruction.dtype != DType::I64 || instruction.lanes > 1 ||
        std::ranges::find(kDivisions, instruction.op) == kDivisions.end() || !bounds.isWithin(id, kLowest, kHighest))
        return false;
    return std::ranges::all_of(instruction.operands, [&](InstructionId operand) {
        return kernel.instruction(operand).kind != InstructionKind::Acc && bounds.isWithin(operand, kLowest, kHighest);
    });
}

std::optional<LoweredKernel> narrowKernel(const LoweredKernel &kernel, PassContext &context)
{
    if (context.device(kernel.device).kind != DeviceKind::Gpu)
        return std::nullopt;
    KernelCopier copier(kernel);
    ValueBounds bounds(kernel);
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionId id(i);
        if (!isNarrowed(kernel, id, bounds) || !context.mayRewrite()) {
            copier.keep(id);
            continue;
        }
        const Instruction &instruction = kernel.instruction(id);
        const InstructionId first = copier.next();
        LoweredBuilder &builder = copier.builder();
        const auto narrow = [&](InstructionId operand) {
            if (const auto constant = integerConstant(kernel.instruction(operand)))
                return builder.constant(instruction.origin, Scalar::of(DType::I32, *constant));
            return builder.cast(instruction.origin, DType::I32, copier.made(operand));
        };
        const InstructionId dividend = narrow(instruction.operands[0]);
        const InstructionId divisor = narrow(instruction.operands[1]);
        const InstructionId made = builder.alu(instruction.origin, instruction.op, {dividend, divisor});
        copier.replace(id, builder.cast(instruction.origin, DType::I64, made));
        recordRewrite(context, "divide-in-32-bits", kernel, id, first, copier.next(), [&] { return aluText(instruction); });
        changed = true;
    }
    return changed ? std::optional(copier.take()) : std::nullopt;
}

} // namespace

Result<std::optional<LoweredProgram>> narrowDivisions(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &narrowKernel);
}

} // namespace sw
