#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/loops/printer.h"
#include "engine/loops/transform.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace sw {

namespace {

std::string_view tagOf(LoopLineKind kind)
{
    switch (kind) {
    case LoopLineKind::Kernel:
        return "kernel";
    case LoopLineKind::Axis:
        return "axis";
    case LoopLineKind::Transform:
        return "transform";
    case LoopLineKind::Loop:
        return "loop";
    case LoopLineKind::Reduction:
        return "reduce";
    case LoopLineKind::Value:
        return "value";
    case LoopLineKind::Store:
        return "store";
    }
    SW_UNREACHABLE();
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// What a line shows.
struct ShownLine {
    std::size_t nest = 0; // of the program
    LoopLineKind kind = LoopLineKind::Kernel;
    std::uint32_t index = 0;
    std::uint32_t stage = 0;
};

std::vector<DocumentField> fieldsOf(const LoopProgram &program, const ShownLine &shown)
{
    const Schedule &schedule = *program.schedule;
    const LoopNest &nest = stageOf(*program.nests.at(shown.nest), shown.stage);
    std::vector<DocumentField> fields;
    const auto add = [&](const char *name, std::string value) { fields.push_back({name, std::move(value)}); };
    add("kernel", schedule.kernel(nest.kernel).name);
    if (shown.kind == LoopLineKind::Transform)
        add("reason", nest.transforms.at(shown.index).reason);
    if (shown.kind == LoopLineKind::Axis || shown.kind == LoopLineKind::Loop) {
        const Axis &axis = nest.axes.at(shown.index);
        add("type", std::string(nameOf(axis.type)));
        add("extent", format("{}", axis.extent));
        if (std::string end = endText(nest, schedule, AxisId(shown.index)); !end.empty())
            add("ends at", std::move(end));
    }
    return fields;
}

class LoopFields final : public ListMaker<DocumentField> {
public:
    LoopFields(LoopProgramPtr program, std::vector<ShownLine> lines) : m_program(std::move(program)), m_lines(std::move(lines)) {}
    [[nodiscard]] std::vector<DocumentField> make(std::uint32_t number) const override
    {
        return fieldsOf(*m_program, m_lines.at(number));
    }

private:
    LoopProgramPtr m_program;
    std::vector<ShownLine> m_lines; // by item
};

// The items of a kernel's lines, without their fields. Lines of a kind share their tags, and those of one origin its sources.
class LineItems {
public:
    explicit LineItems(const LoopNest &kernel) : m_kernel(kernel) {}

    DocumentItem of(const LoopLine &line)
    {
        const LoopNest &nest = nestOf(m_kernel, line);
        DocumentItem item;
        item.label = std::string(trimmed(line.text));
        item.tags = tagsOf(nest, line);
        item.sources = m_sources.of(line.origin);
        item.kernel = indexOf(nest.kernel);
        if (line.kind == LoopLineKind::Value && nest.values.at(line.index).node.isValid())
            item.node = nest.values[line.index].node.value;
        return item;
    }

private:
    const SharedList<std::string> &tagsOf(const LoopNest &nest, const LoopLine &line)
    {
        const bool isOfAxis = line.kind == LoopLineKind::Axis || line.kind == LoopLineKind::Loop;
        const std::optional<AxisType> type = isOfAxis ? std::optional(nest.axes.at(line.index).type) : std::nullopt;
        const auto [found, isNew] = m_tags.try_emplace({line.kind, type});
        if (isNew) {
            found->second.emplace_back(tagOf(line.kind));
            if (type)
                found->second.emplace_back(nameOf(*type));
        }
        return found->second;
    }

    const LoopNest &m_kernel;
    InstructionSources m_sources;
    std::map<std::pair<LoopLineKind, std::optional<AxisType>>, SharedList<std::string>> m_tags;
};

} // namespace

StageDocumentPtr describeLoops(const LoopProgramPtr &program, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Loops;
    document.title = "Loops";
    const std::size_t kernels = program->nests.size();
    std::vector<std::vector<ShownLine>> shown(kernels);
    const auto make = [&](std::size_t i) {
        KernelPart part;
        std::vector<LoopLine> lines = linesOf(*program->nests[i], *program->schedule);
        LineItems items(*program->nests[i]);
        shown[i].reserve(lines.size());
        part.items.reserve(lines.size());
        part.lines.reserve(lines.size());
        for (LoopLine &line : lines) {
            shown[i].push_back({i, line.kind, line.index, line.stage});
            part.items.push_back(items.of(line));
            part.addLine({std::move(line.text), static_cast<ItemIndex>(part.items.size() - 1), {}});
        }
        return part;
    };
    addKernelParts(document, kernels, make, stop);
    std::vector<ShownLine> all;
    for (const std::vector<ShownLine> &ofKernel : shown)
        all.insert(all.end(), ofKernel.begin(), ofKernel.end());
    const auto fields = std::make_shared<const LoopFields>(program, std::move(all));
    for (std::size_t i = 0; i < document.items.size(); ++i)
        document.items[i].fields = SharedList<DocumentField>::later(fields, static_cast<std::uint32_t>(i));
    return std::make_shared<const StageDocument>(std::move(document));
}

StageDocumentPtr describeLoops(const LoopProgram &program, const std::stop_token &stop)
{
    return withAllFields(describeLoops(notOwned(program), stop));
}

} // namespace sw
