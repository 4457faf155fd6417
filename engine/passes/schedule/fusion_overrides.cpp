#include "engine/passes/schedule/fusion_overrides.h"

#include "engine/passes/schedule/override_values.h"

#include <algorithm>

namespace sw {

FusionOverrides::FusionOverrides(const Graph &graph, const Dataflow &flow, const Overrides &overrides)
{
    if (overrides.items.empty())
        return;
    const ValuePaths paths(graph);
    m_outcomes.resize(overrides.items.size());
    for (std::uint32_t i = 0; i < overrides.items.size(); ++i)
        if (overrides.items[i].isOn)
            add(i, overrides.items[i], paths, flow);
        else
            m_outcomes[i] = {OverrideState::Off, "it is switched off"};
}

void FusionOverrides::add(std::uint32_t index, const Override &item, const ValuePaths &paths, const Dataflow &flow)
{
    if (item.kind == OverrideKind::Code) { // it may name a kernel: see code_overrides.h
        m_outcomes[index] = {OverrideState::NoChange, "the code is not made yet"};
        return;
    }
    const NodeId value = paths.find(item.value);
    if (!value.isValid()) {
        m_outcomes[index] = unknownValue(paths, item.value);
        return;
    }
    if (item.kind == OverrideKind::Loops || item.kind == OverrideKind::Order)
        return; // see loop_overrides.h and kernel_order.h
    const NodeId producer = computedFor(flow, value);
    if (!flow.isComputed[producer.value]) {
        m_outcomes[index] = {OverrideState::Refused, format("{} is in memory already: no kernel computes it", item.value)};
        return;
    }
    const std::vector<Read> &readers = flow.readers[producer.value];
    if (item.kind == OverrideKind::Store) {
        if (readers.empty())
            m_outcomes[index] = {OverrideState::NoChange, "nothing reads it but the program's outputs"};
        for (const Read &read : readers)
            addEdge(index, {producer, read.consumer}, FusionWish::Apart);
        return;
    }
    const NodeId reader = paths.find(item.reader);
    if (!reader.isValid()) {
        m_outcomes[index] = unknownValue(paths, item.reader);
        return;
    }
    const NodeId consumer = computedFor(flow, reader);
    if (std::ranges::none_of(readers, [&](const Read &read) { return read.consumer == consumer; })) {
        std::vector<std::string> all;
        for (const Read &read : readers)
            all.push_back(paths.of(read.consumer));
        m_outcomes[index] = {OverrideState::Refused,
                             format("{} does not read {}; {}", item.reader, item.value,
                                    all.empty() ? "nothing does" : "what reads it is " + join(all, ", "))};
        return;
    }
    addEdge(index, {producer, consumer}, item.kind == OverrideKind::Fuse ? FusionWish::Fuse : FusionWish::Apart);
}

void FusionOverrides::addEdge(std::uint32_t index, Edge edge, FusionWish wish)
{
    const auto [known, isNew] = m_wishes.try_emplace(edge, Wish{wish, index});
    if (!isNew && known->second.wish != wish)
        m_outcomes[index] = {OverrideState::Refused, "an earlier override says the opposite of the same edge"};
    else if (!isNew)
        m_outcomes[index] = {OverrideState::NoChange, "an earlier override says the same"};
}

FusionWish FusionOverrides::wishFor(NodeId producer, NodeId consumer) const
{
    const auto found = m_wishes.find({producer, consumer});
    return found == m_wishes.end() ? FusionWish::None : found->second.wish;
}

std::optional<std::uint32_t> FusionOverrides::overrideOf(NodeId producer, NodeId consumer) const
{
    const auto found = m_wishes.find({producer, consumer});
    return found == m_wishes.end() ? std::nullopt : std::optional(found->second.override);
}

void FusionOverrides::noteDifference(NodeId producer, NodeId consumer)
{
    if (const auto found = m_wishes.find({producer, consumer}); found != m_wishes.end())
        found->second.makesDifference = true;
}

// An override of several edges is refused when one of them is, else applied when it makes a difference to one.
void FusionOverrides::settle(Edge edge, const Wish &wish, const Grouping &grouping)
{
    const bool isTogether = grouping.groupOf[edge.first.value] == grouping.groupOf[edge.second.value];
    OverrideOutcome &outcome = m_outcomes[wish.override];
    if (outcome.state == OverrideState::Refused)
        return;
    if (isTogether != (wish.wish == FusionWish::Fuse)) {
        const auto decision = std::ranges::find_if(grouping.decisions, [&](const FusionDecision &one) {
            return one.producer == edge.first && one.consumer == edge.second;
        });
        outcome = {OverrideState::Refused,
                   decision != grouping.decisions.end() ? decision->reason : "another edge joins the two in one kernel"};
    } else if (wish.makesDifference) {
        outcome = {OverrideState::Applied, {}};
    } else if (outcome.state != OverrideState::Applied) {
        outcome = {OverrideState::NoChange, "the rules decide the same"};
    }
}

std::vector<OverrideOutcome> FusionOverrides::outcomes(const Grouping &grouping) &&
{
    for (const auto &[edge, wish] : m_wishes)
        settle(edge, wish, grouping);
    return std::move(m_outcomes);
}

} // namespace sw
