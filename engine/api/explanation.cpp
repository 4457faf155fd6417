#include "engine/api/explanation.h"

#include "engine/api/describe.h"
#include "engine/api/explanation_numbers.h"
#include "engine/passes/schedule/policy.h"
#include "engine/schedule/dependencies.h"

#include <algorithm>
#include <vector>

namespace sw {

namespace {

const FusionRule *ruleNamed(std::string_view id)
{
    const auto found = std::ranges::find(fusionRules(), id, &FusionRule::id);
    return found == fusionRules().end() ? nullptr : &*found;
}

DeviceFigures figuresOn(const Explained &of, DeviceSlot slot)
{
    return slot.value < of.figures.size() ? of.figures[slot.value] : DeviceFigures();
}

// The override that decided it.
Override givenOf(const FusionDecision &decision, const ValuePaths &paths)
{
    Override given = oppositeOf(decision, paths);
    given.kind = decision.isFused ? OverrideKind::Fuse : OverrideKind::Apart;
    return given;
}

// The edges that `takes` accepts, the first one below the heading.
template <class Takes>
void addEdges(WhyCard &card, std::string heading, const Explained &of, const Takes &takes)
{
    for (std::uint32_t i = 0; i < of.schedule.decisions.size(); ++i) {
        if (!takes(of.schedule.decisions[i]))
            continue;
        card.parts.push_back(edgeCard(of, i));
        card.parts.back().heading = std::exchange(heading, {});
    }
}

void addLoops(WhyCard &card, const Explained &of, KernelId id)
{
    if (of.loops == nullptr)
        return;
    const LoopNest &nest = *of.loops->nests.at(id.value);
    if (nest.transforms.empty())
        card.facts.push_back({"loops:", "plain"});
    for (std::uint32_t i = 0; i < nest.transforms.size(); ++i) {
        WhyCard part;
        part.subject = WhySubject::Transform;
        part.heading = i == 0 ? "loops" : "";
        part.title = toText(nest.transforms[i]);
        part.reason = nest.transforms[i].reason;
        part.kernel = id.value;
        card.parts.push_back(std::move(part));
    }
    const Override as = loopsOf(nest, of.schedule, of.paths);
    Override plain = as;
    plain.transforms.clear();
    if (!as.transforms.empty())
        card.tries.push_back({"Plain loops", toText(plain)});
    card.tries.push_back({"Change its loops", toText(as)});
}

void addReasonToStore(WhyCard &card, const Explained &of, const ScheduledBuffer &buffer)
{
    switch (buffer.role) {
    case BufferRole::Input:
    case BufferRole::Param:
    case BufferRole::Constant:
        card.facts.push_back({"in memory because", format("it is given: {}", nameOf(buffer.role))});
        return;
    case BufferRole::Output:
        card.facts.push_back({"in memory because", "it is an output"});
        return;
    case BufferRole::Intermediate:
        break;
    }
    addEdges(card, "in memory because it is read by other kernels", of,
             [&](const FusionDecision &one) { return one.producer == buffer.node && !one.isFused; });
    if (card.parts.empty())
        card.facts.push_back({"in memory because", "of a transfer or a lookup"});
}

// Where the value is: in a kernel, in a buffer, or nowhere.
std::string placeOf(const Schedule &schedule, NodeId id)
{
    const KernelId kernel = schedule.kernelOf(id);
    const BufferId buffer = schedule.bufferOf(id);
    if (!kernel.isValid())
        return buffer.isValid() ? format("in memory as {}", schedule.buffer(buffer).name)
                                : "in no kernel: index arithmetic, or a literal, where it is read";
    return buffer.isValid() ? format("computed in {}, stored as {}", schedule.kernel(kernel).name, schedule.buffer(buffer).name)
                            : format("computed in {}, never stored", schedule.kernel(kernel).name);
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

WhyCard edgeCard(const Explained &of, std::uint32_t decision)
{
    const FusionDecision &made = of.schedule.decisions.at(decision);
    const KernelId kernel = of.schedule.kernelOf(made.consumer); // none computes a value that is joined in memory
    const DeviceSlot slot =
        kernel.isValid() ? of.schedule.kernel(kernel).device : of.schedule.buffer(of.schedule.bufferOf(made.consumer)).device;
    WhyCard card;
    card.title = format("{} -> {}", of.paths.of(made.producer), of.paths.of(made.consumer));
    card.decision = made.isFused ? "in one kernel" : "apart";
    card.rule = made.rule;
    card.reason = made.reason;
    const FusionRule *rule = ruleNamed(made.rule);
    if (rule != nullptr) {
        card.ruleTitle = rule->title;
        card.ruleDoc = rule->doc;
        if (!made.isFused && rule->overruled == Overruled::Never && rule->id != kOverrideRule)
            card.obstacles.emplace_back("the rule says what is possible, not what is worth while: no override can change it");
    }
    card.numbers = {trafficOf(of.schedule, made), trafficTimeOf(made, figuresOn(of, slot))};
    for (const DecisionNumber &number : made.numbers)
        card.numbers.push_back(numberOf(number));
    if (made.rule == kOverrideRule)
        card.tries.push_back({"Let the rules decide", toText(givenOf(made, of.paths)), true});
    card.tries.push_back({made.isFused ? "Keep them apart" : "Fuse them", toText(oppositeOf(made, of.paths))});
    card.item = ScheduleItems(of.schedule).decision(decision);
    card.kernel = kernel.value;
    return card;
}

WhyCard kernelCard(const Explained &of, KernelId id)
{
    const ScheduledKernel &kernel = of.schedule.kernel(id);
    const Node &root = of.schedule.graph->node(kernel.root);
    const DeviceFigures figures = figuresOn(of, kernel.device);
    const auto pathOf = [&](NodeId node) { return of.paths.of(node); };
    const auto isInside = [&](NodeId node) { return std::ranges::binary_search(kernel.members, node); };
    WhyCard card;
    card.subject = WhySubject::Kernel;
    card.title = format("kernel {}", kernel.name);
    card.decision = format("{} over {}", of.paths.of(kernel.root), typeText(root.dtype, root.shape));
    card.facts = {{"computes", join(kernel.members, ", ", pathOf)}, {"stores", join(kernel.results, ", ", pathOf)}};
    card.numbers = estimateNumbers(kernel.estimate, figures);
    addEdges(card, "in it", of,
             [&](const FusionDecision &one) { return one.isFused && isInside(one.producer) && isInside(one.consumer); });
    addEdges(card, "at its border", of,
             [&](const FusionDecision &one) { return !one.isFused && (isInside(one.producer) || isInside(one.consumer)); });
    addLoops(card, of, id);
    card.item = ScheduleItems(of.schedule).kernel(id);
    card.kernel = id.value;
    return card;
}

WhyCard bufferCard(const Explained &of, BufferId id)
{
    const Schedule &schedule = of.schedule;
    const ScheduledBuffer &buffer = schedule.buffer(id);
    const ScheduledDevice &device = schedule.device(buffer.device);
    const auto itemText = [&](std::uint32_t item) {
        return format("item {} ({})", item, titleOf(schedule, schedule.items.at(item)));
    };
    WhyCard card;
    card.subject = WhySubject::Buffer;
    card.title = format("buffer {}", buffer.name);
    card.decision = format("{} {}, {} bytes on {}", of.paths.of(buffer.node), typeText(buffer.dtype, buffer.shape),
                           buffer.bytes(), device.id);
    addReasonToStore(card, of, buffer);
    card.facts.push_back({"lives", format("from {} to {}", itemText(buffer.firstItem), itemText(buffer.lastItem))});
    for (const SharedPlace &place : sharedPlaces(schedule)) {
        if (place.first == id)
            card.facts.push_back({"leaves its place to", schedule.buffer(place.second).name});
        if (place.second == id)
            card.facts.push_back({"takes the place of", schedule.buffer(place.first).name});
    }
    card.numbers = {
        bytesOf("size", buffer.bytes(), format("{} elements x {} bytes", buffer.shape.elements(), sw::bytesOf(buffer.dtype))),
        countOf("lies at byte", buffer.arenaOffset,
                buffer.partOf ? format("{} bytes into {}, which it is a part of", buffer.partOf->offset,
                                       schedule.buffer(buffer.partOf->whole).name)
                              : std::string("the smallest gap that is free for its whole life")),
        bytesOf("memory in all", device.arenaBytes, format("all buffers on {}, placed", device.id)),
        bytesOf("peak", device.peakBytes, "the most that lives at one time")};
    card.item = ScheduleItems(schedule).buffer(id);
    return card;
}

WhyCard valueCard(const Explained &of, NodeId id)
{
    const Schedule &schedule = of.schedule;
    const Node &node = schedule.graph->node(id);
    WhyCard card;
    card.subject = WhySubject::Value;
    card.title = of.paths.of(id);
    card.decision = placeOf(schedule, id);
    card.numbers = {bytesOf("size", node.shape.elements() * static_cast<std::int64_t>(sw::bytesOf(node.dtype)),
                            format("{} elements x {} bytes", node.shape.elements(), sw::bytesOf(node.dtype)))};
    addEdges(card, "reads", of, [&](const FusionDecision &one) { return one.consumer == id; });
    addEdges(card, "is read by", of, [&](const FusionDecision &one) { return one.producer == id; });
    const bool isFused =
        std::ranges::any_of(schedule.decisions, [&](const FusionDecision &one) { return one.producer == id && one.isFused; });
    if (isFused && !schedule.bufferOf(id).isValid())
        card.tries.push_back({"Store it", toText(Override{.kind = OverrideKind::Store, .value = of.paths.of(id)})});
    if (const KernelId kernel = schedule.kernelOf(id); kernel.isValid())
        card.kernel = kernel.value;
    return card;
}

} // namespace sw
