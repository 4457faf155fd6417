#include "engine/api/explanation.h"

#include "engine/loops/transform.h"
#include "engine/schedule/dependencies.h"

#include <algorithm>
#include <vector>

namespace sw {

namespace {

std::string edgeText(const FusionDecision &decision, const ValuePaths &paths)
{
    return format("  {} -> {}: {} by {}\n    {}\n    to override: {}\n", paths.of(decision.producer), paths.of(decision.consumer),
                  decision.isFused ? "in one kernel" : "apart", decision.rule, decision.reason,
                  toText(oppositeOf(decision, paths)));
}

// The edges that `takes` accepts, below the heading.
template <class Takes>
std::string edgesText(std::string_view heading, const Schedule &schedule, const ValuePaths &paths, const Takes &takes)
{
    std::string text;
    for (const FusionDecision &decision : schedule.decisions)
        if (takes(decision))
            text += edgeText(decision, paths);
    return text.empty() ? text : format("{}\n{}", heading, text);
}

std::string loopsText(const Schedule &schedule, const LoopNest &nest, const ValuePaths &paths)
{
    std::string text = nest.transforms.empty() ? "loops: plain\n" : "loops\n";
    for (const Transform &transform : nest.transforms)
        text += format("  {}{}\n", toText(transform), transform.reason.empty() ? "" : ": " + transform.reason);
    return text + format("  to override: {}\n", toText(loopsOf(nest, schedule, paths)));
}

std::string whyStored(const Schedule &schedule, const ScheduledBuffer &buffer, const ValuePaths &paths)
{
    switch (buffer.role) {
    case BufferRole::Input:
    case BufferRole::Param:
    case BufferRole::Constant:
        return format("in memory because it is given: {}\n", nameOf(buffer.role));
    case BufferRole::Output:
        return "in memory because it is an output\n";
    case BufferRole::Intermediate:
        break;
    }
    const std::string edges = edgesText("in memory because it is read by other kernels", schedule, paths,
                                        [&](const FusionDecision &one) { return one.producer == buffer.node && !one.isFused; });
    return edges.empty() ? "in memory for a transfer or a lookup\n" : edges;
}

} // namespace

Override oppositeOf(const FusionDecision &decision, const ValuePaths &paths)
{
    return {.kind = decision.isFused ? OverrideKind::Apart : OverrideKind::Fuse,
            .value = paths.of(decision.producer),
            .reader = paths.of(decision.consumer)};
}

Override loopsOf(const LoopNest &nest, const Schedule &schedule, const ValuePaths &paths)
{
    return {.kind = OverrideKind::Loops, .value = paths.of(schedule.kernel(nest.kernel).root), .transforms = nest.transforms};
}

std::string kernelExplanation(const Schedule &schedule, KernelId id, const LoopProgram *loops, const ValuePaths &paths)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    const Node &root = schedule.graph->node(kernel.root);
    const auto pathOf = [&](NodeId node) { return paths.of(node); };
    const auto isInside = [&](NodeId node) { return std::ranges::binary_search(kernel.members, node); };
    std::string text = format("kernel {}: {} over {}\n", kernel.name, paths.of(kernel.root), typeText(root.dtype, root.shape));
    text += format("computes {}\n", join(kernel.members, ", ", pathOf));
    text += format("stores {}\n", join(kernel.results, ", ", pathOf));
    text += edgesText("in it", schedule, paths,
                      [&](const FusionDecision &one) { return one.isFused && isInside(one.producer) && isInside(one.consumer); });
    text += edgesText("at its border", schedule, paths, [&](const FusionDecision &one) {
        return !one.isFused && (isInside(one.producer) || isInside(one.consumer));
    });
    if (loops != nullptr)
        text += loopsText(schedule, *loops->nests.at(id.value), paths);
    return text;
}

std::string bufferExplanation(const Schedule &schedule, BufferId id, const ValuePaths &paths)
{
    const ScheduledBuffer &buffer = schedule.buffer(id);
    const auto itemText = [&](std::uint32_t item) {
        return format("item {} ({})", item, titleOf(schedule, schedule.items.at(item)));
    };
    std::string text = format("buffer {}: {} {}, {} bytes on {}\n", buffer.name, paths.of(buffer.node),
                              typeText(buffer.dtype, buffer.shape), buffer.bytes(), schedule.device(buffer.device).id);
    text += whyStored(schedule, buffer, paths);
    text += format("lives from {} to {}\n", itemText(buffer.firstItem), itemText(buffer.lastItem));
    text += format("lies at byte {} of {}\n", buffer.arenaOffset, schedule.device(buffer.device).arenaBytes);
    for (const SharedPlace &place : sharedPlaces(schedule)) {
        if (place.first == id)
            text += format("leaves its place to {}\n", schedule.buffer(place.second).name);
        if (place.second == id)
            text += format("takes the place of {}\n", schedule.buffer(place.first).name);
    }
    return text;
}

} // namespace sw
