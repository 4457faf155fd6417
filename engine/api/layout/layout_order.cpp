#include "engine/api/layout/layout_internal.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sw::layout {

namespace {

constexpr int kSweeps = 8;
// Counting crossings pays off for graphs that are viewed as a whole.
constexpr std::uint32_t kCountingLimit = 4000;

// Depth first from the top, so that connected nodes start together.
void fillRows(Network &network)
{
    std::uint32_t layerCount = 0;
    for (const std::uint32_t layer : network.layer)
        layerCount = std::max(layerCount, layer + 1);
    network.rows.assign(layerCount, {});
    std::vector<bool> isSeen(network.vertexCount(), false);
    std::vector<Vertex> waiting;
    for (Vertex root = 0; root < network.vertexCount(); ++root) {
        if (network.up.degree(root) != 0 || isSeen[root])
            continue;
        waiting.push_back(root);
        while (!waiting.empty()) {
            const Vertex v = waiting.back();
            waiting.pop_back();
            if (isSeen[v])
                continue;
            isSeen[v] = true;
            network.rows[network.layer[v]].push_back(v);
            for (const Vertex *to = network.down.end(v); to != network.down.begin(v);) {
                --to;
                if (!isSeen[*to])
                    waiting.push_back(*to);
            }
        }
    }
}

class Orderer {
public:
    explicit Orderer(Network &network)
        : m_network(network), m_position(network.vertexCount()), m_key(network.vertexCount()), m_clusterKey(network.vertexCount())
    {
        for (const auto &row : m_network.rows)
            storePositions(row);
    }

    void sweepDown()
    {
        for (std::size_t layer = 1; layer < m_network.rows.size(); ++layer)
            sortRow(m_network.rows[layer], m_network.up);
    }

    void sweepUp()
    {
        for (std::size_t layer = m_network.rows.size() - 1; layer-- > 0;)
            sortRow(m_network.rows[layer], m_network.down);
    }

    [[nodiscard]] std::uint64_t crossings() const
    {
        std::uint64_t total = 0;
        for (std::size_t layer = 0; layer + 1 < m_network.rows.size(); ++layer)
            total += crossingsBelow(layer);
        return total;
    }

private:
    void storePositions(const std::vector<Vertex> &row)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
            m_position[row[i]] = static_cast<float>(i);
    }

    void sortRow(std::vector<Vertex> &row, const Adjacency &side)
    {
        for (const Vertex v : row) {
            float sum = 0;
            for (const Vertex *other = side.begin(v); other != side.end(v); ++other)
                sum += m_position[*other];
            const std::uint32_t degree = side.degree(v);
            m_key[v] = degree == 0 ? m_position[v] : sum / static_cast<float>(degree);
        }
        keepClustersTogether(row);
        std::ranges::stable_sort(row, [&](Vertex a, Vertex b) {
            if (m_clusterKey[a] != m_clusterKey[b])
                return m_clusterKey[a] < m_clusterKey[b];
            if (m_network.cluster[a] != m_network.cluster[b])
                return m_network.cluster[a] < m_network.cluster[b];
            return m_key[a] < m_key[b];
        });
        storePositions(row);
    }

    // Members of a cluster sort by the cluster's mean first.
    void keepClustersTogether(const std::vector<Vertex> &row)
    {
        m_members.clear();
        for (const Vertex v : row) {
            m_clusterKey[v] = m_key[v];
            if (m_network.cluster[v] != kNoCluster)
                m_members.push_back(v);
        }
        std::ranges::stable_sort(m_members, {}, [&](Vertex v) { return m_network.cluster[v]; });
        for (std::size_t first = 0; first < m_members.size();) {
            std::size_t last = first;
            float sum = 0;
            while (last < m_members.size() && m_network.cluster[m_members[last]] == m_network.cluster[m_members[first]])
                sum += m_key[m_members[last++]];
            for (std::size_t i = first; i < last; ++i)
                m_clusterKey[m_members[i]] = sum / static_cast<float>(last - first);
            first = last;
        }
    }

    // Counts inversions among the lower ends, with edges taken from left to right, by a Fenwick tree.
    [[nodiscard]] std::uint64_t crossingsBelow(std::size_t layer) const
    {
        std::vector<std::uint32_t> tree(m_network.rows[layer + 1].size() + 1, 0);
        std::uint64_t total = 0;
        std::uint32_t seen = 0;
        std::vector<std::uint32_t> ends;
        for (const Vertex v : m_network.rows[layer]) {
            ends.clear();
            for (const Vertex *to = m_network.down.begin(v); to != m_network.down.end(v); ++to) {
                if (m_network.layer[*to] == layer + 1)
                    ends.push_back(static_cast<std::uint32_t>(m_position[*to]));
            }
            for (const std::uint32_t end : ends) {
                std::uint32_t before = 0;
                for (std::uint32_t i = end + 1; i > 0; i -= i & (~i + 1))
                    before += tree[i];
                total += seen - before;
            }
            for (const std::uint32_t end : ends) {
                for (std::uint32_t i = end + 1; i < tree.size(); i += i & (~i + 1))
                    ++tree[i];
                ++seen;
            }
        }
        return total;
    }

    Network &m_network;
    std::vector<float> m_position;
    std::vector<float> m_key;
    std::vector<float> m_clusterKey;
    std::vector<Vertex> m_members;
};

} // namespace

void orderRows(Network &network)
{
    fillRows(network);
    if (network.rows.size() < 2)
        return;
    Orderer orderer(network);
    const bool isCounted = network.vertexCount() <= kCountingLimit;
    std::vector<std::vector<Vertex>> best;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        if (sweep % 2 == 0)
            orderer.sweepDown();
        else
            orderer.sweepUp();
        if (!isCounted)
            continue;
        const std::uint64_t crossings = orderer.crossings();
        if (crossings < fewest) {
            fewest = crossings;
            best = network.rows;
        }
        if (crossings == 0)
            break;
    }
    if (isCounted)
        network.rows = std::move(best);
}

} // namespace sw::layout
