#include "engine/passes/graph/split_pairs.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/pair_rules.h"
#include "engine/passes/graph/split_weighted_sums.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace sw {

namespace {

// A part down the columns: so many steps of a tile of columns stay in the first level of the cache.
constexpr std::int64_t kPartSteps = 32;
constexpr std::int64_t kFarBytes = 1024;
constexpr std::int64_t kFewestParts = 4;
constexpr std::int64_t kSearchFactor = 4;

struct Parts {
    std::size_t axis = 0;    // the first of the reduced axes
    std::size_t axes = 1;    // so many neighbouring axes are reduced
    std::int64_t extent = 1; // of them together
    std::int64_t steps = 1;  // of a part; the last part has what is left over
};

// A number of steps near the wanted one that divides the extent, if there is one.
std::int64_t stepsNear(std::int64_t extent, std::int64_t wanted)
{
    for (std::int64_t steps = wanted; steps >= std::max<std::int64_t>(wanted / kSearchFactor, 1); --steps)
        if (extent % steps == 0)
            return steps;
    return wanted;
}

// How the first reduction is done in parts; nothing where it is no neighbouring axes, or where the caches keep what it reads.
std::optional<Parts> partsOf(const Node &reduction, const Node &input, const DeviceInfo &device)
{
    const std::vector<std::size_t> &axes = attributesOf<AxesAttributes>(reduction).axes;
    if (input.shape.isEmpty() || axes.empty() || axes.back() - axes.front() + 1 != axes.size())
        return std::nullopt;
    Parts parts{.axis = axes.front(), .axes = axes.size(), .extent = input.shape.elements() / reduction.shape.elements()};
    std::int64_t inner = 1; // elements from one step to the next
    for (std::size_t axis = axes.back() + 1; axis < input.shape.rank(); ++axis)
        inner *= input.shape[axis];
    const std::int64_t bytes = bytesOf(input.dtype);
    const bool isFar = inner * bytes >= kFarBytes;
    if (inner > 1 && !isFar)
        return std::nullopt;
    const std::int64_t read = isFar ? input.shape.elements() : parts.extent;
    if (read * bytes <= device.cacheBytesPerCore)
        return std::nullopt;
    // A part along the rows of memory is half of the first level, so that the second reduction finds it there.
    parts.steps = stepsNear(parts.extent, isFar ? kPartSteps : std::max<std::int64_t>(device.firstLevelBytes / 2 / bytes, 1));
    return parts.extent / parts.steps < kFewestParts ? std::nullopt : std::optional(parts);
}

// Whether the threads have enough to do without parts, so that a kernel whose loops are joined reads each element once: rows, of
// which a core reads several at a time, or columns, of which it goes through many at a time.
bool canBeOnePass(const Node &reduction, const Node &input, const Parts &parts, const DeviceInfo &device)
{
    constexpr std::int64_t kRows = 4;
    constexpr std::int64_t kColumns = 8; // vectors of them
    std::int64_t inner = 1;
    for (std::size_t axis = parts.axis + parts.axes; axis < input.shape.rank(); ++axis)
        inner *= input.shape[axis];
    const std::int64_t results = reduction.shape.elements();
    const std::int64_t threads = device.threads;
    if (inner == 1)
        return results >= kRows * threads;
    const std::int64_t lanes = std::max<std::int64_t>(device.vectorBytes / bytesOf(computeType(input.dtype)), 1);
    return results / inner >= threads || inner / (kColumns * lanes) >= threads;
}

// The first reduction of some parts of equal length: elements [begin, end) of the reduced axes.
struct Piece {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t steps = 1;
    NodeId first = {}; // [.., parts, 1, ..]
};

class PairSplitter {
public:
    PairSplitter(const Graph &graph, PassContext &context) : m_graph(graph), m_context(context), m_builder(graph) {}

    Result<std::optional<Graph>> run()
    {
        findPairs();
        if (m_pairs.empty())
            return std::optional<Graph>();
        const std::size_t before = m_context.rewrites().size();
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
            m_builder.setScope(m_graph.node(NodeId(i)).scope);
            SW_TRY(const NodeId made, rebuilt(NodeId(i)));
            m_made.push_back(made);
        }
        if (m_context.rewrites().size() == before)
            return std::optional<Graph>();
        return std::optional(std::move(m_builder).finishUnchecked());
    }

private:
    struct Pair {
        const PairRule *rule = nullptr;
        NodeId first;
        PairValues values;
    };

    void findPairs()
    {
        // A kernel that the program asks for is not taken apart.
        const std::vector<NodeId> kernels = kernelsAround(m_graph);
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            const Node &second = m_graph.node(NodeId(i));
            if (second.kind != NodeKind::ReduceAxis || kernels[i].isValid())
                continue;
            for (const NodeId first : reductionsUnder(second.inputs.front()))
                if (!kernels[first.value].isValid() && findPair(NodeId(i), first))
                    break;
        }
    }

    // The reductions that the operand needs, a few steps away.
    [[nodiscard]] std::vector<NodeId> reductionsUnder(NodeId operand) const
    {
        constexpr std::size_t kMost = 24; // nodes: the longest operand of a rule has fewer
        std::vector<NodeId> found;
        std::vector<NodeId> seen{operand};
        for (std::size_t i = 0; i < seen.size() && i < kMost; ++i) {
            const Node &node = m_graph.node(seen[i]);
            if (node.kind == NodeKind::ReduceAxis)
                found.push_back(seen[i]);
            const bool goesOn = familyOf(node.kind) == NodeFamily::Elementwise || familyOf(node.kind) == NodeFamily::Movement;
            for (const NodeId input : node.inputs)
                if (goesOn && std::ranges::find(seen, input) == seen.end())
                    seen.push_back(input);
        }
        return found;
    }

    // Whether what stands between the reductions serves the second one alone. Else it is stored for the others, and the two are
    // kernels of their own.
    [[nodiscard]] bool isReadOnlyBy(NodeId second, NodeId first)
    {
        if (m_users.empty())
            m_users = m_graph.users();
        const NodeId x = m_graph.node(first).inputs.front();
        std::vector<NodeId> between{second};
        for (std::size_t i = 0; i < between.size(); ++i)
            for (const NodeId input : m_graph.node(between[i]).inputs)
                if (input != x && m_graph.node(input).shape == m_graph.node(x).shape &&
                    std::ranges::find(between, input) == between.end())
                    between.push_back(input);
        const auto isAmong = [&](NodeId user) { return std::ranges::find(between, user) != between.end(); };
        return std::ranges::all_of(between, [&](NodeId id) {
            const bool isView = familyOf(m_graph.node(id).kind) == NodeFamily::Movement;
            return id == second || isView || std::ranges::all_of(m_users[id.value], isAmong);
        });
    }

    bool findPair(NodeId id, NodeId firstId)
    {
        const Node &second = m_graph.node(id);
        const Node &first = m_graph.node(firstId);
        const Node &input = m_graph.node(first.inputs.front());
        const bool sameAxes = attributesOf<AxesAttributes>(first).axes == attributesOf<AxesAttributes>(second).axes &&
                              input.shape == m_graph.node(second.inputs.front()).shape;
        const bool isRounded = roundsEachStep(first.op, first.dtype) || roundsEachStep(second.op, second.dtype);
        const bool isNarrow = isRounded && (computeType(first.dtype) != first.dtype || computeType(second.dtype) != second.dtype);
        if (!sameAxes || isNarrow || (isRounded && m_context.options().strict))
            return false;
        const std::optional<Parts> parts = partsOf(first, input, m_context.device());
        if (!parts)
            return false;
        for (const PairRule &rule : pairRules()) {
            if (rule.first != first.op || rule.second != second.op)
                continue;
            if (rule.isCarried && isReadOnlyBy(id, firstId) && canBeOnePass(first, input, *parts, m_context.device()))
                continue;
            if (const std::optional<PairValues> values = rule.match(m_graph, second.inputs.front(), first)) {
                m_pairs.emplace(id, Pair{&rule, firstId, *values});
                m_firsts.emplace(firstId, *parts);
                return true;
            }
        }
        return false;
    }

    Result<NodeId> rebuilt(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const auto first = m_firsts.find(id);
        const auto pair = m_pairs.find(id);
        const bool isFirst = first != m_firsts.end();
        const bool isSecond = pair != m_pairs.end() && m_pieces.contains(pair->second.first);
        if ((!isFirst && !isSecond) || !m_context.mayRewrite())
            return m_builder.addUnchecked(node.readingFrom(m_made));
        const std::size_t rewrite = m_context.rewrites().size();
        m_context.record(isSecond ? pair->second.rule->id : "first-in-parts", [&] {
            const Parts &parts = m_firsts.at(isSecond ? pair->second.first : id);
            return RewriteDetail{format("{} over {} elements in parts of {}", nameOf(node.op), parts.extent, parts.steps),
                                 {id.value}};
        });
        SW_TRY(const NodeId made, isSecond ? secondInParts(node, pair->second) : firstInParts(id, first->second));
        if (m_builder.node(made).name.empty() && !node.name.empty())
            m_builder.setName(made, node.name);
        m_builder.mergeOrigin(made, node.origin);
        m_context.rewrites().complete(rewrite, [&](RewriteEvent &event) { event.after = {made.value}; });
        return made;
    }

    // The elements [begin, end) along the reduced axes, which become two: parts and their steps. What has one element there, for
    // all parts, stays so.
    Result<NodeId> inParts(const Origin &origin, NodeId id, const Parts &parts, const Piece &piece)
    {
        const Shape from = m_builder.node(id).shape;
        std::vector<std::int64_t> flat;
        for (std::size_t axis = 0; axis < from.rank(); ++axis)
            if (axis <= parts.axis || axis >= parts.axis + parts.axes)
                flat.push_back(axis == parts.axis ? parts.extent : from[axis]);
        SW_TRY(NodeId made, m_builder.reshape(origin, id, Shape(flat)));
        if (piece.begin != 0 || piece.end != parts.extent) {
            ShrinkAttributes range{std::vector<std::int64_t>(flat.size(), 0), flat};
            range.begin[parts.axis] = piece.begin;
            range.end[parts.axis] = piece.end;
            SW_TRY(made, m_builder.shrink(origin, made, std::move(range)));
        }
        flat[parts.axis] = (piece.end - piece.begin) / piece.steps;
        flat.insert(flat.begin() + static_cast<std::ptrdiff_t>(parts.axis) + 1, piece.steps);
        return m_builder.reshape(origin, made, Shape(std::move(flat)));
    }

    // Combines the results of all parts of all pieces, which become one result of the node's shape.
    Result<NodeId> combined(const Node &node, const Parts &parts, const std::vector<NodeId> &pieces)
    {
        std::optional<NodeId> whole;
        for (const NodeId piece : pieces) {
            SW_TRY(const NodeId reduced, m_builder.reduce(node.origin, node.op, piece, {parts.axis}));
            SW_TRY(const NodeId one, m_builder.reshape(node.origin, reduced, node.shape));
            const std::array both{whole.value_or(one), one};
            SW_TRY(whole, whole ? m_builder.elementwise(node.origin, node.op, both) : Result<NodeId>(one));
        }
        return *whole;
    }

    Result<NodeId> firstInParts(NodeId id, const Parts &parts)
    {
        const Node node = m_graph.node(id).readingFrom(m_made);
        const std::int64_t even = parts.extent / parts.steps * parts.steps;
        std::vector<Piece> pieces{{0, even, parts.steps}};
        if (even < parts.extent)
            pieces.push_back({even, parts.extent, parts.extent - even});
        std::vector<NodeId> firsts;
        for (Piece &piece : pieces) {
            SW_TRY(const NodeId x, inParts(node.origin, node.inputs.front(), parts, piece));
            SW_TRY(piece.first, m_builder.reduce(node.origin, node.op, x, {parts.axis + 1}));
            firsts.push_back(piece.first);
        }
        m_pieces.emplace(id, std::move(pieces));
        return combined(node, parts, firsts);
    }

    Result<NodeId> secondInParts(const Node &node, const Pair &pair)
    {
        const Parts &parts = m_firsts.at(pair.first);
        const Node &first = m_graph.node(pair.first);
        const Shape ofParts = m_builder.node(m_pieces.at(pair.first).front().first).shape;
        std::vector<std::int64_t> one(ofParts.begin(), ofParts.end());
        one[parts.axis] = 1;
        SW_TRY(const NodeId whole, m_builder.reshape(node.origin, m_made[pair.first.value], Shape(std::move(one))));
        std::vector<NodeId> seconds;
        for (const Piece &piece : m_pieces.at(pair.first)) {
            PairValues values{.first = piece.first, .whole = whole, .elements = piece.steps, .all = parts.extent};
            SW_TRY(values.x, inParts(node.origin, m_made[first.inputs.front().value], parts, piece));
            if (pair.values.places.isValid()) {
                SW_TRY(values.places, inParts(node.origin, m_made[pair.values.places.value], parts, piece));
            }
            SW_TRY(const NodeId operand, pair.rule->operand(m_builder, node.origin, values));
            SW_TRY(const NodeId second, m_builder.reduce(node.origin, node.op, operand, {parts.axis + 1}));
            // Carrying it over needs the first reduction of the whole: the kernel that reads the parts ends here.
            SW_TRY(values.second, m_builder.contiguous(node.origin, second));
            SW_TRY(const NodeId carried, pair.rule->carried(m_builder, node.origin, values));
            seconds.push_back(carried);
        }
        return combined(node, parts, seconds);
    }

    const Graph &m_graph;
    std::vector<std::vector<NodeId>> m_users; // once somebody asks
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<NodeId> m_made;
    std::map<NodeId, Pair> m_pairs;                // by the second reduction
    std::map<NodeId, Parts> m_firsts;              // by the first one
    std::map<NodeId, std::vector<Piece>> m_pieces; // likewise, once it is rebuilt
};

} // namespace

Result<std::optional<Graph>> splitPairs(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || context.device().kind != DeviceKind::Cpu)
        return std::optional<Graph>();
    SW_TRY(std::optional<Graph> weighed, splitWeightedSums(graph, context));
    SW_TRY(std::optional<Graph> pairs, PairSplitter(weighed ? *weighed : graph, context).run());
    return pairs ? std::move(pairs) : std::move(weighed);
}

} // namespace sw
