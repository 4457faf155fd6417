#include "engine/passes/schedule/kernel_naming.h"

#include "engine/base/hash.h"
#include "engine/schedule/item_walk.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sw {

namespace {

void addNumbers(Hasher &hasher, std::span<const std::int64_t> numbers)
{
    hasher.add(std::uint64_t{numbers.size()});
    for (const std::int64_t number : numbers)
        hasher.add(static_cast<std::uint64_t>(number));
}

void addScalar(Hasher &hasher, const Scalar &value)
{
    hasher.add(static_cast<std::uint64_t>(value.dtype())).add(value.bits());
}

struct AttributeHasher {
    Hasher &hasher;

    void operator()(const NoAttributes &) const {}
    void operator()(const PlaceholderAttributes &) const {} // a buffer like any other
    void operator()(const TensorAttributes &) const {}      // likewise
    void operator()(const SinkAttributes &) const {}
    void operator()(const ScalarAttributes &attributes) const { addScalar(hasher, attributes.value); }
    void operator()(const ViewAttributes &attributes) const
    {
        addNumbers(hasher, attributes.strides);
        hasher.add(static_cast<std::uint64_t>(attributes.offset));
        for (const auto &[low, high] : attributes.mask)
            hasher.add(static_cast<std::uint64_t>(low)).add(static_cast<std::uint64_t>(high));
    }
    void operator()(const AxesAttributes &attributes) const
    {
        for (const std::size_t axis : attributes.axes)
            hasher.add(std::uint64_t{axis});
    }
    void operator()(const PadAttributes &attributes) const
    {
        addNumbers(hasher, attributes.before);
        addNumbers(hasher, attributes.after);
        addScalar(hasher, attributes.fill);
    }
    void operator()(const ShrinkAttributes &attributes) const
    {
        addNumbers(hasher, attributes.begin);
        addNumbers(hasher, attributes.end);
    }
    void operator()(const AxisAttributes &attributes) const { hasher.add(std::uint64_t{attributes.axis}); }
    void operator()(const CustomAttributes &attributes) const
    {
        hasher.add(attributes.name);
        for (const auto &[language, source] : attributes.sources)
            hasher.add(language).add(source);
    }
    void operator()(const UnrollAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.factor)); }
    void operator()(const KernelAttributes &) const {} // only a name
    // The nodes with other attributes are gone before there are kernels.
    template <class Attributes>
    void operator()(const Attributes &) const
    {
        SW_UNREACHABLE();
    }
};

void addNode(Hasher &hasher, const Node &node)
{
    hasher.add(static_cast<std::uint64_t>(node.kind))
        .add(static_cast<std::uint64_t>(node.op))
        .add(static_cast<std::uint64_t>(node.dtype));
    addNumbers(hasher, node.shape.extents());
    std::visit(AttributeHasher{hasher}, node.attributes);
}

bool isReduction(const Node &node)
{
    return node.kind == NodeKind::ReduceAxis;
}

// The kernel's main work: its contractions, else its reductions, else everything in it.
std::vector<NodeId> mainNodes(const Graph &graph, std::span<const NodeFacts> facts, const ScheduledKernel &kernel)
{
    std::vector<NodeId> contractions;
    std::vector<NodeId> reductions;
    for (const NodeId member : kernel.members) {
        if (isReduction(graph.node(member)))
            reductions.push_back(member);
        if (facts[member.value].isContraction)
            contractions.push_back(member);
    }
    if (!contractions.empty())
        return contractions;
    return reductions.empty() ? kernel.members : reductions;
}

std::vector<ScopeId> scopesAround(const Graph &graph, NodeId node)
{
    std::vector<ScopeId> scopes;
    for (ScopeId scope = graph.node(node).scope; scope.isValid() && scope != SourceMap::rootScope();
         scope = graph.sources().scope(scope).parent)
        scopes.push_back(scope);
    std::ranges::reverse(scopes);
    return scopes;
}

// The innermost scope that contains all the nodes; invalid when that is the whole program.
ScopeId commonScope(const Graph &graph, const std::vector<NodeId> &nodes)
{
    std::vector<ScopeId> common = scopesAround(graph, nodes.front());
    for (const NodeId node : nodes) {
        const std::vector<ScopeId> scopes = scopesAround(graph, node);
        const auto differ = std::ranges::mismatch(common, scopes);
        common.erase(differ.in1, common.end());
    }
    return common.empty() ? ScopeId() : common.back();
}

std::string extentsText(const Shape &shape)
{
    std::vector<std::int64_t> extents;
    for (const std::int64_t extent : shape)
        if (extent != 1)
            extents.push_back(extent);
    return extents.empty() ? "1" : join(extents, "x");
}

std::string kernelLabel(const Graph &graph, std::span<const NodeFacts> facts, const ScheduledKernel &kernel)
{
    const std::vector<NodeId> nodes = mainNodes(graph, facts, kernel);
    for (const ScopeId scope : {commonScope(graph, nodes), commonScope(graph, {kernel.root})})
        if (scope.isValid() && !graph.sources().scope(scope).name.empty())
            return identifierText(graph.sources().scope(scope).name);
    const Node &first = graph.node(isReduction(graph.node(nodes.front())) ? nodes.front() : kernel.root);
    if (facts[nodes.front().value].isContraction)
        return "contraction";
    return isReduction(first) ? format("reduce_{}", nameOf(first.op)) : identifierText(operationText(first));
}

// For a marker, the node that it marks, whose operation counts.
const Node &unmarked(const Graph &graph, NodeId id)
{
    while (familyOf(graph.node(id).kind) == NodeFamily::Marker)
        id = graph.node(id).inputs.at(0);
    return graph.node(id);
}

// Of a kernel of the load phase.
std::string loadLabel(const Schedule &schedule, std::span<const NodeFacts> facts, const ScheduledKernel &kernel)
{
    const ScheduledBuffer *only = kernel.reads.size() == 1 ? &schedule.buffer(kernel.reads.front()) : nullptr;
    const bool isNamed = only != nullptr && only->role == BufferRole::Param;
    return "load_" + (isNamed ? identifierText(only->name) : kernelLabel(*schedule.graph, facts, kernel));
}

// What the kernel computes, whatever the program calls it: "contraction_64x10", "reduce_max_128", "fdiv_128x10".
std::string structureLabel(const Graph &graph, std::span<const NodeFacts> facts, const ScheduledKernel &kernel)
{
    const std::vector<NodeId> nodes = mainNodes(graph, facts, kernel);
    const Node &first = graph.node(nodes.front());
    const std::string extents = extentsText(graph.node(kernel.root).shape);
    if (facts[nodes.front().value].isContraction)
        return "contraction_" + extents;
    if (nodes.size() == 1 && isReduction(first))
        return format("reduce_{}_{}", nameOf(first.op), extents);
    return format("{}_{}", identifierText(operationText(unmarked(graph, kernel.root))), extents);
}

// The name given with kernel(); empty: none.
std::string askedName(const Node &root)
{
    const auto *asked = std::get_if<KernelAttributes>(&root.attributes);
    return asked == nullptr || asked->name.empty() ? std::string() : identifierText(asked->name);
}

std::uint64_t structureHash(const Graph &graph, const Dataflow &flow, const NeededExtents &needed, const ScheduledKernel &kernel)
{
    std::unordered_map<NodeId, std::uint64_t> numbers; // members first, then loads by first use
    for (const NodeId member : kernel.members)
        numbers.emplace(member, numbers.size());
    Hasher hasher;
    for (const NodeId member : kernel.members) {
        addNode(hasher, graph.node(member));
        const bool isKernel = graph.node(member).kind == NodeKind::Kernel; // its other inputs are read by the nodes inside
        for (NodeId input : std::span(graph.node(member).inputs).first(isKernel ? 1 : graph.node(member).inputs.size())) {
            for (; flow.bases[input.value] != input; input = graph.node(input).inputs[0])
                addNode(hasher, graph.node(input));
            if (isLiteral(graph.node(input))) {
                addNode(hasher, graph.node(input));
                continue;
            }
            const auto [number, isNew] = numbers.emplace(input, numbers.size());
            hasher.add(number->second);
            if (isNew)
                hasher.add(static_cast<std::uint64_t>(graph.node(input).dtype)).add(toText(graph.node(input).shape));
        }
    }
    for (const NodeId result : kernel.results) {
        hasher.add(numbers.at(result));
        if (const NeededEnds *ends = needed.of(result)) // its loops end there
            for (const SymbolicExpr &end : *ends)
                hasher.add(toText(end));
    }
    hasher.add(numbers.at(kernel.root));
    for (const NodeId stage : kernel.stages)
        hasher.add(numbers.at(stage)).add(std::uint64_t{kernel.rowAxes});
    return hasher.value();
}

} // namespace

void nameKernels(const Graph &graph, const PlacedFlow &placed, const NeededExtents &needed, Schedule &schedule)
{
    const std::vector<bool> isOfLoad = loadKernelsOf(schedule);
    std::set<std::string> names;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
        ScheduledKernel &kernel = schedule.kernels[i];
        const std::string asked = askedName(graph.node(kernel.root));
        const std::string label =
            isOfLoad[i] ? loadLabel(schedule, placed.facts, kernel) : kernelLabel(graph, placed.facts, kernel);
        const std::string name = asked.empty() ? format("k{}_{}", i, label) : asked;
        kernel.name = name;
        for (std::size_t use = 2; !names.insert(kernel.name).second; ++use)
            kernel.name = format("{}_{}", name, use);
        // Half of the hash is plenty: if two were ever equal, texts of equal names would be compiled one by one.
        const auto hash = static_cast<std::uint32_t>(structureHash(graph, placed.flow, needed, kernel));
        kernel.symbol = format("{}_{:08x}", structureLabel(graph, placed.facts, kernel), hash);
    }
}

} // namespace sw
