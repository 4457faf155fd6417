#include "engine/passes/graph/image_groups.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/permuted_values.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace sw {

namespace {

constexpr std::size_t kLeastRank = 3;
constexpr std::size_t kMostRank = 5;
constexpr std::int64_t kChannelBytes = 32; // of a pixel: a multiple of so many, or else vectors are not whole
// Per byte of an image, measured on a Zen 1: what copies into panels and into channels with a border take, and what it takes to
// read across the memory.
constexpr double kCopyNanoseconds = 0.07;
constexpr double kAcrossNanoseconds = 0.25;

// Windows of an image that a reduction goes over, and the image that it makes.
struct WindowReduction {
    enum class Use : std::uint8_t { Product, ByChannel, Look, Other };
    NodeId view; // of the windows
    NodeId image;
    NodeId result;
    Use use = Use::Other;
};

class GroupFinder {
public:
    GroupFinder(const Graph &graph, const DeviceInfo &device)
        : m_graph(graph), m_readers(graph.size()), m_isKept(isInsideKernels(graph)), m_parents(graph.size())
    {
        std::vector<bool> isLive(graph.size(), false);
        isLive[graph.sink().value] = true;
        for (std::size_t i = graph.size(); i-- > 0;) {
            if (!isLive[i])
                continue;
            for (const NodeId input : graph.nodes()[i].inputs) {
                isLive[input.value] = true;
                m_readers[input.value].push_back(NodeId(i));
            }
        }
        m_vectorBytes = device.vectorBytes;
        std::iota(m_parents.begin(), m_parents.end(), 0);
    }

    std::vector<ImageGroup> run() &&
    {
        m_isImage.assign(m_graph.size(), false);
        m_isPriced.assign(m_graph.size(), false);
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (m_readers[i].empty() || m_isKept[i])
                continue;
            const std::optional<WindowReduction> windows = windowsInto(NodeId(i));
            m_isImage[i] = hasImageShape(m_graph.nodes()[i]) && (windows || isOfImages(m_graph.nodes()[i]));
            if (!windows)
                continue;
            m_windows.push_back(*windows);
            m_isPriced[windows->view.value] = true;
        }
        joinImages();
        std::map<std::size_t, ImageGroup> groups;
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            if (m_isImage[i])
                groups[rootOf(i)].images.push_back(NodeId(i));
        for (const WindowReduction &windows : m_windows)
            priceWindows(windows, groups);
        for (auto &[root, group] : groups)
            for (const NodeId image : group.images) {
                group.costNanoseconds += priceOfOthers(image);
                group.savedNanoseconds += savedByOrder(image);
            }
        std::vector<ImageGroup> found;
        for (auto &[root, group] : groups)
            if (group.savedNanoseconds > 0 && std::ranges::all_of(group.images, [&](NodeId id) { return hasWholeVectors(id); }))
                found.push_back(std::move(group));
        return found;
    }

private:
    [[nodiscard]] static bool hasImageShape(const Node &node)
    {
        return node.shape.rank() >= kLeastRank && node.shape.rank() <= kMostRank && !node.shape.isSymbolic() &&
               !node.shape.isEmpty();
    }

    // Whether the node does the same for every element of images, or puts them beside each other or beside padding.
    [[nodiscard]] static bool isOfImages(const Node &node)
    {
        const bool isOfElements = familyOf(node.kind) == NodeFamily::Elementwise && node.kind != NodeKind::Custom;
        return isOfElements || node.kind == NodeKind::Pad || node.kind == NodeKind::Shrink || node.kind == NodeKind::Cat;
    }

    [[nodiscard]] bool isReadOnce(NodeId id) const { return m_readers[id.value].size() == 1; }

    // What the operation on single elements reads, of one operand.
    [[nodiscard]] NodeId throughElements(NodeId id) const
    {
        while (m_graph.node(id).inputs.size() == 1 && familyOf(m_graph.node(id).kind) == NodeFamily::Elementwise &&
               isReadOnce(id))
            id = m_graph.node(id).inputs[0];
        return id;
    }

    // The view of all windows of an image, [.., rows, columns, channels, window rows, window columns] or likewise.
    [[nodiscard]] NodeId viewOf(NodeId windows) const
    {
        if (m_graph.node(windows).kind == NodeKind::Expand)
            windows = m_graph.node(windows).inputs[0];
        const Node &view = m_graph.node(windows);
        if (view.kind != NodeKind::View || !attributesOf<ViewAttributes>(view).mask.empty() ||
            !hasImageShape(m_graph.node(view.inputs[0])))
            return NodeId();
        return windows;
    }

    // The reduction over windows whose results the reshape makes an image of.
    [[nodiscard]] std::optional<WindowReduction> windowsInto(NodeId id) const
    {
        const Node &result = m_graph.node(id);
        if (result.kind != NodeKind::Reshape || !hasImageShape(result))
            return std::nullopt;
        const NodeId reduced = throughElements(result.inputs[0]);
        const Node &reduction = m_graph.node(reduced);
        if (reduction.kind != NodeKind::ReduceAxis || !isReadOnce(reduced))
            return std::nullopt;
        const std::size_t space = result.shape.rank() - 2;
        const Node &body = m_graph.node(reduction.inputs[0]);
        if (body.kind != NodeKind::Binary || body.op != Op::Mul) {
            const NodeId view = viewOf(throughElements(reduction.inputs[0]));
            if (body.shape.rank() != 2 + 2 * space || !view.isValid())
                return std::nullopt;
            return WindowReduction{view, m_graph.node(view).inputs[0], id, WindowReduction::Use::Look};
        }
        const Shape &product = body.shape; // [images, groups, outputs, space.., channels, window..]
        const bool isSum = reduction.op == Op::Add && (reduction.dtype == DType::F32 || reduction.dtype == DType::F64);
        if (!isSum || product.rank() != 4 + 2 * space || !isReadOnce(reduction.inputs[0]))
            return std::nullopt;
        for (const NodeId factor : body.inputs)
            if (const NodeId view = viewOf(factor); view.isValid())
                return WindowReduction{view, m_graph.node(view).inputs[0], id, useOf(product, space)};
        return std::nullopt;
    }

    [[nodiscard]] static WindowReduction::Use useOf(const Shape &product, std::size_t space)
    {
        const std::int64_t groups = product[1];
        const std::int64_t channels = product[3 + space]; // of a group
        bool isOfPixels = true;
        for (std::size_t axis = 4 + space; axis < product.rank(); ++axis)
            isOfPixels = isOfPixels && product[axis] == 1;
        if (groups == 1 && isOfPixels)
            return WindowReduction::Use::Product;
        return channels == 1 && product[2] == 1 && groups > 1 ? WindowReduction::Use::ByChannel : WindowReduction::Use::Other;
    }

    std::size_t rootOf(std::size_t node)
    {
        while (m_parents[node] != node)
            node = m_parents[node] = m_parents[m_parents[node]];
        return node;
    }

    void join(NodeId a, NodeId b)
    {
        if (m_isImage[a.value] && m_isImage[b.value])
            m_parents[rootOf(a.value)] = rootOf(b.value);
    }

    void joinImages()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            if (m_isImage[i] && isOfImages(m_graph.nodes()[i]))
                for (const NodeId input : m_graph.nodes()[i].inputs)
                    join(NodeId(i), input);
        for (const WindowReduction &windows : m_windows)
            if (windows.use == WindowReduction::Use::ByChannel || windows.use == WindowReduction::Use::Look)
                join(windows.image, windows.result);
    }

    [[nodiscard]] double bytesOf(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        return static_cast<double>(node.shape.elements()) * static_cast<double>(sw::bytesOf(node.dtype));
    }

    [[nodiscard]] bool hasWholeVectors(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        return node.shape[1] * static_cast<std::int64_t>(sw::bytesOf(node.dtype)) %
                   std::clamp<std::int64_t>(m_vectorBytes, 1, kChannelBytes) ==
               0;
    }

    void priceWindows(const WindowReduction &windows, std::map<std::size_t, ImageGroup> &groups)
    {
        const double copied = bytesOf(windows.image) * kCopyNanoseconds;
        const auto groupOf = [&](NodeId id) { return m_isImage[id.value] ? &groups[rootOf(id.value)] : nullptr; };
        ImageGroup *ofImage = groupOf(windows.image);
        switch (windows.use) {
        case WindowReduction::Use::Product:
            if (ofImage != nullptr) {
                ofImage->savedNanoseconds += copied;
                ++ofImage->products;
            }
            return;
        case WindowReduction::Use::ByChannel: {
            ImageGroup &group = *groupOf(windows.result);
            group.savedNanoseconds += copied;
            ++group.byChannel;
            if (ofImage == nullptr)
                group.costNanoseconds += bytesOf(windows.image) * kAcrossNanoseconds;
            return;
        }
        case WindowReduction::Use::Look:
            if (ofImage == nullptr && groupOf(windows.result) != nullptr)
                groupOf(windows.result)->costNanoseconds += bytesOf(windows.image) * kAcrossNanoseconds;
            return;
        case WindowReduction::Use::Other:
            if (ofImage != nullptr)
                ofImage->costNanoseconds += bytesOf(windows.image) * kAcrossNanoseconds;
            return;
        }
    }

    // What readers of the image, and what it reads itself, take that is in another order than the group.
    [[nodiscard]] double priceOfOthers(NodeId id)
    {
        const Node &node = m_graph.node(id);
        double bytes = 0;
        for (const NodeId reader : m_readers[id.value]) {
            const bool isOfGroup = m_isImage[reader.value] && rootOf(reader.value) == rootOf(id.value);
            if (!isOfGroup && !m_isPriced[reader.value] && !isFree(node, m_graph.node(reader)))
                bytes += bytesOf(id);
        }
        if (node.kind == NodeKind::Cat && attributesOf<AxisAttributes>(node).axis == 1)
            bytes += bytesOf(id); // whole channels are stored where they lie in it, parts of pixels are copied
        if (isOfImages(node))
            for (const NodeId input : node.inputs)
                if (!m_isImage[input.value])
                    bytes += bytesAcross(input);
        return bytes * kAcrossNanoseconds;
    }

    // What is read with the channels of a pixel side by side, or made so, is then read and written along the memory.
    [[nodiscard]] double savedByOrder(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        const AxisOrder order = channelsLastOrder(node.shape.rank());
        const auto isTurned = [&](NodeId other, const AxisOrder &wanted) {
            return m_graph.node(other).kind == NodeKind::Permute &&
                   attributesOf<AxesAttributes>(m_graph.node(other)).axes == wanted;
        };
        double bytes =
            std::ranges::any_of(m_readers[id.value], [&](NodeId reader) { return isTurned(reader, order); }) ? bytesOf(id) : 0;
        if (isOfImages(node))
            for (const NodeId input : node.inputs)
                if (isTurned(input, inverseOf(order)))
                    bytes += bytesOf(input);
        return bytes * kAcrossNanoseconds;
    }

    // Whether the reader does as well with the channels of a pixel side by side: it takes them in that order, or all pixels of a
    // channel together.
    [[nodiscard]] static bool isFree(const Node &image, const Node &reader)
    {
        if (reader.kind == NodeKind::Permute)
            return attributesOf<AxesAttributes>(reader).axes == channelsLastOrder(image.shape.rank());
        if (reader.kind != NodeKind::ReduceAxis)
            return false;
        const std::vector<std::size_t> &axes = attributesOf<AxesAttributes>(reader).axes;
        return axes.size() == image.shape.rank() - 2 && axes.front() == 2;
    }

    // Of what is no image, as much as has to be read across the memory. What is repeated is small, and literals are nowhere.
    [[nodiscard]] double bytesAcross(NodeId input) const
    {
        const Node &node = m_graph.node(input);
        if (node.kind == NodeKind::Expand || node.kind == NodeKind::Vconst || isLiteral(node))
            return 0;
        if (node.kind == NodeKind::Permute &&
            attributesOf<AxesAttributes>(node).axes == inverseOf(channelsLastOrder(node.shape.rank())))
            return 0;
        return bytesOf(input);
    }

    const Graph &m_graph;
    std::vector<std::vector<NodeId>> m_readers; // by node: the live ones
    std::vector<bool> m_isKept;
    std::vector<bool> m_isImage;
    std::vector<bool> m_isPriced;       // by node: it shows the windows of a reduction that has a price of its own
    std::vector<std::size_t> m_parents; // by node: another image of its group, or itself
    std::vector<WindowReduction> m_windows;
    std::int64_t m_vectorBytes = 0;
};

} // namespace

std::vector<ImageGroup> imageGroupsOf(const Graph &graph, const DeviceInfo &device)
{
    return GroupFinder(graph, device).run();
}

} // namespace sw
