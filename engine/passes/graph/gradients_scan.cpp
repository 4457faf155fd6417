#include "engine/passes/graph/gradients_scan.h"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>

namespace sw {

namespace {

constexpr const char *kDoc =
    "A scan of the same steps backwards, which computes each of them again from the states that it began "
    "with, and carries their adjoints.";
constexpr std::array kScanGradients = {
    GradientRule{NodeKind::ScanLast, kDoc, nullptr},
    GradientRule{NodeKind::ScanRows, kDoc, nullptr},
};

class ScanReversal {
public:
    ScanReversal(const ScanWalk &walk, std::uint32_t scan, const Origin &origin)
        : m_walk(walk),
          m_builder(walk.builder),
          m_index(scan),
          m_scan(walk.scans.scans[scan]),
          m_origin(origin),
          m_number(unusedScanNumber(walk.builder))
    {
    }

    Result<std::vector<AdjointSeed>> run(std::span<const AdjointSeed> given)
    {
        if (m_scan.condition != kNoCondition)
            return Diagnostic::error(Code::Unsupported, {},
                                     "there is no gradient of a loop that ends when its condition no longer holds: it would need "
                                     "the states of all steps, and nobody knows how many there will be");
        m_builder.setScope(m_walk.scopes.gradientScope());
        SW_CHECK(startCarries(given));
        SW_CHECK(sliceRows(given));
        SW_CHECK(readStep());
        m_first = NodeId(m_builder.size()); // the walk ends at what the step reads
        SW_CHECK(copyBody());
        SW_CHECK(walkBody());
        return contributions();
    }

private:
    // An adjoint that is handed on from step to step, of a carried value or of one from outside of the body.
    struct Carried {
        NodeId of;      // the node whose adjoint is wanted in the end; invalid: nobody's
        NodeId adjoint; // what each step begins with
        NodeId next;
    };

    [[nodiscard]] bool isWanted(NodeId id) const
    {
        return id.isValid() && id.value < m_walk.isActive.size() && m_walk.isActive[id.value] &&
               isFloat(m_builder.node(id).dtype);
    }
    [[nodiscard]] bool isInBody(NodeId id) const { return m_walk.scans.bodyOf(id) == m_index; }
    [[nodiscard]] ScanAttributes attributes(std::int64_t index = 0, bool isReversed = false) const
    {
        return {.scan = m_number, .steps = m_scan.steps, .index = index, .isReversed = isReversed};
    }
    [[nodiscard]] NodeId copyOf(NodeId id) const
    {
        const auto found = m_copies.find(id);
        return found == m_copies.end() ? id : found->second;
    }

    Result<NodeId> zerosLike(NodeId id)
    {
        const Scalar zero = Scalar::of(m_builder.node(id).dtype, std::int64_t{0});
        const Shape shape = m_builder.node(id).shape;
        return m_builder.full(m_origin, zero, shape);
    }

    Result<NodeId> sum(NodeId a, NodeId b) { return m_builder.elementwise(m_origin, Op::Add, std::array{a, b}); }

    // The adjoint of a carried value begins, in the last step, as that of the scan's last value.
    Result<Done> startCarries(std::span<const AdjointSeed> given)
    {
        for (std::size_t i = 0; i < m_scan.nexts.size(); ++i) {
            const NodeId carry = i < m_scan.carries.size() ? m_scan.carries[i] : NodeId();
            if (!isWanted(m_scan.nexts[i]) && !isWanted(carry))
                continue;
            SW_TRY(const NodeId initial, lastAdjoint(given, i));
            SW_TRY(const NodeId adjoint,
                   m_builder.scanCarry(m_origin, initial, attributes(static_cast<std::int64_t>(m_carried.size()))));
            m_carried.push_back({carry, adjoint, {}});
            if (isWanted(m_scan.nexts[i]))
                m_seeds.push_back({m_scan.nexts[i], adjoint});
        }
        return Done{};
    }

    Result<NodeId> lastAdjoint(std::span<const AdjointSeed> given, std::size_t index)
    {
        NodeId total;
        for (const AdjointSeed &result : given) {
            const Node &node = m_builder.node(result.id);
            if (node.kind != NodeKind::ScanLast || static_cast<std::size_t>(scanAttributesOf(node).index) != index)
                continue;
            if (!total.isValid()) {
                total = result.adjoint;
                continue;
            }
            SW_TRY(total, sum(total, result.adjoint));
        }
        if (total.isValid())
            return total;
        return zerosLike(m_scan.nexts[index]);
    }

    // In each step, the row of the adjoint that belongs to it.
    Result<Done> sliceRows(std::span<const AdjointSeed> given)
    {
        for (const AdjointSeed &result : given) {
            const Node &node = m_builder.node(result.id);
            if (node.kind != NodeKind::ScanRows || !isWanted(node.inputs.back()))
                continue;
            const NodeId row = node.inputs.back();
            SW_TRY(const NodeId adjoint,
                   m_builder.scanSlice(m_origin, result.adjoint, attributes(0, !scanAttributesOf(node).isReversed)));
            m_seeds.push_back({row, adjoint});
        }
        return Done{};
    }

    [[nodiscard]] Origin originOf(const Node &node) const { return Origin::merged(node.origin, m_origin); }

    // What the step began with, and the parts that it read.
    Result<Done> readStep()
    {
        for (const NodeId carry : m_scan.carries)
            if (carry.isValid()) {
                m_builder.setScope(m_walk.scopes.backwardOf(m_builder.node(carry).scope));
                SW_TRY(m_copies[carry], keptState(carry));
            }
        for (const NodeId slice : m_scan.slices) {
            const Node node = m_builder.node(slice);
            m_builder.setScope(m_walk.scopes.backwardOf(node.scope));
            const bool isReversed = !scanAttributesOf(node).isReversed;
            SW_TRY(m_copies[slice], m_builder.scanSlice(originOf(node), node.inputs[0], attributes(0, isReversed)));
        }
        return Done{};
    }

    Result<Done> copyBody()
    {
        for (std::size_t i = 0; i < m_walk.scans.bodies.size(); ++i) {
            const NodeId id(i);
            if (!isInBody(id) || isOfScan(m_builder.node(id).kind))
                continue;
            const std::vector<NodeId> inputs(m_builder.node(id).inputs.begin(), m_builder.node(id).inputs.end());
            for (const NodeId input : inputs)
                reach(input);
            addCopy(id);
        }
        for (const AdjointSeed &seed : m_seeds)
            reach(seed.id);
        return Done{};
    }

    void addCopy(NodeId id)
    {
        Node copy = m_builder.node(id);
        for (NodeId &input : copy.inputs)
            input = copyOf(input);
        copy.origin = originOf(copy);
        copy.scope = m_walk.scopes.backwardOf(copy.scope);
        m_copies[id] = m_builder.addUnchecked(std::move(copy));
    }

    // The walk goes on through movement outside of the body: a sum over what is repeated is smaller than what it sums up.
    void reach(NodeId id)
    {
        std::vector<NodeId> moved;
        while (!isInBody(id) && !m_copies.contains(id) && isWanted(id)) {
            const Node &node = m_builder.node(id);
            const bool isAskedFor = std::ranges::find(m_walk.wanted, id) != m_walk.wanted.end();
            if (isAskedFor || familyOf(node.kind) != NodeFamily::Movement || !isWanted(node.inputs[0])) {
                if (std::ranges::find(m_outside, id) == m_outside.end())
                    m_outside.push_back(id);
                break;
            }
            moved.push_back(id);
            id = node.inputs[0];
        }
        for (const NodeId each : std::views::reverse(moved))
            addCopy(each);
    }

    // What a step of the forward scan began with, as the same step backwards reads it.
    Result<NodeId> keptState(NodeId carry)
    {
        const Origin origin = originOf(m_builder.node(carry));
        ScanAttributes forward = scanAttributesOf(m_builder.node(carry));
        forward.index = 0;
        SW_TRY(const NodeId kept, m_builder.scanRows(origin, m_scan.nexts, carry, forward));
        return m_builder.scanSlice(origin, kept, attributes(0, true));
    }

    Result<Done> walkBody()
    {
        m_builder.setScope(m_walk.scopes.gradientScope());
        std::vector<NodeId> wanted; // by m_carried, those of carried values; then by m_slices; then by m_outside
        for (const Carried &carried : m_carried)
            wanted.push_back(isWanted(carried.of) ? copyOf(carried.of) : NodeId());
        for (const NodeId slice : m_scan.slices)
            if (isWanted(slice))
                m_slices.push_back(slice);
        for (const NodeId slice : m_slices)
            wanted.push_back(copyOf(slice));
        wanted.insert(wanted.end(), m_outside.begin(), m_outside.end());
        SW_TRY(const std::vector<NodeId> found, adjointsOf(wanted));
        std::size_t at = 0;
        for (Carried &carried : m_carried) {
            carried.next = found[at++];
            if (carried.next.isValid())
                continue;
            SW_TRY(carried.next, zerosLike(carried.adjoint));
        }
        for (std::size_t i = 0; i < m_slices.size(); ++i)
            m_sliceAdjoints.push_back(found[at++]);
        for (const NodeId outside : m_outside) {
            const NodeId made = found[at++];
            if (!made.isValid())
                continue;
            SW_TRY(const NodeId zeros, zerosLike(outside));
            SW_TRY(const NodeId total,
                   m_builder.scanCarry(m_origin, zeros, attributes(static_cast<std::int64_t>(m_carried.size()))));
            SW_TRY(const NodeId next, sum(total, made));
            m_carried.push_back({outside, total, next});
        }
        return Done{};
    }

    // Invalid where there is none, or no node.
    Result<std::vector<NodeId>> adjointsOf(const std::vector<NodeId> &nodes)
    {
        std::vector<NodeId> adjoints(nodes.size());
        if (m_seeds.empty())
            return adjoints;
        SweepRequest request{.loss = NodeId(m_builder.size() - 1), .weights = {}, .wanted = {}, .origin = m_origin};
        for (const AdjointSeed &seed : m_seeds)
            request.seeds.push_back({copyOf(seed.id), seed.adjoint});
        request.first = m_first;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].isValid()) {
                request.wanted.push_back(nodes[i]);
                places.push_back(i);
            }
        SW_TRY(const auto found,
               BackwardSweep(m_builder, m_walk.scopes, m_walk.originals, m_walk.context, std::move(request)).run());
        for (std::size_t i = 0; i < places.size(); ++i)
            adjoints[places[i]] = found[i].value_or(NodeId());
        return adjoints;
    }

    Result<std::vector<AdjointSeed>> contributions()
    {
        m_builder.setScope(m_walk.scopes.gradientScope());
        std::vector<NodeId> nexts;
        for (const Carried &carried : m_carried)
            nexts.push_back(carried.next);
        std::vector<AdjointSeed> made;
        for (std::size_t i = 0; i < m_carried.size(); ++i) {
            const NodeId of = m_carried[i].of;
            if (!of.isValid())
                continue;
            const bool isCarry = isInBody(of);
            const NodeId target = isCarry ? m_builder.node(of).inputs[0] : of;
            if (!isWanted(target))
                continue;
            SW_TRY(const NodeId last, m_builder.scanLast(m_origin, nexts, attributes(static_cast<std::int64_t>(i))));
            made.push_back({target, last});
        }
        for (std::size_t i = 0; i < m_slices.size(); ++i) {
            const Node &slice = m_builder.node(m_slices[i]);
            const NodeId target = slice.inputs[0];
            if (!m_sliceAdjoints[i].isValid() || !isWanted(target))
                continue;
            const bool isReversed = !scanAttributesOf(slice).isReversed;
            SW_TRY(const NodeId rows, m_builder.scanRows(m_origin, nexts, m_sliceAdjoints[i], attributes(0, isReversed)));
            made.push_back({target, rows});
        }
        return made;
    }

    const ScanWalk &m_walk;
    GraphBuilder &m_builder;
    std::uint32_t m_index;
    Scan m_scan;
    Origin m_origin;
    std::int64_t m_number;
    NodeId m_first; // of the copies
    std::vector<Carried> m_carried;
    std::vector<AdjointSeed> m_seeds; // for nodes of the forward body
    std::map<NodeId, NodeId> m_copies;
    std::vector<NodeId> m_outside; // read by the body
    std::vector<NodeId> m_slices;  // that gradients go through
    std::vector<NodeId> m_sliceAdjoints;
};

} // namespace

Result<std::vector<AdjointSeed>> reverseScan(const ScanWalk &walk, std::uint32_t scan, std::span<const AdjointSeed> given,
                                             const Origin &origin)
{
    return ScanReversal(walk, scan, origin).run(given);
}

std::span<const GradientRule> scanGradients()
{
    return kScanGradients;
}

} // namespace sw
