#include "engine/backend/source/kernel_values.h"

#include "engine/backend/source/prelude.h"
#include "engine/base/assert.h"
#include "engine/graph/custom_expression.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace sw {

namespace {

constexpr std::int64_t kScratchAlignment = 64;

// The loop stage's axis names: "i0", "r2.o" (written r2_o), "i0_i1.i", "i1.q", "i0.p.o". No language has such words, except the
// element types "i8" to "i64".
bool isAxisName(std::string_view name)
{
    const auto takeDigits = [&] {
        const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
        name.remove_prefix(digits);
        return digits > 0;
    };
    if (dtypeNamed(name))
        return false;
    for (bool isFirst = true; !name.empty(); isFirst = false) {
        if (!isFirst && !name.starts_with('_'))
            return false;
        name.remove_prefix(isFirst ? 0 : 1);
        const bool isPart = !isFirst && !name.empty() && std::string_view("oipqr").find(name.front()) != std::string_view::npos;
        if (!isPart && !name.starts_with('i') && !name.starts_with('r'))
            return false;
        name.remove_prefix(1);
        if (!takeDigits() && !isPart)
            return false;
    }
    return true;
}

class NameGiver {
public:
    explicit NameGiver(const LoweredKernel &kernel) : m_arguments(argumentNames(kernel)) {}

    std::string next(const Instruction &instruction, std::size_t position)
    {
        switch (instruction.kind) {
        case InstructionKind::DefineGlobal:
            return m_arguments.at(instruction.argument);
        case InstructionKind::DefineVar:
            return numbered("dim");
        case InstructionKind::Buffer:
            return numbered("scratch");
        case InstructionKind::Local:
            return numbered("shared");
        case InstructionKind::Acc:
            return numbered("acc");
        case InstructionKind::Range:
        case InstructionKind::Unroll:
            return loopName(identifierText(instruction.name));
        case InstructionKind::Alu:
        case InstructionKind::Assign:
        case InstructionKind::Barrier:
        case InstructionKind::Bitcast:
        case InstructionKind::Block:
        case InstructionKind::Cast:
        case InstructionKind::Const:
        case InstructionKind::Custom:
        case InstructionKind::EndBlock:
        case InstructionKind::EndIf:
        case InstructionKind::EndRange:
        case InstructionKind::Gep:
        case InstructionKind::If:
        case InstructionKind::IndexCheck:
        case InstructionKind::Load:
        case InstructionKind::MaskedLoad:
        case InstructionKind::Noop:
        case InstructionKind::Prefetch:
        case InstructionKind::Ptrcat:
        case InstructionKind::Shuffle:
        case InstructionKind::Special:
        case InstructionKind::Store:
        case InstructionKind::Vconst:
        case InstructionKind::Vectorize:
        case InstructionKind::Wmma:
            return format("v{}", position);
        }
        SW_UNREACHABLE();
    }

private:
    std::string numbered(const std::string &word) { return format("{}{}", word, m_uses[word]++); }

    // When several loops run over one axis (the remainder of a split, say), the later ones also get a number.
    std::string loopName(const std::string &axis)
    {
        if (!isAxisName(axis))
            return numbered("loop");
        const std::size_t use = m_uses[axis]++;
        return use == 0 ? axis : format("{}_{}", axis, use + 1);
    }

    std::vector<std::string> m_arguments;
    std::map<std::string, std::size_t, std::less<>> m_uses;
};

} // namespace

std::string entryPointOf(const LoweredKernel &kernel)
{
    return "k_" + identifierText(kernel.symbol);
}

std::vector<std::string> argumentNames(const LoweredKernel &kernel)
{
    std::vector<std::string> names(kernel.arguments.size());
    std::vector<const Instruction *> globals(names.size());
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal)
            globals.at(instruction.argument) = &instruction;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (globals[i] == nullptr)
            names[i] = format("unused{}", i);
        else
            names[i] = globals[i]->isWritten ? format("out{}", outputs++) : format("in{}", inputs++);
    }
    return names;
}

std::vector<std::string> generatedNames(const LoweredKernel &kernel)
{
    NameGiver given(kernel);
    std::vector<std::string> names;
    names.reserve(kernel.instructions.size());
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        names.push_back(given.next(kernel.instructions[i], i));
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
    std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\\' || c == '?'; }, ' ');
    return text;
}

CheckedSize scratchBytes(const LoweredKernel &kernel, InstructionKind kind)
{
    CheckedSize bytes;
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == kind)
            bytes += (CheckedSize(instruction.elements) * bytesOf(instruction.dtype)).roundedUpTo(kScratchAlignment);
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
    // The program's expressions were checked before, but instructions may have been edited.
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
