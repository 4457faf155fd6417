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

DocumentItem itemOf(const LoweredProgram &program, const LoweredKernel &kernel, InstructionId id)
{
    const Instruction &instruction = kernel.instruction(id);
    const bool isAlu = instruction.kind == InstructionKind::Alu;
    DocumentItem item;
    item.label = format("%{} {}", id.value, isAlu ? nameOf(instruction.op) : nameOf(instruction.kind));
    item.detail = typeOf(instruction);
    item.fields = {{"kernel", kernel.name}, {"instruction", format("%{}", id.value)}};
    if (!item.detail.empty())
        item.fields.push_back({"type", item.detail});
    item.fields.push_back({"what it does", std::string(isAlu ? infoOf(instruction.op).doc : infoOf(instruction.kind).doc)});
    item.tags.emplace_back(nameOf(instruction.kind));
    if (isAlu && has(infoOf(instruction.op).traits, Trait::Transcendental))
        item.tags.emplace_back("transcendental");
    if (instruction.lanes > 1)
        item.tags.emplace_back("vector");
    item.sources = sourcesOf(instruction.origin);
    item.kernel = indexOf(kernel.kernel);
    if (instruction.kind == InstructionKind::DefineGlobal)
        if (const BufferId buffer = kernel.arguments.at(instruction.argument); buffer.isValid())
            item.node = program.schedule->buffer(buffer).node.value;
    return item;
}

// What the document has of one kernel.
struct KernelPart {
    std::vector<DocumentItem> items; // by instruction
    LoweredText text;
};

KernelPart partOf(const LoweredProgram &program, const LoweredKernel &kernel)
{
    KernelPart part;
    part.items.reserve(kernel.instructions.size());
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        part.items.push_back(itemOf(program, kernel, InstructionId(i)));
    part.text = printLowered(kernel, PrintOrigins::Hidden);
    return part;
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
            parts[i] = partOf(program, program.kernels.at(i));
    });
    std::size_t count = 0;
    for (const KernelPart &part : parts)
        count += part.items.size();
    document.items.reserve(count);
    for (KernelPart &part : parts) {
        if (stop.stop_requested())
            break;
        const std::size_t firstItem = document.items.size();
        for (DocumentItem &item : part.items) {
            item.instruction = static_cast<ItemIndex>(document.items.size());
            document.items.push_back(std::move(item));
        }
        if (!document.lines.empty())
            document.lines.push_back({{}, kNoIndex, {}}); // between kernels
        const LoweredText &text = part.text;
        addLines(document, text.text, [&](std::size_t number, std::string_view) {
            const InstructionId instruction = text.lineInstructions.at(number);
            return instruction.isValid() ? static_cast<ItemIndex>(firstItem + instruction.value) : kNoIndex;
        });
    }
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
