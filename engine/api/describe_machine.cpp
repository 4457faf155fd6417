#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/machine_explanation.h"
#include "engine/api/machine_lines.h"
#include "engine/api/stage_text.h"

namespace sw {

namespace {

// What a machine instruction was made for: the lowered instruction of its source line, or the kernel as a whole.
const Origin &originOf(const MachineInstruction &machine, const RenderedSource &source, const LoweredKernel &kernel)
{
    if (machine.sourceLine == 0 || machine.sourceLine > source.lines.size())
        return kernel.origin;
    const SourceLine &line = source.lines[machine.sourceLine - 1];
    return line.tag == CodeTag::Instruction ? kernel.instruction(line.instruction).origin : kernel.origin;
}

// firstInstruction: the kernel's first item in the lowered document.
DocumentItem itemOf(const MachineInstruction &machine, const MachineCode &code, const RenderedSource &source,
                    const LoweredKernel &kernel, ItemIndex firstInstruction)
{
    DocumentItem item;
    item.label = machine.text.substr(0, machine.text.find_first_of(" \t"));
    item.detail = machine.text;
    item.fields = machineFields(machine, code);
    if (machine.sourceLine != 0 && machine.sourceLine <= source.lines.size()) {
        item.fields.push_back({"source line", format("{}", machine.sourceLine)});
        const SourceLine &line = source.lines[machine.sourceLine - 1];
        if (line.tag == CodeTag::Instruction) {
            item.fields.push_back({"instruction", format("%{}", line.instruction.value)});
            item.instruction = firstInstruction + line.instruction.value;
        }
    }
    item.tags.emplace_back(nameOf(machine.tag));
    if (machine.isInferred)
        item.tags.emplace_back(kInferredTag);
    item.sources = sourcesOf(originOf(machine, source, kernel));
    item.kernel = indexOf(kernel.kernel);
    return item;
}

void addComment(StageDocument &document, std::string text)
{
    document.lines.push_back({std::move(text), kNoIndex, {"comment"}});
}

// What the kernels of a program share.
struct Described {
    const LoweredProgram &program;
    std::span<const RenderedSource> sources;
    std::vector<ItemIndex> firstInstructions; // by kernel
};

void addKernel(StageDocument &document, MachineStructure &structure, const Described &all, std::size_t k,
               const MachineListing &listing)
{
    const auto heading = static_cast<std::uint32_t>(document.lines.size());
    addComment(document, kernelHeading(all.program, k));
    if (!listing) {
        addComment(document, "; read when it is looked at");
        return;
    }
    if (!*listing) {
        addComment(document, "; " + machineNote(listing->error()));
        return;
    }
    const LoweredKernel &kernel = all.program.kernels.at(k); // written out, if its body is shared, for what is read only
    const MachineCode &code = **listing;
    addMachineLines(structure, code, all.sources[k], kernel, {heading, heading + 1});
    for (const MachineInstruction &machine : code) {
        document.items.push_back(itemOf(machine, code, all.sources[k], kernel, all.firstInstructions.at(k)));
        const auto line = static_cast<std::uint32_t>(document.lines.size() + 1);
        const std::string text = format("{:6x}  {}", machine.address, machine.text);
        document.items.back().place = {line, 1, line, static_cast<std::uint32_t>(text.size()) + 1};
        document.lines.push_back({text, static_cast<ItemIndex>(document.items.size() - 1), document.items.back().tags});
    }
}

StageDocument emptyDocument()
{
    StageDocument document;
    document.kind = StageKind::Machine;
    document.title = "Machine code";
    return document;
}

StageDocumentPtr finished(StageDocument document, MachineStructure structure)
{
    structure.lines.resize(document.lines.size());
    document.machine = std::make_shared<const MachineStructure>(std::move(structure));
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace

StageDocumentPtr describeMachine(const LoweredProgram &program, std::span<const RenderedSource> sources,
                                 std::span<const MachineListing> listings)
{
    StageDocument document = emptyDocument();
    MachineStructure structure;
    const Described all{program, sources, firstInstructionItems(program)};
    for (std::size_t k = 0; k < listings.size(); ++k) {
        if (k > 0)
            document.lines.push_back({{}, kNoIndex, {}}); // between kernels
        document.parts.push_back({static_cast<std::uint32_t>(document.lines.size()), listings[k].has_value()});
        addKernel(document, structure, all, k, listings[k]);
    }
    return finished(std::move(document), std::move(structure));
}

StageDocumentPtr describeKernelMachine(const LoweredProgram &program, std::span<const RenderedSource> sources, KernelId kernel,
                                       const MachineListing &listing)
{
    StageDocument document = emptyDocument();
    MachineStructure structure;
    addKernel(document, structure, Described{program, sources, firstInstructionItems(program)}, kernel.value, listing);
    return finished(std::move(document), std::move(structure));
}

} // namespace sw
