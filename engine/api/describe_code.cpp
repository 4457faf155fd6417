#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/stage_text.h"

#include <algorithm>
#include <map>
#include <vector>

namespace sw {

namespace {

// The tag of each kind of instruction, which its items share.
using InstructionNames = std::map<InstructionKind, SharedList<std::string>>;

// Items of one kernel in the code document: its frame, and each instruction that has a line.
class KernelCode {
public:
    // firstInstruction: the kernel's first item in the lowered document.
    KernelCode(StageDocument &document, InstructionNames &names, const Schedule &schedule, const LoweredKernel &kernel,
               ItemIndex firstInstruction)
        : m_document(document),
          m_names(names),
          m_kernel(kernel),
          m_firstInstruction(firstInstruction),
          m_items(kernel.instructions.size(), kNoIndex)
    {
        m_frame = add(kernel.name, {"frame"}, kernel.origin);
        if (schedule.devices.size() > 1)
            m_document.items[m_frame].fields = {{"device", schedule.device(kernel.device).id}};
    }

    [[nodiscard]] ItemIndex frame() const { return m_frame; }
    [[nodiscard]] ItemIndex instruction(InstructionId id)
    {
        ItemIndex &item = m_items.at(id.value);
        if (item != kNoIndex)
            return item;
        const Instruction &made = m_kernel.instruction(id);
        const auto [tags, isNew] = m_names.try_emplace(made.kind);
        if (isNew)
            tags->second = {std::string(nameOf(made.kind))};
        const std::string_view name = made.kind == InstructionKind::Alu ? nameOf(made.op) : nameOf(made.kind);
        item = add(format("%{} {}", id.value, name), tags->second, made.origin);
        m_document.items[item].instruction = m_firstInstruction + id.value;
        return item;
    }

private:
    ItemIndex add(std::string label, SharedList<std::string> tags, const Origin &origin)
    {
        DocumentItem item;
        item.label = std::move(label);
        item.tags = std::move(tags);
        item.sources = m_sources.of(origin);
        item.kernel = indexOf(m_kernel.kernel);
        m_document.items.push_back(std::move(item));
        return static_cast<ItemIndex>(m_document.items.size() - 1);
    }

    StageDocument &m_document;
    InstructionNames &m_names;
    const LoweredKernel &m_kernel;
    ItemIndex m_firstInstruction;
    ItemIndex m_frame = kNoIndex;
    std::vector<ItemIndex> m_items; // by instruction
    InstructionSources m_sources;
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
    std::size_t lines = 0;
    for (const RenderedSource &source : sources)
        lines += source.lines.size() + 2;
    document.lines.reserve(lines);
    InstructionNames names;
    for (std::size_t k = 0; k < sources.size() && !stop.stop_requested(); ++k) {
        const RenderedSource &source = sources[k];
        if (k > 0)
            document.lines.push_back({{}, kNoIndex, {}}); // between kernels
        KernelCode items(document, names, *program.schedule, program.kernels.at(k), firstInstructions.at(k));
        document.lines.push_back({codeHeading(program, program.kernels.at(k), source.language), items.frame(), {"comment"}});
        forEachLine(source.text, [&](std::size_t number, std::string_view text) {
            SW_ASSERT(number < source.lines.size(), "an entry of the line map for every line of generated text");
            const SourceLine &line = source.lines[number];
            const ItemIndex item = line.tag == CodeTag::Instruction ? items.instruction(line.instruction) : items.frame();
            addLine(document, {std::string(text), item, {std::string(nameOf(line.tag))}});
        });
    }
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
