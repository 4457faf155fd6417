#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/stage_text.h"

#include <algorithm>
#include <map>
#include <vector>

namespace sw {

namespace {

// Items of one kernel in the code document: its frame, and each instruction that has a line.
class KernelCode {
public:
    // firstInstruction: the kernel's first item in the lowered document.
    KernelCode(StageDocument &document, const Schedule &schedule, const LoweredKernel &kernel, ItemIndex firstInstruction)
        : m_document(document), m_kernel(kernel), m_firstInstruction(firstInstruction)
    {
        m_frame = add(kernel.name, "frame", kernel.origin);
        if (schedule.devices.size() > 1)
            m_document.items[m_frame].fields = {{"device", schedule.device(kernel.device).id}};
    }

    ItemIndex frame() const { return m_frame; }
    ItemIndex instruction(InstructionId id)
    {
        const auto [found, isNew] = m_items.try_emplace(id, kNoIndex);
        if (isNew) {
            const Instruction &made = m_kernel.instruction(id);
            const std::string_view name = made.kind == InstructionKind::Alu ? nameOf(made.op) : nameOf(made.kind);
            found->second = add(format("%{} {}", id.value, name), nameOf(made.kind), made.origin);
            m_document.items[found->second].instruction = m_firstInstruction + id.value;
        }
        return found->second;
    }

private:
    ItemIndex add(std::string label, std::string_view tag, const Origin &origin)
    {
        DocumentItem item;
        item.label = std::move(label);
        item.tags.emplace_back(tag);
        item.sources = sourcesOf(origin);
        item.kernel = indexOf(m_kernel.kernel);
        m_document.items.push_back(std::move(item));
        return static_cast<ItemIndex>(m_document.items.size() - 1);
    }

    StageDocument &m_document;
    const LoweredKernel &m_kernel;
    ItemIndex m_firstInstruction;
    ItemIndex m_frame = kNoIndex;
    std::map<InstructionId, ItemIndex> m_items;
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
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (stop.stop_requested())
            break;
        const RenderedSource &source = sources[k];
        if (k > 0)
            document.lines.push_back({{}, kNoIndex, {}}); // between kernels
        KernelCode items(document, *program.schedule, program.kernels.at(k), firstInstructions.at(k));
        document.lines.push_back({codeHeading(program, program.kernels.at(k), source.language), items.frame(), {"comment"}});
        const std::size_t first = document.lines.size();
        addLines(document, source.text, [&](std::size_t number, std::string_view) {
            SW_ASSERT(number < source.lines.size(), "an entry of the line map for every line of generated text");
            const SourceLine &line = source.lines[number];
            return line.tag == CodeTag::Instruction ? items.instruction(line.instruction) : items.frame();
        });
        for (std::size_t i = 0; first + i < document.lines.size(); ++i)
            document.lines[first + i].tags.emplace_back(nameOf(source.lines[i].tag));
    }
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
