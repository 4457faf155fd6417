#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/lowered/printer.h"

#include <map>
#include <tuple>
#include <vector>

namespace sw {

namespace {

std::string typeOf(const Instruction &instruction)
{
    if (!infoOf(instruction.kind).makesValue)
        return {};
    return instruction.lanes == 1 ? std::string(nameOf(instruction.dtype))
                                  : format("{}x{}", nameOf(instruction.dtype), instruction.lanes);
}

// What instructions do, by what tells two of them apart here: the instructions of a kernel share a few lists of fields.
class InstructionFields {
public:
    explicit InstructionFields(const std::string &kernel) : m_kernel(kernel) {}

    [[nodiscard]] const SharedList<DocumentField> &of(const Instruction &instruction)
    {
        const bool isAlu = instruction.kind == InstructionKind::Alu;
        const auto [found, isNew] =
            m_lists.try_emplace({instruction.kind, isAlu ? instruction.op : Op{}, instruction.dtype, instruction.lanes});
        if (!isNew)
            return found->second;
        std::vector<DocumentField> fields{{"kernel", m_kernel}};
        if (std::string type = typeOf(instruction); !type.empty())
            fields.push_back({"type", std::move(type)});
        fields.push_back({"what it does", std::string(isAlu ? infoOf(instruction.op).doc : infoOf(instruction.kind).doc)});
        found->second = std::move(fields);
        return found->second;
    }

private:
    const std::string &m_kernel;
    std::map<std::tuple<InstructionKind, Op, DType, std::uint32_t>, SharedList<DocumentField>> m_lists;
};

// Kernels with a shared body are not written out: a program has hundreds of them.
class PartWriter {
public:
    // firstItem: of the kernel in the document.
    PartWriter(const LoweredProgram &program, std::size_t kernel, ItemIndex firstItem)
        : m_program(program),
          m_number(kernel),
          m_firstItem(firstItem),
          m_body(program.kernels.bodyOf(kernel)),
          m_binding(program.kernels.bindingOf(kernel)),
          m_fields(m_binding == nullptr ? m_body.name : m_binding->name),
          m_sources(m_binding)
    {
    }

    [[nodiscard]] KernelPart run()
    {
        m_part.items.reserve(m_body.instructions.size());
        for (std::size_t i = 0; i < m_body.instructions.size(); ++i)
            m_part.items.push_back(itemOf(InstructionId(i)));
        const LoweredText text = printLowered(m_program.kernels, m_number);
        m_part.lines.reserve(text.lineInstructions.size());
        forEachLine(text.text, [&](std::size_t number, std::string_view line) {
            const InstructionId instruction = text.lineInstructions.at(number);
            m_part.addLine({std::string(line), instruction.isValid() ? instruction.value : kNoIndex, {}});
        });
        return std::move(m_part);
    }

private:
    [[nodiscard]] DocumentItem itemOf(InstructionId id)
    {
        const Instruction &instruction = m_body.instruction(id);
        const bool isAlu = instruction.kind == InstructionKind::Alu;
        DocumentItem item;
        item.label = format("%{} {}", id.value, isAlu ? nameOf(instruction.op) : nameOf(instruction.kind));
        item.detail = typeOf(instruction);
        item.fields = m_fields.of(instruction);
        item.tags = m_tags.of(instruction);
        item.sources = m_sources.of(instruction.origin);
        item.kernel = indexOf(m_binding == nullptr ? m_body.kernel : m_binding->kernel);
        item.instruction = m_firstItem + id.value;
        if (instruction.kind == InstructionKind::DefineGlobal)
            if (const BufferId buffer = m_program.kernels.argumentsOf(m_number)[instruction.argument]; buffer.isValid())
                item.node = m_program.schedule->buffer(buffer).node.value;
        return item;
    }

    const LoweredProgram &m_program;
    std::size_t m_number;
    ItemIndex m_firstItem;
    const LoweredKernel &m_body;
    const KernelBinding *m_binding; // null: the body is the kernel
    InstructionFields m_fields;
    InstructionTags m_tags;
    InstructionSources m_sources;
    KernelPart m_part;
};

} // namespace

StageDocumentPtr describeLowered(const LoweredProgram &program, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Lowered;
    document.title = "Lowered";
    const std::vector<ItemIndex> firstItems = firstInstructionItems(program);
    const auto make = [&](std::size_t i) { return PartWriter(program, i, firstItems[i]).run(); };
    addKernelParts(document, program.kernels.size(), make, stop);
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
