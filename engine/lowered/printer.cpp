#include "engine/lowered/printer.h"

#include "engine/base/assert.h"
#include "engine/lowered/type_rules.h"

#include <unordered_map>

namespace sw {

namespace {

bool isIdentifier(std::string_view text)
{
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return false;
    return identifierText(text) == text;
}

class KernelPrinter {
public:
    KernelPrinter(const LoweredKernel &kernel, PrintOrigins origins, LoweredText &out)
        : m_kernel(kernel), m_origins(origins), m_out(out), m_names(valueNames(kernel))
    {
    }

    void run()
    {
        const auto list = [](const auto &values) { return join(values, ", "); };
        line(InstructionId(), m_kernel.origin,
             format("kernel {} symbol {} id {} global [{}] local [{}] arguments [{}]", quoted(m_kernel.name),
                    quoted(m_kernel.symbol), m_kernel.kernel.value, list(m_kernel.globalSize), list(m_kernel.localSize),
                    join(m_kernel.arguments, ", ", [](BufferId id) { return id.value; })) +
                 (m_kernel.device.value == 0 ? std::string() : format(" device {}", m_kernel.device.value)));
        m_depth = 1;
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            print(InstructionId(i));
        m_depth = 0;
        append(InstructionId(), "end");
    }

private:
    void print(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (closesScope(instruction.kind) || instruction.kind == InstructionKind::EndBlock)
            m_depth -= m_depth > 1 ? 1 : 0;
        std::string text;
        if (infoOf(instruction.kind).makesValue)
            text = format("%{} = ", m_names[id.value]);
        text += bodyText(instruction);
        if (!instruction.name.empty() && m_names[id.value] != instruction.name)
            text += " name " + quoted(instruction.name);
        line(id, instruction.origin, std::move(text));
        if (opensScope(instruction.kind) || instruction.kind == InstructionKind::Block)
            ++m_depth;
    }

    [[nodiscard]] std::string bodyText(const Instruction &instruction) const
    {
        const std::string type = typeText(instruction.dtype, instruction.lanes);
        const std::string_view name = nameOf(instruction.kind);
        switch (instruction.kind) {
        case InstructionKind::DefineGlobal:
            return format("{} {}[{}] argument {}{}", name, type, instruction.elements, instruction.argument,
                          instruction.isWritten ? " written" : "");
        case InstructionKind::Buffer:
        case InstructionKind::Local:
            return format("{} {}[{}]", name, type, instruction.elements);
        case InstructionKind::Acc:
            return format("{} {}", name, type);
        case InstructionKind::Const:
            return format("{} {} {}", name, type, toText(instruction.constants.front()));
        case InstructionKind::Vconst:
            return format("{} {} [{}]", name, type,
                          join(instruction.constants, ", ", [](const Scalar &value) { return toText(value); }));
        case InstructionKind::Special:
            return format("{} {}", name, nameOf(instruction.special));
        case InstructionKind::Range:
        case InstructionKind::EndRange:
        case InstructionKind::If:
            return format("{} {}", name, operand(instruction, 0));
        case InstructionKind::Unroll:
            return format("{} {} by {}", name, operand(instruction, 0), instruction.copies);
        case InstructionKind::Ptrcat:
            return format("{} {} {}[{}]", name, type, operand(instruction, 0), operandList(instruction, 1));
        case InstructionKind::Wmma:
            return format("{} {} {} rows {}", name, type, operandList(instruction), instruction.rows);
        case InstructionKind::EndIf:
        case InstructionKind::Block:
        case InstructionKind::EndBlock:
        case InstructionKind::Barrier:
        case InstructionKind::Noop:
            return std::string(name);
        case InstructionKind::Load:
            return format("{} {} {}{}", name, type, place(instruction), accessText(instruction));
        case InstructionKind::Custom:
            return format("{} {} {} {}", name, type, quoted(instruction.source), operandList(instruction));
        case InstructionKind::DefineVar:
            return format("{} {} {} from {} to {}", name, type, place(instruction), instruction.low, instruction.high);
        case InstructionKind::MaskedLoad:
            return format("{} {} {}, {}, {}{}", name, type, place(instruction), operand(instruction, 2), operand(instruction, 3),
                          accessText(instruction));
        case InstructionKind::Store:
            return format("{} {} {}, {}{}", name, type, place(instruction), operand(instruction, 2), accessText(instruction));
        case InstructionKind::Alu:
            return format("{} {} {}", nameOf(instruction.op), type, operandList(instruction));
        case InstructionKind::Cast:
        case InstructionKind::Bitcast:
        case InstructionKind::Vectorize:
        case InstructionKind::Assign:
            return format("{} {} {}", name, type, operandList(instruction));
        case InstructionKind::Gep:
            return format("{} {} {}[{}]", name, type, operand(instruction, 0), instruction.lane);
        case InstructionKind::Shuffle:
            return format("{} {} {} [{}]", name, type, operandList(instruction),
                          join(lanesPickedBy(instruction), ", ", [](std::uint32_t lane) { return std::to_string(lane); }));
        case InstructionKind::IndexCheck:
            return format("{} {} {} bound {} axis {}", name, type, operand(instruction, 0), instruction.bound, instruction.axis);
        }
        SW_UNREACHABLE();
    }

    [[nodiscard]] std::string operand(const Instruction &instruction, std::size_t position) const
    {
        return format("%{}", m_names[instruction.operands[position].value]);
    }

    [[nodiscard]] std::string operandList(const Instruction &instruction, std::size_t first = 0) const
    {
        return join(std::span(instruction.operands).subspan(first), ", ",
                    [this](InstructionId id) { return "%" + m_names[id.value]; });
    }

    [[nodiscard]] std::string place(const Instruction &instruction) const
    {
        return format("{}[{}]", operand(instruction, 0), operand(instruction, 1));
    }

    [[nodiscard]] static std::string accessText(const Instruction &instruction)
    {
        std::string out;
        if (instruction.isAligned)
            out += " aligned";
        switch (instruction.hint) {
        case MemoryHint::None:
            return out;
        case MemoryHint::NonTemporal:
            return out + " nontemporal";
        }
        SW_UNREACHABLE();
    }

    void line(InstructionId id, const Origin &origin, std::string text)
    {
        if (m_origins == PrintOrigins::Shown)
            text += " from " + join(origin.sources(), " ", [](SourceId source) { return source.value; });
        append(id, text);
    }

    void append(InstructionId id, std::string_view text)
    {
        m_out.text.append(2 * m_depth, ' ');
        m_out.text += text;
        m_out.text += '\n';
        m_out.lineInstructions.push_back(id);
        m_out.lineKernels.push_back(m_kernel.kernel);
    }

    const LoweredKernel &m_kernel;
    PrintOrigins m_origins;
    LoweredText &m_out;
    std::vector<std::string> m_names;
    std::size_t m_depth = 0;
};

} // namespace

std::vector<std::string> valueNames(const LoweredKernel &kernel)
{
    std::unordered_map<std::string_view, std::uint32_t> uses;
    for (const Instruction &instruction : kernel.instructions)
        ++uses[instruction.name];
    std::vector<std::string> names(kernel.instructions.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        const bool isNamed = infoOf(instruction.kind).makesValue && isIdentifier(instruction.name) && uses[instruction.name] == 1;
        names[i] = isNamed ? instruction.name : std::to_string(i);
    }
    return names;
}

LoweredText printLowered(const LoweredKernel &kernel, PrintOrigins origins)
{
    LoweredText out;
    KernelPrinter(kernel, origins, out).run();
    return out;
}

LoweredText printLowered(const LoweredProgram &program, PrintOrigins origins)
{
    LoweredText out;
    for (const LoweredKernel &kernel : program.kernels) {
        if (!out.text.empty()) {
            out.text += '\n';
            out.lineInstructions.emplace_back();
            out.lineKernels.emplace_back();
        }
        KernelPrinter(kernel, origins, out).run();
    }
    return out;
}

} // namespace sw
