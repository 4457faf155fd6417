#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/stage_text.h"

#include <algorithm>
#include <map>
#include <vector>

namespace sw {

namespace {

// What the document has of one kernel: its frame, and each instruction that has a line. Kernels with a shared body are not
// written out.
class PartWriter {
public:
    // firstInstruction: the kernel's first item in the lowered document.
    PartWriter(const LoweredProgram &program, std::size_t kernel, ItemIndex firstInstruction)
        : m_program(program),
          m_number(kernel),
          m_body(program.kernels.bodyOf(kernel)),
          m_binding(program.kernels.bindingOf(kernel)),
          m_firstInstruction(firstInstruction),
          m_items(m_body.instructions.size(), kNoIndex),
          m_sources(m_binding)
    {
    }

    [[nodiscard]] KernelPart run(const RenderedSource &source)
    {
        m_part.lines.reserve(source.lines.size() + 1);
        addFrame();
        m_part.addLine({codeHeading(m_program, m_number, source.language), kFrame, {"comment"}});
        forEachLine(source.text, [&](std::size_t number, std::string_view text) {
            SW_ASSERT(number < source.lines.size(), "an entry of the line map for every line of generated text");
            const SourceLine &line = source.lines[number];
            const ItemIndex item = line.tag == CodeTag::Instruction ? itemOf(line.instruction) : kFrame;
            m_part.addLine({std::string(text), item, {std::string(nameOf(line.tag))}});
        });
        return std::move(m_part);
    }

private:
    static constexpr ItemIndex kFrame = 0;

    void addFrame()
    {
        // Its origin is the kernel's own: no list of places stands for it.
        const Origin &origin = m_binding == nullptr ? m_body.origin : m_binding->origin;
        add(m_binding == nullptr ? m_body.name : m_binding->name, {"frame"}, sourcesOf(origin));
        if (const Schedule &schedule = *m_program.schedule; schedule.devices.size() > 1)
            m_part.items[kFrame].fields = {{"device", schedule.device(m_body.device).id}};
    }

    [[nodiscard]] ItemIndex itemOf(InstructionId id)
    {
        ItemIndex &item = m_items.at(id.value);
        if (item != kNoIndex)
            return item;
        const Instruction &made = m_body.instruction(id);
        const auto [tags, isNew] = m_tags.try_emplace(made.kind);
        if (isNew)
            tags->second = {std::string(nameOf(made.kind))};
        const std::string_view name = made.kind == InstructionKind::Alu ? nameOf(made.op) : nameOf(made.kind);
        item = add(format("%{} {}", id.value, name), tags->second, m_sources.of(made.origin));
        m_part.items[item].instruction = m_firstInstruction + id.value;
        return item;
    }

    ItemIndex add(std::string label, SharedList<std::string> tags, SharedList<std::uint32_t> sources)
    {
        DocumentItem item;
        item.label = std::move(label);
        item.tags = std::move(tags);
        item.sources = std::move(sources);
        item.kernel = indexOf(m_binding == nullptr ? m_body.kernel : m_binding->kernel);
        m_part.items.push_back(std::move(item));
        return static_cast<ItemIndex>(m_part.items.size() - 1);
    }

    const LoweredProgram &m_program;
    std::size_t m_number;
    const LoweredKernel &m_body;
    const KernelBinding *m_binding; // null: the body is the kernel
    ItemIndex m_firstInstruction;
    std::vector<ItemIndex> m_items;                            // by instruction
    std::map<InstructionKind, SharedList<std::string>> m_tags; // the items of a kind share one list
    InstructionSources m_sources;
    KernelPart m_part;
};

// Kernels on several devices may be in several languages.
std::string languageTitle(std::span<const RenderedSource> sources)
{
    std::vector<std::string_view> titles;
    for (const RenderedSource &source : sources)
        if (std::ranges::find(titles, languageName(source.language)) == titles.end())
            titles.push_back(languageName(source.language));
    return titles.empty() ? std::string("Code") : join(titles, ", ");
}

} // namespace

StageDocumentPtr describeCode(const LoweredProgram &program, std::span<const RenderedSource> sources, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Code;
    document.title = languageTitle(sources);
    const std::vector<ItemIndex> firstInstructions = firstInstructionItems(program);
    const auto make = [&](std::size_t i) { return PartWriter(program, i, firstInstructions.at(i)).run(sources[i]); };
    addKernelParts(document, sources.size(), make, stop);
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
