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

// Arguments of a kernel with a shared body have names of their own.
const std::string &nameOfValue(const Instruction &instruction, const KernelBinding *binding)
{
    const bool isArgument = binding != nullptr && instruction.kind == InstructionKind::DefineGlobal;
    return isArgument ? binding->argumentNames.at(instruction.argument) : instruction.name;
}

std::vector<std::string> namesOf(const LoweredKernel &kernel, const KernelBinding *binding)
{
    std::unordered_map<std::string_view, std::uint32_t> uses;
    for (const Instruction &instruction : kernel.instructions)
        if (const std::string &name = nameOfValue(instruction, binding); !name.empty())
            ++uses[name];
    std::vector<std::string> names(kernel.instructions.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        const std::string &name = nameOfValue(instruction, binding);
        const bool isNamed = infoOf(instruction.kind).makesValue && isIdentifier(name) && uses[name] == 1;
        names[i] = isNamed ? name : std::to_string(i);
    }
    return names;
}

class KernelPrinter {
public:
    KernelPrinter(const LoweredKernel &kernel, PrintOrigins origins, LoweredText &out)
        : m_kernel(kernel),
          m_origins(origins),
          m_out(out),
          m_names(valueNames(kernel)),
          m_id(kernel.kernel),
          m_kernelName(kernel.name),
          m_arguments(kernel.arguments)
    {
    }

    // A kernel with a shared body, without origins.
    KernelPrinter(const LoweredKernel &body, const KernelBinding &binding, LoweredText &out)
        : m_kernel(body),
          m_origins(PrintOrigins::Hidden),
          m_out(out),
          m_names(namesOf(body, &binding)),
          m_binding(&binding),
          m_id(binding.kernel),
          m_kernelName(binding.name),
          m_arguments(binding.arguments)
    {
    }

    void run()
    {
        const auto list = [](const auto &values) { return join(values, ", "); };
        begin(InstructionId());
        add("kernel ", quoted(m_kernelName), " symbol ", quoted(m_kernel.symbol), " id ", m_id.value, " global [",
            list(m_kernel.globalSize), "] local [", list(m_kernel.localSize), "] arguments [",
            join(m_arguments, ", ", [](BufferId id) { return id.value; }), "]");
        if (m_kernel.device.value != 0)
            add(" device ", m_kernel.device.value);
        end(m_kernel.origin);
        m_depth = 1;
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            print(InstructionId(i));
        m_depth = 0;
        begin(InstructionId());
        add("end\n");
    }

private:
    // Straight into the text: a program has tens of thousands of lines, and a person waits for them after every key.
    void add(std::string_view text) { m_out.text += text; }
    void add(std::integral auto number)
    {
        const fmt::format_int digits(number);
        m_out.text.append(digits.data(), digits.size());
    }
    template <class First, class Second, class... Rest>
    void add(const First &first, const Second &second, const Rest &...rest)
    {
        add(first);
        add(second);
        (add(rest), ...);
    }

    void begin(InstructionId id)
    {
        m_out.text.append(2 * m_depth, ' ');
        m_out.lineInstructions.push_back(id);
        m_out.lineKernels.push_back(m_id);
    }

    void end(const Origin &origin)
    {
        if (m_origins == PrintOrigins::Shown)
            add(" from ", join(origin.sources(), " ", [](SourceId source) { return source.value; }));
        m_out.text += '\n';
    }

    void print(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (closesScope(instruction.kind) || instruction.kind == InstructionKind::EndBlock)
            m_depth -= m_depth > 1 ? 1 : 0;
        begin(id);
        if (infoOf(instruction.kind).makesValue)
            add("%", m_names[id.value], " = ");
        addBody(instruction);
        const std::string &given = nameOfValue(instruction, m_binding);
        if (!given.empty() && m_names[id.value] != given)
            add(" name ", quoted(given));
        end(instruction.origin);
        if (opensScope(instruction.kind) || instruction.kind == InstructionKind::Block)
            ++m_depth;
    }

    void addBody(const Instruction &instruction)
    {
        const std::string_view name = nameOf(instruction.kind);
        switch (instruction.kind) {
        case InstructionKind::DefineGlobal:
            addTyped(name, instruction);
            add("[", instruction.elements, "] argument ", instruction.argument);
            return add(instruction.isWritten ? " written" : "");
        case InstructionKind::Buffer:
        case InstructionKind::Local:
            addTyped(name, instruction);
            return add("[", instruction.elements, "]");
        case InstructionKind::Acc:
            return addTyped(name, instruction);
        case InstructionKind::Const:
            addTyped(name, instruction);
            return add(" ", toText(instruction.constants.front()));
        case InstructionKind::Vconst:
            addTyped(name, instruction);
            return add(" [", join(instruction.constants, ", ", [](const Scalar &value) { return toText(value); }), "]");
        case InstructionKind::Special:
            return add(name, " ", nameOf(instruction.special));
        case InstructionKind::Range:
        case InstructionKind::EndRange:
        case InstructionKind::If:
            add(name, " ");
            return addOperand(instruction, 0);
        case InstructionKind::Unroll:
            add(name, " ");
            addOperand(instruction, 0);
            return add(" by ", instruction.copies);
        case InstructionKind::Ptrcat:
            addTyped(name, instruction);
            add(" ");
            addOperand(instruction, 0);
            add("[");
            addOperands(instruction, 1);
            return add("]");
        case InstructionKind::Wmma:
            addTyped(name, instruction);
            add(" ");
            addOperands(instruction);
            return add(" rows ", instruction.rows);
        case InstructionKind::EndIf:
        case InstructionKind::Block:
        case InstructionKind::EndBlock:
        case InstructionKind::Barrier:
        case InstructionKind::Noop:
            return add(name);
        case InstructionKind::Load:
            addTyped(name, instruction);
            addPlace(instruction);
            return addAccess(instruction);
        case InstructionKind::Custom:
            addTyped(name, instruction);
            add(" ", quoted(instruction.source), " ");
            return addOperands(instruction);
        case InstructionKind::DefineVar:
            addTyped(name, instruction);
            addPlace(instruction);
            return add(" from ", instruction.low, " to ", instruction.high);
        case InstructionKind::MaskedLoad:
            addTyped(name, instruction);
            addPlace(instruction);
            add(", ");
            addOperands(instruction, 2);
            return addAccess(instruction);
        case InstructionKind::Prefetch:
            addTyped(name, instruction);
            return addPlace(instruction);
        case InstructionKind::Store:
            addTyped(name, instruction);
            addPlace(instruction);
            add(", ");
            addOperand(instruction, 2);
            return addAccess(instruction);
        case InstructionKind::Alu:
            addTyped(nameOf(instruction.op), instruction);
            add(" ");
            return addOperands(instruction);
        case InstructionKind::Cast:
        case InstructionKind::Bitcast:
        case InstructionKind::Vectorize:
        case InstructionKind::Assign:
            addTyped(name, instruction);
            add(" ");
            return addOperands(instruction);
        case InstructionKind::Gep:
            addTyped(name, instruction);
            add(" ");
            addOperand(instruction, 0);
            return add("[", instruction.lane, "]");
        case InstructionKind::Shuffle:
            addTyped(name, instruction);
            add(" ");
            addOperands(instruction);
            return add(" [", join(lanesPickedBy(instruction), ", "), "]");
        case InstructionKind::IndexCheck:
            addTyped(name, instruction);
            add(" ");
            addOperand(instruction, 0);
            return add(" bound ", instruction.bound, " axis ", instruction.axis);
        }
        SW_UNREACHABLE();
    }

    // "add f32x16"
    void addTyped(std::string_view name, const Instruction &instruction)
    {
        add(name, " ", nameOf(instruction.dtype));
        if (instruction.lanes != 1)
            add("x", instruction.lanes);
    }

    void addOperand(const Instruction &instruction, std::size_t position)
    {
        add("%", m_names[instruction.operands[position].value]);
    }

    void addOperands(const Instruction &instruction, std::size_t first = 0)
    {
        for (std::size_t i = first; i < instruction.operands.size(); ++i) {
            if (i > first)
                add(", ");
            addOperand(instruction, i);
        }
    }

    void addPlace(const Instruction &instruction)
    {
        add(" ");
        addOperand(instruction, 0);
        add("[");
        addOperand(instruction, 1);
        add("]");
    }

    void addAccess(const Instruction &instruction)
    {
        if (instruction.isAligned)
            add(" aligned");
        switch (instruction.hint) {
        case MemoryHint::None:
            return;
        case MemoryHint::NonTemporal:
            return add(" nontemporal");
        }
        SW_UNREACHABLE();
    }

    const LoweredKernel &m_kernel;
    PrintOrigins m_origins;
    LoweredText &m_out;
    std::vector<std::string> m_names;
    std::size_t m_depth = 0;
    const KernelBinding *m_binding = nullptr; // null: the kernel has a body of its own
    KernelId m_id;
    const std::string &m_kernelName;
    const std::vector<BufferId> &m_arguments;
};

} // namespace

std::vector<std::string> valueNames(const LoweredKernel &kernel)
{
    return namesOf(kernel, nullptr);
}

LoweredText printLowered(const LoweredKernel &kernel, PrintOrigins origins)
{
    LoweredText out;
    KernelPrinter(kernel, origins, out).run();
    return out;
}

LoweredText printLowered(const KernelList &kernels, std::size_t kernel)
{
    const KernelBinding *binding = kernels.bindingOf(kernel);
    if (binding == nullptr)
        return printLowered(kernels.at(kernel), PrintOrigins::Hidden);
    LoweredText out;
    KernelPrinter(kernels.bodyOf(kernel), *binding, out).run();
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
