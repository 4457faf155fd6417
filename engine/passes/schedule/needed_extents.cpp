#include "engine/passes/schedule/needed_extents.h"

#include "engine/base/assert.h"
#include "engine/graph/dimension_terms.h"
#include "engine/types/reshape_runs.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace sw {

namespace {

// An end of more terms costs more to tell than it saves, and is taken for the whole extent.
constexpr std::size_t kMostTerms = 4;

NeededEnds wholeOf(const Shape &shape)
{
    NeededEnds ends;
    for (const std::int64_t extent : shape)
        ends.emplace_back(extent);
    return ends;
}

// The end where it is below the extent, else the extent.
SymbolicExpr within(Result<SymbolicExpr> end, std::int64_t extent)
{
    if (!end || end->terms().size() > kMostTerms)
        return extent;
    Result<SymbolicExpr> most = maximum(*end, 0);
    Result<SymbolicExpr> least = most ? minimum(*most, extent) : std::move(most);
    return least ? std::move(least).value() : SymbolicExpr(extent);
}

// An index past both of the ends is past the result.
SymbolicExpr united(const SymbolicExpr &a, const SymbolicExpr &b, std::int64_t extent)
{
    return a == b ? a : within(maximum(a, b), extent);
}

class Walk {
public:
    explicit Walk(const Graph &graph)
        : m_graph(graph),
          m_ends(graph.size()),
          m_hasCopies(std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Copy; }))
    {
    }

    // From the readers to what they read: a node's inputs precede it.
    std::vector<NeededEnds> run()
    {
        for (std::size_t i = m_graph.size(); i-- > 0;) {
            const Node &node = m_graph.nodes()[i];
            if (node.kind == NodeKind::Sink)
                needOutputs(node);
            else if (m_isNeeded.contains(NodeId(i)))
                needInputs(node, m_ends[i]);
        }
        return std::move(m_ends);
    }

private:
    [[nodiscard]] const Shape &shapeOf(NodeId node) const { return m_graph.node(node).shape; }

    void need(NodeId id, NeededEnds ends)
    {
        const Shape &shape = shapeOf(id);
        if (!m_isNeeded.insert(id).second)
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                ends[axis] = united(m_ends[id.value][axis], ends[axis], shape[axis]);
        m_ends[id.value] = std::move(ends);
    }
    void needWhole(NodeId id) { need(id, wholeOf(shapeOf(id))); }

    void needOutputs(const Node &sink)
    {
        const auto &shapes = attributesOf<SinkAttributes>(sink).shapes;
        for (std::size_t i = 0; i < sink.inputs.size(); ++i) {
            const Shape &held = shapeOf(sink.inputs[i]);
            const bool isKnown = i < shapes.size() && shapes[i].largest() == held;
            need(sink.inputs[i], isKnown ? shapes[i].symbolicExtents() : wholeOf(held));
        }
    }

    void needInputs(const Node &node, const NeededEnds &ends)
    {
        switch (familyOf(node.kind)) {
        case NodeFamily::Leaf:
            return;
        case NodeFamily::Elementwise:
            needOperands(node, ends);
            return;
        case NodeFamily::Movement:
            need(node.inputs[0], beforeMovement(node, ends));
            return;
        case NodeFamily::Reduce: {
            NeededEnds read = ends;
            for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
                read[axis] = shapeOf(node.inputs[0])[axis];
            if (!m_hasCopies) // else its kernel may be on a device that does not have the dimension
                for (const BelowEnd &below : maskedEndsOf(m_graph, node)) // an axis of one element has no loop that could end
                    if (shapeOf(node.inputs[0])[below.axis] > 1)
                        read[below.axis] = within(minimum(read[below.axis], below.end), shapeOf(node.inputs[0])[below.axis]);
            need(node.inputs[0], std::move(read));
            return;
        }
        case NodeFamily::Indexing:
            needLookup(node, ends);
            return;
        case NodeFamily::Structural:
        case NodeFamily::Composite:
        case NodeFamily::Marker:
        case NodeFamily::Root:
            needSame(node, ends);
            return;
        }
        SW_UNREACHABLE();
    }

    // What where() chooses is needed only where it is chosen.
    void needOperands(const Node &node, const NeededEnds &ends)
    {
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (shapeOf(node.inputs[i]) != node.shape) {
                needWhole(node.inputs[i]);
                continue;
            }
            NeededEnds read = ends;
            if (node.kind == NodeKind::Ternary && node.op == Op::Where && i == 1)
                for (const BelowEnd &below : belowEndsOf(m_graph, node.inputs[0]))
                    read[below.axis] = within(minimum(read[below.axis], below.end), node.shape[below.axis]);
            need(node.inputs[i], std::move(read));
        }
    }

    [[nodiscard]] NeededEnds beforeMovement(const Node &node, const NeededEnds &ends) const
    {
        const Shape &from = shapeOf(node.inputs[0]);
        NeededEnds read = wholeOf(from);
        switch (infoOf(node.kind).movement) {
        case Movement::Reshape:
            return beforeReshape(node.shape, ends, from);
        case Movement::Permute:
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                read[attributesOf<AxesAttributes>(node).axes[axis]] = ends[axis];
            return read;
        case Movement::Expand:
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                if (from[axis] == node.shape[axis])
                    read[axis] = ends[axis];
            return read;
        case Movement::Shrink:
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                read[axis] = within(add(ends[axis], attributesOf<ShrinkAttributes>(node).begin[axis]), from[axis]);
            return read;
        case Movement::Pad:
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                read[axis] = within(subtract(ends[axis], attributesOf<PadAttributes>(node).before[axis]), from[axis]);
            return read;
        case Movement::Flip: {
            const auto &flipped = attributesOf<AxesAttributes>(node).axes;
            for (std::size_t axis = 0; axis < ends.size(); ++axis)
                if (std::ranges::find(flipped, axis) == flipped.end())
                    read[axis] = ends[axis];
            return read;
        }
        case Movement::Identity:
            return ends;
        case Movement::View:
            return beforeView(attributesOf<ViewAttributes>(node), ends, from);
        case Movement::None:
            return read;
        }
        SW_UNREACHABLE();
    }

    // In a run of axes that changes, the outermost one alone tells where the needed elements end.
    static NeededEnds beforeReshape(const Shape &shape, const NeededEnds &ends, const Shape &from)
    {
        NeededEnds read = wholeOf(from);
        if (shape.isEmpty())
            return read;
        const auto elementsBehind = [](const Shape &of, AxisRun run) {
            std::int64_t elements = 1;
            for (std::size_t axis = run.begin + 1; axis < run.end; ++axis)
                elements *= of[axis];
            return elements;
        };
        auto [run, other] = nextRuns(shape, from, {}, {});
        while (run.begin != run.end) {
            const std::int64_t step = elementsBehind(from, other);
            Result<SymbolicExpr> flat = multiply(ends[run.begin], elementsBehind(shape, run));
            Result<SymbolicExpr> up = flat ? add(*flat, step - 1) : std::move(flat);
            read[other.begin] = within(up ? divide(*up, step) : std::move(up), from[other.begin]);
            std::tie(run, other) = nextRuns(shape, from, run, other);
        }
        return read;
    }

    // The outermost axis alone tells where the elements end that are read in the order of the strides.
    static NeededEnds beforeView(const ViewAttributes &view, const NeededEnds &ends, const Shape &from)
    {
        NeededEnds read = wholeOf(from);
        std::size_t outermost = 0;
        while (outermost < from.rank() && from[outermost] == 1)
            ++outermost;
        if (outermost == from.rank() || from.isEmpty())
            return read;
        Result<SymbolicExpr> highest = SymbolicExpr(view.offset);
        for (std::size_t axis = 0; axis < ends.size() && highest; ++axis) {
            if (view.strides[axis] <= 0)
                continue; // its first element is the highest
            Result<SymbolicExpr> last = subtract(ends[axis], 1);
            Result<SymbolicExpr> step = last ? multiply(*last, view.strides[axis]) : std::move(last);
            highest = step ? add(*highest, *step) : std::move(step);
        }
        Result<SymbolicExpr> row = highest ? divide(*highest, rowMajorStrides(from)[outermost]) : std::move(highest);
        read[outermost] = within(row ? add(*row, 1) : std::move(row), from[outermost]);
        return read;
    }

    // Every index is checked, also at points that nobody needs: so all indices must be there.
    void needLookup(const Node &node, const NeededEnds &ends)
    {
        for (std::size_t i = 1; i < node.inputs.size(); ++i)
            needWhole(node.inputs[i]);
        if (node.kind != NodeKind::Gather) {
            needWhole(node.inputs[0]);
            return;
        }
        const Shape &source = shapeOf(node.inputs[0]);
        const std::size_t along = attributesOf<AxisAttributes>(node).axis;
        NeededEnds read = wholeOf(source);
        for (std::size_t axis = 0; axis < ends.size(); ++axis)
            if (axis != along && source[axis] == node.shape[axis])
                read[axis] = ends[axis];
        if (const auto bound = strictBoundOf(m_graph, node.inputs[1]))
            read[along] = within(*bound, source[along]);
        need(node.inputs[0], std::move(read));
    }

    // A node that hands its inputs on as they are; of any other, all that they hold is needed.
    void needSame(const Node &node, const NeededEnds &ends)
    {
        const bool isSame = node.kind == NodeKind::Contiguous || node.kind == NodeKind::Copy || node.kind == NodeKind::Kernel ||
                            node.kind == NodeKind::Noop || node.kind == NodeKind::Unique;
        const bool isJoint = node.kind == NodeKind::Cat;
        for (const NodeId input : node.inputs) {
            if (isSame && shapeOf(input) == node.shape) {
                need(input, ends);
                continue;
            }
            NeededEnds read = wholeOf(shapeOf(input));
            if (isJoint)
                for (std::size_t axis = 0; axis < ends.size(); ++axis)
                    if (axis != attributesOf<AxisAttributes>(node).axis)
                        read[axis] = ends[axis];
            need(input, std::move(read));
        }
    }

    const Graph &m_graph;
    std::vector<NeededEnds> m_ends;
    std::set<NodeId> m_isNeeded;
    bool m_hasCopies = false;
};

} // namespace

NeededExtents::NeededExtents(const Graph &graph)
{
    for (const NodeId id : graph.placeholders())
        if (const auto &dimension = attributesOf<PlaceholderAttributes>(graph.node(id)).dimension)
            m_dimensions.emplace_back(dimension->name, id);
    if (m_dimensions.empty())
        return;
    m_ends = Walk(graph).run();
    for (std::size_t i = 0; i < m_ends.size(); ++i) // of these, all is needed
        if (std::ranges::all_of(m_ends[i], [](const SymbolicExpr &end) { return end.isConstant(); }))
            m_ends[i].clear();
}

const NeededEnds *NeededExtents::of(NodeId node) const
{
    return m_ends.empty() || m_ends[node.value].empty() ? nullptr : &m_ends[node.value];
}

NodeId NeededExtents::dimension(const std::string &name) const
{
    const auto found = std::ranges::find(m_dimensions, name, &std::pair<std::string, NodeId>::first);
    return found == m_dimensions.end() ? NodeId() : found->second;
}

} // namespace sw
