#include "engine/backend/source/kernel_values.h"

#include "engine/backend/source/prelude.h"
#include "engine/graph/custom_expression.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace sw {

namespace {

constexpr std::int64_t kScratchAlignment = 64;

} // namespace

std::vector<std::string> valueNames(const LoweredKernel &kernel, std::span<const std::string_view> reserved)
{
    std::set<std::string, std::less<>> used(reserved.begin(), reserved.end());
    std::vector<std::string> names;
    names.reserve(kernel.instructions.size());
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const std::string &own = kernel.instructions[i].name;
        std::string name = own.empty() ? format("v{}", i) : identifierText(own);
        // Names that begin so belong to the compilers and to the helpers.
        if (name.starts_with('_') || name.starts_with("sw_"))
            name = format("n{}", name);
        if (!used.insert(name).second) {
            name += format("_{}", i);
            while (!used.insert(name).second)
                name += '_';
        }
        names.push_back(std::move(name));
    }
    return names;
}

std::optional<std::int64_t> constantInteger(const LoweredKernel &kernel, InstructionId id)
{
    const Instruction &instruction = kernel.instruction(id);
    if (instruction.kind != InstructionKind::Const || !isInteger(instruction.dtype))
        return std::nullopt;
    return instruction.constants.at(0).asInt();
}

std::vector<InstructionId> indexChecks(const LoweredKernel &kernel)
{
    std::vector<InstructionId> checks;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (kernel.instructions[i].kind == InstructionKind::IndexCheck)
            checks.emplace_back(i);
    return checks;
}

std::string_view aluSpelling(const LoweredKernel &kernel, const Instruction &alu, TargetLanguage language, DType operandType)
{
    const std::string_view plain = plainDivisorSpellingOf(alu.op, language, operandType);
    if (!plain.empty() && alu.operands.size() == 2) {
        const auto divisor = constantInteger(kernel, alu.operands[1]);
        if (divisor && *divisor != 0 && *divisor != -1)
            return plain;
    }
    return spellingOf(alu.op, language, operandType);
}

Result<Done> checkNeedsNoGroups(const LoweredKernel &kernel, std::string_view device)
{
    const bool isGrouped = std::ranges::any_of(kernel.localSize, [](std::int64_t size) { return size != 1; });
    for (const Instruction &instruction : kernel.instructions) {
        const bool needsGroup = instruction.kind == InstructionKind::Local || instruction.kind == InstructionKind::Barrier;
        if (needsGroup && isGrouped)
            return Diagnostic::error(Code::Unsupported, {},
                                     "{} runs work items one by one, but kernel {} shares memory in groups of {} x {} x {}",
                                     device, kernel.name, kernel.localSize[0], kernel.localSize[1], kernel.localSize[2])
                .withHint("schedule the kernel without groups for this device");
    }
    return Done{};
}

Diagnostic notWrittenOut(const LoweredKernel &kernel, const Instruction &instruction)
{
    return Diagnostic::error(Code::UnsupportedOperator, {}, "kernel {} has {}, which was not written as other instructions",
                             kernel.name, nameOf(instruction.kind));
}

std::string commentText(std::string_view name)
{
    std::string text(name);
    std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
    return text;
}

CheckedSize scratchBytes(const LoweredKernel &kernel, InstructionKind kind)
{
    CheckedSize bytes;
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == kind)
            bytes += (CheckedSize(instruction.number) * bytesOf(instruction.dtype)).roundedUpTo(kScratchAlignment);
    return bytes;
}

Result<Done> checkScratchFits(const LoweredKernel &kernel, const DeviceInfo &device, CheckedSize bytes)
{
    if (bytes <= device.scratchBytes)
        return Done{};
    return Diagnostic::error(Code::Limit, {}, "kernel {} needs {} bytes of scratch memory per work item, {} has {}", kernel.name,
                             toText(bytes), device.id, device.scratchBytes)
        .withHint("compute less in one work item, or keep the values in a buffer of the program");
}

Result<std::string> customExpression(const Instruction &custom, std::span<const std::string> operands)
{
    // Of a program it has been checked; instructions may have been edited.
    if (const std::string wrong = faultOfExpression(custom.source, operands.size()); !wrong.empty())
        return Diagnostic::error(Code::Argument, {}, "the expression {} of custom {}: {}", quoted(custom.source),
                                 quoted(custom.name), wrong);
    return substituted(custom.source, [&](std::string_view placeholder) {
        std::size_t place = 0;
        std::from_chars(placeholder.data(), placeholder.data() + placeholder.size(), place);
        return operands[place];
    });
}

} // namespace sw
