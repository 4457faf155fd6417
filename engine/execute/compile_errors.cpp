#include "engine/execute/compile_errors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace sw {

namespace {

// The file name in a message is the kernel's symbol with the language's file extension.
std::optional<std::size_t> kernelOf(const Diagnostic &message, std::span<const RenderedSource> sources)
{
    const std::string_view symbol = std::string_view(message.where.file).substr(0, message.where.file.rfind('.'));
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (sources[i].symbol == symbol)
            return i;
    return std::nullopt;
}

// The custom() of this line, or the last one before it: a parenthesis left open is noticed only later.
const Instruction *customAt(const LoweredKernel &kernel, const RenderedSource &source, std::uint32_t line)
{
    for (std::size_t i = std::min<std::size_t>(line, source.lines.size()); i-- > 0;) {
        if (source.lines[i].tag != CodeTag::Instruction)
            continue;
        const Instruction &instruction = kernel.instruction(source.lines[i].instruction);
        if (instruction.kind == InstructionKind::Custom)
            return &instruction;
    }
    return nullptr;
}

} // namespace

Diagnostics placedInProgram(const Diagnostics &messages, const LoweredProgram &program, std::span<const RenderedSource> sources)
{
    const SourceMap &map = program.schedule->graph->sources();
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, const Instruction *> told; // by place in the program
    Diagnostics placed;
    for (const Diagnostic &message : messages) {
        const auto kernel = message.code == Code::Compile && message.where.isKnown() ? kernelOf(message, sources) : std::nullopt;
        const Instruction *custom =
            kernel ? customAt(program.kernels.at(*kernel), sources[*kernel], message.where.line) : nullptr;
        const SourceRange where = custom == nullptr ? SourceRange{} : map.programRange(custom->origin);
        if (!where.isKnown()) {
            placed.push_back(message);
            continue;
        }
        const auto [known, isNew] = told.try_emplace({where.file, where.line, where.column}, custom);
        if (!isNew && known->second != custom)
            continue; // another lane
        Diagnostic made = Diagnostic::error(Code::Compile, where, "custom {}: {}", quoted(custom->name), message.message);
        Diagnostic note = Diagnostic::warning(Code::Compile, message.where, "in the code made for it");
        note.severity = Severity::Note;
        made.notes.push_back(std::move(note));
        placed.push_back(std::move(made));
    }
    return placed;
}

} // namespace sw
