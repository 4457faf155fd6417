#include "engine/graph/structure.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace sw {

namespace {

// Enough of a tensor to tell most apart; the equality test compares all of it.
constexpr std::size_t kHashedBytes = 4096;

void addTensor(Hasher &hasher, const HostTensor *tensor)
{
    if (tensor == nullptr)
        return;
    const std::span<const std::byte> bytes = tensor->unalignedBytes().first(std::min(tensor->byteSize(), kHashedBytes));
    hasher.add(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

template <class Integers>
void addIntegers(Hasher &hasher, const Integers &integers)
{
    hasher.add(static_cast<std::uint64_t>(integers.size()));
    for (const auto integer : integers)
        hasher.add(static_cast<std::uint64_t>(integer));
}

struct AttributeHasher {
    Hasher &hasher;

    void operator()(const NoAttributes & /*none*/) const {}
    void operator()(const PlaceholderAttributes &attributes) const { hasher.add(attributes.name); }
    void operator()(const DimensionAttributes &attributes) const { hasher.add(attributes.variable.name); }
    void operator()(const BoundAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.value)); }
    void operator()(const ScalarAttributes &attributes) const { hasher.add(attributes.value.bits()); }
    void operator()(const TensorAttributes &attributes) const { addTensor(hasher, attributes.value.get()); }
    void operator()(const ViewAttributes &attributes) const
    {
        addIntegers(hasher, attributes.strides);
        hasher.add(static_cast<std::uint64_t>(attributes.offset));
        for (const auto &[first, last] : attributes.mask)
            hasher.add(static_cast<std::uint64_t>(first)).add(static_cast<std::uint64_t>(last));
    }
    void operator()(const AxesAttributes &attributes) const { addIntegers(hasher, attributes.axes); }
    void operator()(const PadAttributes &attributes) const
    {
        addIntegers(hasher, attributes.before);
        addIntegers(hasher, attributes.after);
        hasher.add(attributes.fill.bits());
    }
    void operator()(const ShrinkAttributes &attributes) const
    {
        addIntegers(hasher, attributes.begin);
        addIntegers(hasher, attributes.end);
    }
    void operator()(const AxisAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.axis)); }
    void operator()(const SaturateAttributes & /*none*/) const { hasher.add(std::uint64_t{1}); }
    void operator()(const ThreefryAttributes &attributes) const
    {
        hasher.add(static_cast<std::uint64_t>(attributes.variant)).add(static_cast<std::uint64_t>(attributes.stream));
    }
    void operator()(const UniformAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.form)); }
    void operator()(const ScatterAttributes &attributes) const
    {
        hasher.add(static_cast<std::uint64_t>(attributes.axis)).add(static_cast<std::uint64_t>(attributes.mode));
    }
    void operator()(const CustomAttributes &attributes) const
    {
        hasher.add(attributes.name);
        for (const auto &[language, source] : attributes.sources)
            hasher.add(language).add(source);
    }
    void operator()(const AssignAttributes &attributes) const
    {
        for (const auto &ranges : attributes.ranges)
            for (const auto &[first, end] : ranges)
                hasher.add(static_cast<std::uint64_t>(first)).add(static_cast<std::uint64_t>(end));
    }
    void operator()(const BufferViewAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.offset)); }
    void operator()(const LanesAttributes &attributes) const { addIntegers(hasher, attributes.lanes); }
    void operator()(const ContractAttributes &attributes) const { hasher.add(attributes.subscripts); }
    void operator()(const UnrollAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.factor)); }
    void operator()(const KernelAttributes &attributes) const { hasher.add(attributes.name); }
    void operator()(const UniqueAttributes &attributes) const { hasher.add(static_cast<std::uint64_t>(attributes.id)); }
    void operator()(const DeviceAttributes &attributes) const { hasher.add(attributes.device); }
    void operator()(const CopyAttributes &attributes) const
    {
        hasher.add(attributes.device).add(static_cast<std::uint64_t>(attributes.isClone));
    }
    void operator()(const MultiAttributes &attributes) const
    {
        hasher.add(static_cast<std::uint64_t>(attributes.axis.value_or(kAnyInputs)));
        for (const bool isReal : attributes.real)
            hasher.add(static_cast<std::uint64_t>(isReal));
    }
    void operator()(const ScanAttributes &attributes) const
    {
        addIntegers(hasher, std::array{attributes.scan, attributes.steps, attributes.index, attributes.condition});
        hasher.add(static_cast<std::uint64_t>(attributes.isReversed));
    }
    void operator()(const SinkAttributes &attributes) const
    {
        for (const std::string &name : attributes.outputNames)
            hasher.add(name);
        for (const OutputCrop &crop : attributes.crops)
            addIntegers(hasher, std::array{static_cast<std::int64_t>(crop.output), static_cast<std::int64_t>(crop.axis),
                                           static_cast<std::int64_t>(crop.count)});
    }
};

// Pairs the scopes of two graphs: scopes in a pair have the same name and paired parents.
class ScopePairing {
public:
    ScopePairing(const SourceMap &a, const SourceMap &b) : m_a(a), m_b(b) {}

    bool pair(ScopeId a, ScopeId b)
    {
        while (true) {
            const auto [left, isNewLeft] = m_ofA.try_emplace(a, b);
            const auto [right, isNewRight] = m_ofB.try_emplace(b, a);
            if (!isNewLeft || !isNewRight)
                return left->second == b && right->second == a;
            const bool isRoot = a == SourceMap::rootScope();
            if (isRoot || b == SourceMap::rootScope())
                return isRoot && b == SourceMap::rootScope();
            const Scope &scopeA = m_a.scope(a);
            const Scope &scopeB = m_b.scope(b);
            if (scopeA.name != scopeB.name)
                return false;
            a = scopeA.parent;
            b = scopeB.parent;
        }
    }

private:
    const SourceMap &m_a;
    const SourceMap &m_b;
    std::unordered_map<ScopeId, ScopeId> m_ofA;
    std::unordered_map<ScopeId, ScopeId> m_ofB;
};

// Numbers nodes, across graphs, so that two have the same number when they compute the same.
class ComputationNumbers {
public:
    // Those of the outputs, in order.
    std::vector<NodeId> ofOutputs(const Graph &graph)
    {
        std::vector<NodeId> numbers(graph.size());
        std::size_t inputs = 0;
        for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
            Node node = graph.node(NodeId(i)).readingFrom(numbers);
            if (auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes))
                placeholder->name = placeholder->role == PlaceholderRole::Input ? format("{}", inputs++) : std::string();
            numbers[i] = numberOf(std::move(node));
        }
        std::vector<NodeId> outputs;
        for (const NodeId output : graph.outputs())
            outputs.push_back(numbers[output.value]);
        return outputs;
    }

private:
    NodeId numberOf(Node node)
    {
        std::vector<NodeId> &alike = m_numbers[hashOfOperation(node)];
        for (const NodeId number : alike)
            if (isSameOperation(m_nodes[number.value], node))
                return number;
        m_nodes.push_back(std::move(node));
        return alike.emplace_back(m_nodes.size() - 1);
    }

    std::vector<Node> m_nodes; // by number, reading numbers
    std::unordered_map<std::uint64_t, std::vector<NodeId>> m_numbers;
};

} // namespace

bool carriesOp(NodeKind kind)
{
    return infoOf(kind).op != NodeOp::None;
}

bool isSameOperation(const Node &a, const Node &b)
{
    return a.kind == b.kind && (!carriesOp(a.kind) || a.op == b.op) && a.dtype == b.dtype && a.shape == b.shape &&
           a.inputs == b.inputs && a.attributes == b.attributes;
}

std::uint64_t hashOfOperation(const Node &node)
{
    Hasher hasher;
    hasher.add(static_cast<std::uint64_t>(node.kind)).add(static_cast<std::uint64_t>(node.dtype));
    if (carriesOp(node.kind))
        hasher.add(static_cast<std::uint64_t>(node.op));
    addIntegers(hasher, node.shape.extents());
    for (const NodeId input : node.inputs)
        hasher.add(static_cast<std::uint64_t>(input.value));
    std::visit(AttributeHasher{hasher}, node.attributes);
    return hasher.value();
}

bool isSameStructure(const Graph &a, const Graph &b)
{
    if (a.size() != b.size())
        return false;
    ScopePairing scopes(a.sources(), b.sources());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Node &left = a.node(NodeId(i));
        const Node &right = b.node(NodeId(i));
        if (!isSameOperation(left, right) || left.name != right.name || !scopes.pair(left.scope, right.scope))
            return false;
    }
    return true;
}

bool isSameComputation(const Graph &a, const Graph &b)
{
    ComputationNumbers numbers;
    return numbers.ofOutputs(a) == numbers.ofOutputs(b);
}

} // namespace sw
