#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/base/parallel.h"
#include "engine/lowered/printer.h"

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

// What the document has of one kernel.
struct KernelPart {
    std::vector<DocumentItem> items; // by instruction
    LoweredText text;
};

class PartWriter {
public:
    PartWriter(const LoweredProgram &program, const LoweredKernel &kernel) : m_program(program), m_kernel(kernel) {}

    [[nodiscard]] KernelPart run()
    {
        KernelPart part;
        part.items.reserve(m_kernel.instructions.size());
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            part.items.push_back(itemOf(InstructionId(i)));
        part.text = printLowered(m_kernel, PrintOrigins::Hidden);
        return part;
    }

private:
    [[nodiscard]] DocumentItem itemOf(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        const bool isAlu = instruction.kind == InstructionKind::Alu;
        const std::string number = format("%{}", id.value);
        DocumentItem item;
        item.label = format("{} {}", number, isAlu ? nameOf(instruction.op) : nameOf(instruction.kind));
        item.detail = typeOf(instruction);
        std::vector<DocumentField> fields;
        fields.reserve(4);
        fields.push_back({"kernel", m_kernel.name});
        fields.push_back({"instruction", number});
        if (!item.detail.empty())
            fields.push_back({"type", item.detail});
        fields.push_back({"what it does", std::string(isAlu ? infoOf(instruction.op).doc : infoOf(instruction.kind).doc)});
        item.fields = std::move(fields);
        item.tags = m_tags.of(instruction);
        item.sources = m_sources.of(instruction.origin);
        item.kernel = indexOf(m_kernel.kernel);
        if (instruction.kind == InstructionKind::DefineGlobal)
            if (const BufferId buffer = m_kernel.arguments.at(instruction.argument); buffer.isValid())
                item.node = m_program.schedule->buffer(buffer).node.value;
        return item;
    }

    const LoweredProgram &m_program;
    const LoweredKernel &m_kernel;
    InstructionTags m_tags;
    InstructionSources m_sources;
};

// The kernel's items and lines, where they stand in the document.
void append(StageDocument &document, KernelPart &&part)
{
    const std::size_t firstItem = document.items.size();
    for (DocumentItem &item : part.items) {
        item.instruction = static_cast<ItemIndex>(document.items.size());
        document.items.push_back(std::move(item));
    }
    if (!document.lines.empty())
        document.lines.push_back({{}, kNoIndex, {}}); // between kernels
    addLines(document, part.text.text, [&](std::size_t number, std::string_view) {
        const InstructionId instruction = part.text.lineInstructions.at(number);
        return instruction.isValid() ? static_cast<ItemIndex>(firstItem + instruction.value) : kNoIndex;
    });
}

} // namespace

StageDocumentPtr describeLowered(const LoweredProgram &program, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Lowered;
    document.title = "Lowered";
    std::vector<KernelPart> parts(program.kernels.size());
    inParallel(parts.size(), [&](std::size_t i) {
        if (!stop.stop_requested())
            parts[i] = PartWriter(program, program.kernels.at(i)).run();
    });
    std::size_t items = 0;
    std::size_t lines = 0;
    for (const KernelPart &part : parts) {
        items += part.items.size();
        lines += part.text.lineInstructions.size() + 1;
    }
    document.items.reserve(items);
    document.lines.reserve(lines);
    for (KernelPart &part : parts) {
        if (stop.stop_requested())
            break;
        append(document, std::move(part));
    }
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
