#include "engine/passes/lowered/decompose.h"

#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/decompose_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

namespace sw {

namespace {

const DecompositionRule *ruleFor(const Instruction &instruction, const LoweredKernel &kernel, TargetLanguage language)
{
    if (instruction.kind != InstructionKind::Alu)
        return nullptr;
    const DType dtype = operandTypeOf(instruction, kernel.instructions);
    if (!spellingOf(instruction.op, language, dtype).empty())
        return nullptr;
    for (const DecompositionRule &rule : decompositionRules())
        if (rule.op == instruction.op && rule.applies(dtype))
            return &rule;
    return nullptr;
}

std::optional<LoweredKernel> decomposeKernel(const LoweredKernel &kernel, PassContext &context)
{
    KernelCopier copier(kernel);
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionId id(i);
        const Instruction &instruction = kernel.instructions[i];
        const DecompositionRule *rule = ruleFor(instruction, kernel, context.language());
        if (rule == nullptr || !context.mayRewrite()) {
            copier.keep(id);
            continue;
        }
        const InstructionId first = copier.next();
        TermWriter writer(copier.builder(), instruction.origin);
        std::vector<Term> operands;
        for (const InstructionId operand : copier.madeOperands(instruction))
            operands.push_back(writer.term(operand));
        copier.replace(id, rule->write(operands).id);
        context.record(rewriteEvent(rule->id, aluText(instruction), kernel, id, first, copier.next()));
        changed = true;
    }
    return changed ? std::optional(copier.take()) : std::nullopt;
}

} // namespace

Result<std::optional<LoweredProgram>> decompose(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &decomposeKernel);
}

} // namespace sw
