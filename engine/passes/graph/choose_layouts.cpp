#include "engine/passes/graph/choose_layouts.h"

#include "engine/passes/graph/image_groups.h"
#include "engine/passes/graph/permuted_values.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kLeastConvolutionRank = 6; // images, groups, outputs, a place, channels, a place in the window

class LayoutMaker {
public:
    LayoutMaker(const Graph &graph, std::span<const ImageGroup> groups)
        : m_graph(graph),
          m_isByPixel(graph.size(), false),
          m_stored(graph.size()),
          m_builder(graph),
          m_values(graph, m_builder, m_made)
    {
        for (const ImageGroup &group : groups)
            for (const NodeId image : group.images)
                m_isByPixel[image.value] = true;
    }

    Result<Graph> run()
    {
        m_made.reserve(m_graph.size());
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Node &node = m_graph.nodes()[i];
            m_made.push_back(m_builder.addUnchecked(node.readingFrom(m_made))); // nobody may read it in the end
            if (!m_isByPixel[i])
                continue;
            const AxisOrder order = channelsLastOrder(node.shape.rank());
            SW_TRY(m_stored[i], m_values.at(NodeId(i), order));
            m_values.keep(NodeId(i), order, m_stored[i]);
            m_builder.setScope(node.scope);
            SW_TRY(m_made.back(), m_builder.permute(node.origin, m_stored[i], inverseOf(order)));
        }
        return withoutUnread(std::move(m_builder).finishUnchecked());
    }

    // What became of an image of a group.
    [[nodiscard]] NodeId storedAs(NodeId image) const { return m_stored[image.value]; }

private:
    // What only the other order needed goes.
    Graph withoutUnread(const Graph &all)
    {
        std::vector<bool> isRead(all.size(), false);
        for (std::size_t i = all.size(); i-- > 0;) {
            const Node &node = all.nodes()[i];
            isRead[i] = isRead[i] || node.kind == NodeKind::Sink || familyOf(node.kind) == NodeFamily::Leaf ||
                        node.kind == NodeKind::Bind;
            if (isRead[i])
                for (const NodeId input : node.inputs)
                    isRead[input.value] = true;
        }
        GraphBuilder builder(all);
        std::vector<NodeId> kept(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            if (isRead[i])
                kept[i] = builder.addUnchecked(all.nodes()[i].readingFrom(kept));
        for (NodeId &stored : m_stored)
            stored = stored.isValid() ? kept[stored.value] : stored;
        return std::move(builder).finishUnchecked();
    }

    const Graph &m_graph;
    std::vector<bool> m_isByPixel; // by node
    std::vector<NodeId> m_stored;  // by node
    GraphBuilder m_builder;
    std::vector<NodeId> m_made;
    PermutedValues m_values;
};

RewriteDetail detailOf(const ImageGroup &group, const LayoutMaker &maker)
{
    RewriteDetail detail{format(
        "{} values pixel by pixel: saves {:.1f} us of copies (convolutions: {} of 1 x 1, {} by channel), costs "
        "{:.1f} us across the memory",
        group.images.size(), group.savedNanoseconds / 1000, group.products, group.byChannel, group.costNanoseconds / 1000)};
    for (const NodeId image : group.images) {
        detail.before.push_back(image.value);
        if (const NodeId stored = maker.storedAs(image); stored.isValid())
            detail.after.push_back(stored.value);
    }
    return detail;
}

// Few programs have any, and the others need not be looked at further.
bool mayHaveConvolutions(const Graph &graph)
{
    return std::ranges::any_of(graph.nodes(), [](const Node &node) {
        return node.kind == NodeKind::ReduceAxis && node.op == Op::Add && node.shape.rank() >= kLeastConvolutionRank;
    });
}

} // namespace

Result<std::optional<Graph>> chooseLayouts(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || !context.options().layouts || context.device().kind != DeviceKind::Cpu ||
        context.deviceCount() > 1 || !mayHaveConvolutions(graph))
        return std::optional<Graph>();
    std::vector<ImageGroup> groups = imageGroupsOf(graph, context.device());
    std::erase_if(groups, [](const ImageGroup &group) { return group.savedNanoseconds <= group.costNanoseconds; });
    groups.resize(std::min(groups.size(), context.rewritesLeft()));
    if (groups.empty())
        return std::optional<Graph>();
    LayoutMaker maker(graph, groups);
    SW_TRY(Graph made, maker.run());
    for (const ImageGroup &group : groups)
        context.record("channels-last", [&] { return detailOf(group, maker); });
    return std::optional(std::move(made));
}

} // namespace sw
