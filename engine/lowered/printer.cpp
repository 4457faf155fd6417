#include "engine/lowered/printer.h"

#include "engine/base/assert.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/value_names.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sw {

// The text of a kernel, which another one with its body may have most lines from.
struct SharedBodyPrinter::Known {
    std::optional<SharedBodyNames> names; // nothing: the body is not shared
    LoweredText text;
    std::vector<std::size_t> lines; // where the line of each instruction begins

    // Each instruction has one line, after the one of the kernel.
    void findLines()
    {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < names->ofFirst().size(); ++i) {
            begin = text.text.find('\n', begin) + 1;
            lines.push_back(begin);
        }
        lines.push_back(text.text.find('\n', begin) + 1);
    }
    [[nodiscard]] std::string_view line(InstructionId id) const
    {
        return std::string_view(text.text).substr(lines[id.value], lines[id.value + 1] - lines[id.value]);
    }
};

namespace {

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
    KernelPrinter(const LoweredKernel &body, const KernelBinding &binding, std::vector<std::string> names, LoweredText &out)
        : m_kernel(body),
          m_origins(PrintOrigins::Hidden),
          m_out(out),
          m_names(std::move(names)),
          m_binding(&binding),
          m_id(binding.kernel),
          m_kernelName(binding.name),
          m_arguments(binding.arguments)
    {
    }

    // The same, where the text of another kernel with that body is known.
    KernelPrinter(const LoweredKernel &body, const KernelBinding &binding, const SharedBodyPrinter::Known &known,
                  LoweredText &out)
        : KernelPrinter(body, binding, known.names->differences(binding), out)
    {
        m_known = &known;
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
        if (isAsKnown(id)) {
            m_out.lineInstructions.push_back(id);
            m_out.lineKernels.push_back(m_id);
            add(m_known->line(id));
        } else {
            printAnew(id);
        }
        if (opensScope(instruction.kind) || instruction.kind == InstructionKind::Block)
            ++m_depth;
    }

    // It and what it reads have the same names as in the other kernel.
    [[nodiscard]] bool isAsKnown(InstructionId id) const
    {
        if (m_known == nullptr)
            return false;
        const auto isSame = [&](InstructionId value) { return m_names[value.value].empty(); };
        const Instruction &instruction = m_kernel.instruction(id);
        return instruction.kind != InstructionKind::DefineGlobal && isSame(id) &&
               std::ranges::all_of(instruction.operands, isSame);
    }

    [[nodiscard]] const std::string &valueName(InstructionId id) const
    {
        const std::string &own = m_names[id.value];
        return own.empty() && m_known != nullptr ? m_known->names->ofFirst()[id.value] : own;
    }

    void printAnew(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        begin(id);
        if (infoOf(instruction.kind).makesValue)
            add("%", valueName(id), " = ");
        addBody(instruction);
        const std::string &given = givenName(instruction, m_binding);
        if (!given.empty() && valueName(id) != given)
            add(" name ", quoted(given));
        end(instruction.origin);
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

    void addOperand(const Instruction &instruction, std::size_t position) { add("%", valueName(instruction.operands[position])); }

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
    std::vector<std::string> m_names; // by instruction; empty: as in the text that is known
    std::size_t m_depth = 0;
    const KernelBinding *m_binding = nullptr; // null: the kernel has a body of its own
    const SharedBodyPrinter::Known *m_known = nullptr;
    KernelId m_id;
    const std::string &m_kernelName;
    const std::vector<BufferId> &m_arguments;
};

} // namespace

LoweredText printLowered(const LoweredKernel &kernel, PrintOrigins origins)
{
    LoweredText out;
    KernelPrinter(kernel, origins, out).run();
    return out;
}

SharedBodyPrinter::SharedBodyPrinter(const KernelList &kernels, std::size_t kernel)
    : m_kernels(kernels), m_first(std::make_unique<Known>())
{
    const KernelBinding *binding = kernels.bindingOf(kernel);
    if (binding == nullptr) {
        m_first->text = printLowered(kernels.at(kernel), PrintOrigins::Hidden);
        return;
    }
    m_first->names.emplace(kernels.bodyOf(kernel), *binding);
    KernelPrinter(kernels.bodyOf(kernel), *binding, m_first->names->ofFirst(), m_first->text).run();
    m_first->findLines();
}

SharedBodyPrinter::~SharedBodyPrinter() = default;

LoweredText SharedBodyPrinter::print(std::size_t kernel) const
{
    const KernelBinding *binding = m_kernels.bindingOf(kernel);
    if (binding == nullptr)
        return m_first->text;
    LoweredText out;
    out.text.reserve(m_first->text.text.size() + m_first->text.text.size() / 8);
    KernelPrinter(m_kernels.bodyOf(kernel), *binding, *m_first, out).run();
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
