#include "engine/lowered/editable_text.h"

#include "engine/base/hash.h"
#include "engine/base/line_alignment.h"
#include "engine/lowered/parser.h"
#include "engine/lowered/program_text.h"

#include <algorithm>

namespace sw {

namespace {

std::string argumentText(const Instruction &global)
{
    return format("{}[{}]{}", nameOf(global.dtype), global.elements, global.isWritten ? " written" : "");
}

// By position: an argument that nothing defines is not used.
std::vector<std::string> argumentTexts(const LoweredKernel &kernel)
{
    std::vector<std::string> texts(kernel.arguments.size(), "unused");
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal && instruction.argument < texts.size())
            texts[instruction.argument] = argumentText(instruction);
    return texts;
}

// The kernel with what the editable text says in place of what only the program knows.
LoweredKernel withoutProgram(const LoweredKernel &kernel)
{
    LoweredKernel made = kernel;
    made.name = kernel.symbol;
    made.kernel = KernelId(0U);
    made.device = DeviceSlot(0U);
    for (std::size_t i = 0; i < made.arguments.size(); ++i)
        made.arguments[i] = BufferId(i);
    return made;
}

// A text that was not made to be edited says where its lines are from.
std::string_view withoutOrigin(std::string_view line)
{
    constexpr std::string_view kFrom = " from ";
    const std::size_t from = line.rfind(kFrom);
    if (from == std::string_view::npos || line.find_first_not_of("0123456789 ", from + kFrom.size()) != std::string_view::npos)
        return line;
    return line.substr(0, from);
}

// By line of the edited text, counted from 1: the line's origin.
std::vector<Origin> originsOfLines(const LoweredKernel &kernel, std::string_view text)
{
    const LoweredText before = editableText(kernel);
    const std::vector<std::string_view> linesBefore = linesOf(before.text);
    std::vector<std::string_view> lines = linesOf(text);
    std::ranges::transform(lines, lines.begin(), withoutOrigin);
    const auto aligned = alignLines(linesBefore, lines);
    std::vector<Origin> origins(aligned.size() + 1, kernel.origin);
    for (std::size_t line = 0; line < aligned.size(); ++line) {
        if (!aligned[line] || aligned[line]->before >= before.lineInstructions.size())
            continue;
        const InstructionId id = before.lineInstructions[aligned[line]->before];
        if (id.isValid())
            origins[line + 1] = kernel.instruction(id).origin;
    }
    return origins;
}

// Arguments are told apart by their positions; each must be what the launch gives.
Result<Done> checkArguments(const LoweredKernel &kernel, const LoweredKernel &edited)
{
    if (edited.arguments.size() != kernel.arguments.size())
        return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1}, "the kernel has {} arguments; found {}",
                                 kernel.arguments.size(), edited.arguments.size());
    const std::vector<std::string> wanted = argumentTexts(kernel);
    const std::vector<std::string> found = argumentTexts(edited);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (found[i] != wanted[i])
            return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1}, "argument {} is {}; found {}", i, wanted[i], found[i]);
    return Done{};
}

// The dimension that an argument of the kernel is; null: it is none, or is not used.
const Instruction *dimensionIn(const LoweredKernel &kernel, std::uint32_t argument)
{
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::DefineVar && kernel.instruction(instruction.operands[0]).argument == argument)
            return &instruction;
    return nullptr;
}

// What is proved of an access may rest on the bounds of a dimension, so they must be true.
Result<Done> checkDimensions(const LoweredKernel &kernel, const LoweredKernel &edited)
{
    for (const Instruction &found : edited.instructions) {
        if (found.kind != InstructionKind::DefineVar)
            continue;
        const std::uint32_t argument = edited.instruction(found.operands[0]).argument;
        const Instruction *own = dimensionIn(kernel, argument);
        if (own == nullptr)
            return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1},
                                     "define_var reads argument {}, which is no dimension of the kernel", argument);
        if (own->low != found.low || own->high != found.high)
            return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1},
                                     "the dimension in argument {} lies between {} and {}; found {} and {}", argument, own->low,
                                     own->high, found.low, found.high);
        const Instruction &index = edited.instruction(found.operands[1]);
        if (index.kind != InstructionKind::Const || index.constants.front().asInt() != 0)
            return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1}, "define_var reads at another index than 0");
    }
    return Done{};
}

} // namespace

std::string interfaceText(const LoweredKernel &kernel)
{
    return format("{}; global [{}], local [{}]", join(argumentTexts(kernel), ", "), join(kernel.globalSize, ", "),
                  join(kernel.localSize, ", "));
}

LoweredText editableText(const LoweredKernel &kernel)
{
    return printLowered(withoutProgram(kernel), PrintOrigins::Hidden);
}

std::vector<std::uint32_t> linesOfInstructions(const LoweredKernel &kernel, std::string_view given)
{
    const LoweredText own = editableText(kernel);
    std::vector<std::uint32_t> lines(own.lineInstructions.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i] = static_cast<std::uint32_t>(i + 1);
    // A text has the lines of what was read from it, and others that say nothing.
    if (const Result<FramedText> framed = readFrame(given, {}); framed && !given.empty()) {
        std::vector<std::uint32_t> written;
        std::uint32_t number = framed->firstLine;
        for (const std::string_view line : linesOf(framed->kernels)) {
            const std::size_t begin = line.find_first_not_of(" \t\r");
            if (begin != std::string_view::npos && line[begin] != '#')
                written.push_back(number);
            ++number;
        }
        if (written.size() == lines.size())
            lines = std::move(written);
    }
    std::vector<std::uint32_t> made(kernel.instructions.size());
    for (std::size_t line = 0; line < own.lineInstructions.size(); ++line)
        if (const InstructionId id = own.lineInstructions[line]; id.isValid())
            made[id.value] = lines[line];
    return made;
}

std::string textMark(std::string_view text)
{
    return format("{:016x}", Hasher().add(text).value());
}

Result<LoweredKernel> readEditedText(const LoweredKernel &kernel, std::string_view text)
{
    SW_TRY(const FramedText framed, readFrame(text, {}));
    const std::vector<Origin> origins = originsOfLines(kernel, framed.kernels);
    LoweredParseOptions options;
    options.firstLine = framed.firstLine;
    options.ignoreFrom = true;
    options.originOf = [&](const SourceRange &place) {
        const std::size_t line = place.line - framed.firstLine + 1;
        return line < origins.size() ? origins[line] : kernel.origin;
    };
    SW_TRY(std::vector<LoweredKernel> read, parseLowered(framed.kernels, options));
    if (read.size() != 1)
        return Diagnostic::error(Code::InvalidIr, {{}, 1, 1, 1, 1}, "expected one kernel, found {}", read.size());
    LoweredKernel edited = std::move(read.front());
    SW_CHECK(checkArguments(kernel, edited));
    SW_CHECK(checkDimensions(kernel, edited));
    edited.kernel = kernel.kernel;
    edited.name = kernel.name;
    edited.symbol = kernel.symbol;
    edited.arguments = kernel.arguments;
    edited.origin = kernel.origin;
    edited.device = kernel.device;
    return edited;
}

} // namespace sw
