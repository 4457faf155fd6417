#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/loops/printer.h"
#include "engine/loops/transform.h"

#include <map>

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

DocumentItem itemOf(const LoopNest &kernel, const Schedule &schedule, const LoopLine &line)
{
    const LoopNest &nest = nestOf(kernel, line);
    DocumentItem item;
    item.label = std::string(trimmed(line.text));
    item.fields = {{"kernel", schedule.kernel(nest.kernel).name}};
    item.tags.emplace_back(tagOf(line.kind));
    item.sources = sourcesOf(line.origin);
    item.kernel = indexOf(nest.kernel);
    if (line.kind == LoopLineKind::Transform)
        item.fields.push_back({"reason", nest.transforms.at(line.index).reason});
    if (line.kind == LoopLineKind::Axis || line.kind == LoopLineKind::Loop) {
        const Axis &axis = nest.axes.at(line.index);
        item.fields.push_back({"type", std::string(nameOf(axis.type))});
        item.fields.push_back({"extent", format("{}", axis.extent)});
        if (const std::string end = endText(nest, schedule, AxisId(line.index)); !end.empty())
            item.fields.push_back({"ends at", end});
        item.tags.emplace_back(nameOf(axis.type));
    }
    if (line.kind == LoopLineKind::Value && nest.values.at(line.index).node.isValid())
        item.node = nest.values[line.index].node.value;
    return item;
}

} // namespace

StageDocumentPtr describeLoops(const LoopProgram &program, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Loops;
    document.title = "Loops";
    const auto make = [&](std::size_t i) {
        KernelPart part;
        for (const LoopLine &line : linesOf(*program.nests[i], *program.schedule)) {
            part.items.push_back(itemOf(*program.nests[i], *program.schedule, line));
            part.addLine({line.text, static_cast<ItemIndex>(part.items.size() - 1), {}});
        }
        return part;
    };
    addKernelParts(document, program.nests.size(), make, stop);
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
