#include "engine/graph/open_graph.h"

#include "engine/graph/open_nodes.h"
#include "engine/graph/structure.h"
#include "engine/graph/verify.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace sw {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kFirstLeast = 5; // no size that operators take for another thing, and all of them different
constexpr std::array<std::int64_t, 6> kBetween{2, 3, 4, 8, 17, 31};

std::string lineText(const SourceMap &sources, const SourceRange &place)
{
    std::string_view text = sources.file(SourceMap::programFile()).text;
    for (std::uint32_t line = 1; line < place.line; ++line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    text = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::string(text);
}

// Without the nodes that return their input, which nobody makes where an extent is known to be 1.
Graph withoutIdentities(const Graph &graph)
{
    std::vector<Node> nodes;
    std::vector<NodeId> made;
    for (const Node &node : graph.nodes()) {
        const bool isIdentity =
            (node.kind == NodeKind::Reshape || node.kind == NodeKind::Expand) && node.shape == graph.node(node.inputs[0]).shape;
        if (isIdentity) {
            made.push_back(made[node.inputs[0].value]);
            continue;
        }
        nodes.push_back(node.readingFrom(made));
        made.emplace_back(nodes.size() - 1);
    }
    return {std::move(nodes), graph.sourcesPtr()};
}

class GraphOpener {
public:
    GraphOpener(std::vector<SymbolicVariable> dimensions, const GraphOfSizes &graphOf)
        : m_samples{std::move(dimensions), {}}, m_graphOf(graphOf)
    {
    }

    Result<OpenGraph> run()
    {
        if (dimensions().size() > kMostOpenDimensions)
            return Diagnostic::error(Code::Unsupported, {}, "there are {} of them, and at most {} are kept open",
                                     dimensions().size(), kMostOpenDimensions);
        SW_CHECK(makeSamples());
        SW_CHECK(generalize());
        SW_CHECK(checkBetween());
        if (beginAtTwo())
            SW_CHECK(generalize());
        return written();
    }

private:
    [[nodiscard]] std::vector<SymbolicVariable> &dimensions() { return m_samples.variables; }
    [[nodiscard]] const std::vector<SymbolicVariable> &dimensions() const { return m_samples.variables; }

    [[nodiscard]] SymbolicBindings bindingsOf(const Sizes &sizes) const
    {
        SymbolicBindings bindings;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            bindings.emplace(dimensions()[i].name, sizes[i]);
        return bindings;
    }
    [[nodiscard]] std::string sizesText(const Sizes &sizes) const
    {
        std::vector<std::string> each;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            each.push_back(format("{} = {}", dimensions()[i].name, sizes[i]));
        return join(each, ", ", [](const std::string &text) { return text; });
    }

    // Without 1, which is special to many operators.
    [[nodiscard]] std::int64_t within(std::size_t dimension, std::int64_t size) const
    {
        const std::int64_t low = std::max<std::int64_t>(dimensions()[dimension].low, 2);
        return std::clamp(size, low, std::max(low, dimensions()[dimension].high));
    }

    // ---- the same graph for some sizes
    [[nodiscard]] Result<Graph> graphAt(const Sizes &sizes) const
    {
        Result<Graph> graph = m_graphOf(sizes);
        if (graph)
            return graph;
        const Diagnostic &why = graph.error().front();
        return Diagnostic::error(Code::Unsupported, why.where, "there is no program for {}: {}", sizesText(sizes), why.message);
    }

    Result<Done> makeSamples()
    {
        for (std::size_t i = 0; i < dimensions().size(); ++i) {
            const std::int64_t least = within(i, kFirstLeast + 2 * static_cast<std::int64_t>(i));
            m_samples.least.push_back(least == within(i, least + 1) ? within(i, least - 1) : least);
        }
        for (std::size_t subset = 0; subset < std::size_t{1} << dimensions().size(); ++subset) {
            Sizes sizes = m_samples.least;
            for (std::size_t i = 0; i < sizes.size(); ++i)
                sizes[i] += (subset >> i & 1U) != 0 ? 1 : 0;
            SW_TRY(Graph graph, graphAt(sizes));
            m_graphs.push_back(std::move(graph));
            m_sizes.push_back(std::move(sizes));
        }
        return Done{};
    }

    Result<Done> generalize()
    {
        m_nodes.clear();
        for (std::size_t i = 0; i < first().size(); ++i) {
            std::vector<const Node *> nodes;
            for (std::size_t subset = 0; subset < m_graphs.size(); ++subset) {
                if (i >= m_graphs[subset].size())
                    return differsAt(m_sizes[subset], i);
                nodes.push_back(&m_graphs[subset].nodes()[i]);
            }
            auto node = OpenNode::of(m_samples, nodes);
            if (!node)
                return differsAt(m_sizes.back(), i);
            m_nodes.push_back(std::move(*node));
        }
        for (std::size_t subset = 0; subset < m_graphs.size(); ++subset)
            if (const auto at = differenceFrom(m_graphs[subset], m_sizes[subset]))
                return differsAt(m_sizes[subset], *at);
        return Done{};
    }

    // ---- what the expressions say
    // The first node that is another one in the graph for these sizes.
    [[nodiscard]] std::optional<std::size_t> differenceFrom(const Graph &graph, const Sizes &sizes) const
    {
        const SymbolicBindings bindings = bindingsOf(sizes);
        for (std::size_t i = 0; i < std::min(m_nodes.size(), graph.size()); ++i) {
            const auto node = m_nodes[i].at(bindings);
            if (!node || !isSameOperation(*node, graph.nodes()[i]))
                return i;
        }
        return graph.size() == m_nodes.size() ? std::nullopt : std::optional(std::min(m_nodes.size(), graph.size()));
    }

    [[nodiscard]] bool isSameProgram(const Graph &graph, const Sizes &sizes) const
    {
        const SymbolicBindings bindings = bindingsOf(sizes);
        std::vector<Node> nodes;
        for (const OpenNode &open : m_nodes) {
            auto node = open.at(bindings);
            if (!node)
                return false;
            nodes.push_back(std::move(*node));
        }
        return isSameComputation(withoutIdentities(Graph(std::move(nodes), first().sourcesPtr())), withoutIdentities(graph));
    }

    Result<Done> checkAt(const Sizes &sizes)
    {
        if (!m_checked.insert(sizes).second)
            return Done{};
        SW_TRY(const Graph graph, graphAt(sizes));
        const auto at = differenceFrom(graph, sizes);
        if (at && !isSameProgram(graph, sizes))
            return differsAt(sizes, *at);
        return Done{};
    }

    Result<Done> checkBetween()
    {
        m_checked.insert(m_sizes.begin(), m_sizes.end());
        for (const std::int64_t size : kBetween) {
            Sizes sizes;
            for (std::size_t i = 0; i < dimensions().size(); ++i)
                sizes.push_back(within(i, size + static_cast<std::int64_t>(i))); // not all the same
            SW_CHECK(checkAt(sizes));
        }
        Sizes greatest;
        for (const SymbolicVariable &dimension : dimensions())
            greatest.push_back(dimension.high);
        return checkAt(greatest);
    }

    // Raises the bounds for which 1 is special; returns whether there are any.
    bool beginAtTwo()
    {
        Sizes least;
        std::vector<std::size_t> raised;
        std::size_t ones = 0;
        for (std::size_t i = 0; i < dimensions().size(); ++i) {
            least.push_back(dimensions()[i].low);
            if (dimensions()[i].low > 1)
                continue;
            Sizes sizes = m_samples.least;
            sizes[i] = 1;
            ++ones;
            if (checkAt(sizes))
                continue;
            raised.push_back(i);
            least[i] = 2;
        }
        if (ones > raised.size() && ones > 1 && !checkAt(least)) {
            raised.clear();
            for (std::size_t i = 0; i < dimensions().size(); ++i)
                if (dimensions()[i].low == 1)
                    raised.push_back(i);
        }
        for (const std::size_t i : raised)
            dimensions()[i].low = 2;
        return !raised.empty();
    }

    // ---- messages
    [[nodiscard]] const Graph &first() const { return m_graphs.front(); }
    [[nodiscard]] SourceRange placeOf(std::size_t node) const
    {
        return first().sources().programRange(first().nodes()[std::min(node, first().size() - 1)].origin);
    }
    [[nodiscard]] Diagnostic differsAt(const Sizes &sizes, std::size_t node) const
    {
        const SourceRange place = placeOf(node);
        return Diagnostic::error(Code::Unsupported, place, "for {} the program is another one at: {}", sizesText(sizes),
                                 lineText(first().sources(), place));
    }

    // ---- the graph
    // Where a dimension comes from: the input that has it, or else the program.
    [[nodiscard]] const Origin &originOf(const SymbolicVariable &dimension) const
    {
        for (const NodeId id : first().placeholders()) {
            const auto node = m_nodes[id.value].shape().symbolicExtents();
            for (const SymbolicExpr &extent : node)
                if (std::ranges::count(extent.variables(), dimension.name, &SymbolicVariable::name) > 0)
                    return first().node(id).origin;
        }
        return first().node(first().sink()).origin;
    }

    Result<DimensionNodes> declared(GraphBuilder &builder) const
    {
        DimensionNodes nodes;
        for (const SymbolicVariable &dimension : dimensions()) {
            const Origin &origin = originOf(dimension);
            SW_TRY(const NodeId declared, builder.dimension(origin, dimension));
            SW_TRY(const NodeId bound, builder.bind(origin, declared, dimension.low));
            nodes.emplace(dimension.name, bound);
        }
        return nodes;
    }

    Result<OpenGraph> written()
    {
        GraphBuilder builder(first().sourcesPtr());
        SW_TRY(const DimensionNodes dimensionNodes, declared(builder));
        std::vector<NodeId> made;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            const Node &node = first().nodes()[i];
            builder.setScope(node.scope);
            const std::size_t before = builder.size();
            Result<NodeId> added = m_nodes[i].addTo(builder, dimensionNodes, made);
            if (!added) {
                const SourceRange place = placeOf(i);
                return Diagnostic::error(Code::Unsupported, place, "{}, at: {}", added.error().front().message,
                                         lineText(first().sources(), place));
            }
            if (builder.size() == before)
                builder.mergeOrigin(*added, node.origin);
            else if (!node.name.empty())
                builder.setName(*added, node.name);
            made.push_back(*added);
        }
        OpenGraph open{std::move(builder).finishUnchecked(), std::move(made), std::move(dimensions())};
        SW_CHECK(verifyGraph(open.graph));
        return open;
    }

    SizeSamples m_samples;
    const GraphOfSizes &m_graphOf;
    std::vector<Graph> m_graphs; // by subset
    std::vector<Sizes> m_sizes;  // of the graphs
    std::vector<OpenNode> m_nodes;
    std::set<Sizes> m_checked;
};

} // namespace

Result<OpenGraph> openGraph(std::vector<SymbolicVariable> dimensions, const GraphOfSizes &graphOf)
{
    return GraphOpener(std::move(dimensions), graphOf).run();
}

} // namespace sw
