#include "engine/passes/lowered/decompose.h"

#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/decompose_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>

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

const CastRule *castRuleFor(const Instruction &instruction, const LoweredKernel &kernel, TargetLanguage language)
{
    if (instruction.kind != InstructionKind::Cast || language == TargetLanguage::Lowered)
        return nullptr;
    const DType from = kernel.instruction(instruction.operands[0]).dtype;
    for (const CastRule &rule : castRules())
        if (rule.applies(from, instruction.dtype))
            return &rule;
    return nullptr;
}

std::string castText(const Instruction &cast, const LoweredKernel &kernel)
{
    return format("cast {} to {}", typeText(kernel.instruction(cast.operands[0]).dtype, cast.lanes),
                  typeText(cast.dtype, cast.lanes));
}

// A conversion between the two 8-bit floats takes two steps, by way of f32.
Term writeCast(const CastRule &rule, Term value, DType to)
{
    if (!isFloat8(to) || !isFloat8(value.writer->at(value).dtype))
        return rule.write(value, to);
    const Term wide = rule.write(value, DType::F32);
    for (const CastRule &second : castRules())
        if (second.applies(DType::F32, to))
            return second.write(wide, to);
    SW_UNREACHABLE();
}

std::optional<LoweredKernel> decomposeKernel(const LoweredKernel &kernel, PassContext &context)
{
    const TargetLanguage language = context.language(kernel.device);
    const auto hasRule = [&](const Instruction &instruction) {
        return ruleFor(instruction, kernel, language) != nullptr || castRuleFor(instruction, kernel, language) != nullptr;
    };
    if (std::ranges::none_of(kernel.instructions, hasRule))
        return std::nullopt;
    KernelCopier copier(kernel);
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionId id(i);
        const Instruction &instruction = kernel.instructions[i];
        const DecompositionRule *rule = ruleFor(instruction, kernel, language);
        const CastRule *castRule = castRuleFor(instruction, kernel, language);
        if ((rule == nullptr && castRule == nullptr) || !context.mayRewrite()) {
            copier.keep(id);
            continue;
        }
        const InstructionId first = copier.next();
        TermWriter writer(copier.builder(), instruction.origin);
        std::vector<Term> operands;
        for (const InstructionId operand : copier.madeOperands(instruction))
            operands.push_back(writer.term(operand));
        const Term written = rule != nullptr ? rule->write(operands) : writeCast(*castRule, operands[0], instruction.dtype);
        copier.replace(id, written.id);
        recordRewrite(context, rule != nullptr ? rule->id : castRule->id, kernel, id, first, copier.next(),
                      [&] { return rule != nullptr ? aluText(instruction) : castText(instruction, kernel); });
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
