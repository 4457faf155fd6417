#include "engine/passes/schedule/load_values.h"

#include <algorithm>

namespace sw {

namespace {

bool isGivenOnce(const Node &leaf)
{
    const auto *given = std::get_if<PlaceholderAttributes>(&leaf.attributes);
    return leaf.kind != NodeKind::DefineVar && (given == nullptr || given->role == PlaceholderRole::Param);
}

// The nodes whose value follows from those of their inputs, wherever and whenever it is computed.
bool isFormula(NodeKind kind)
{
    switch (familyOf(kind)) {
    case NodeFamily::Elementwise:
    case NodeFamily::Movement:
    case NodeFamily::Reduce:
    case NodeFamily::Indexing:
        return true;
    case NodeFamily::Structural:
        return kind == NodeKind::Contiguous || kind == NodeKind::Cat;
    case NodeFamily::Leaf:
    case NodeFamily::Composite:
    case NodeFamily::Marker:
    case NodeFamily::Root:
        return false;
    }
    SW_UNREACHABLE();
}

} // namespace

std::vector<bool> equalInAllRuns(const Graph &graph, const Dataflow &flow)
{
    std::vector<bool> isEqual(graph.size(), false);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Node &node = graph.nodes()[i];
        const NodeId id(i);
        if (familyOf(node.kind) == NodeFamily::Leaf) {
            isEqual[i] = isGivenOnce(node);
            continue;
        }
        const bool isOfRun = flow.kernels[i].isValid() || flow.scans.bodyOf(id) != kNoScan || !flow.branches.of(id).empty() ||
                             !isFormula(node.kind);
        isEqual[i] = !isOfRun && std::ranges::all_of(node.inputs, [&](NodeId input) { return isEqual[input.value]; });
    }
    return isEqual;
}

std::vector<bool> loadValuesOf(const Graph &graph, const Dataflow &flow)
{
    const std::vector<bool> isEqual = equalInAllRuns(graph, flow);
    std::vector<bool> isNeeded(graph.size(), false); // by what changes from run to run
    for (std::size_t i = graph.size() - 1; i-- > 0;) {
        if (!flow.isLive[i])
            continue;
        const bool isReadByRun = !isEqual[i] || isNeeded[i];
        for (const NodeId input : graph.nodes()[i].inputs)
            isNeeded[input.value] = isNeeded[input.value] || isReadByRun;
    }
    std::vector<bool> isOfLoad(graph.size(), false);
    for (std::size_t i = 0; i < graph.size(); ++i)
        isOfLoad[i] = flow.isComputed[i] && isEqual[i] && isNeeded[i] && !flow.isOutput[i];
    return isOfLoad;
}

} // namespace sw
