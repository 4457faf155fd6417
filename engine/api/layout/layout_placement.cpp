#include "engine/api/layout/layout_internal.h"

#include <algorithm>

namespace sw::layout {

namespace {

constexpr int kSweeps = 10;
// Straight bends matter more than centred nodes.
constexpr double kNodeToNode = 1;
constexpr double kNodeToBend = 2;
constexpr double kBendToBend = 8;

class Placer {
public:
    Placer(Network &network, float nodeGap) : m_network(network), m_gap(nodeGap) {}

    void packLeft()
    {
        m_network.x.assign(m_network.vertexCount(), 0);
        for (const auto &row : m_network.rows) {
            float x = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                x += i == 0 ? 0 : distance(row[i - 1], row[i]);
                m_network.x[row[i]] = x;
            }
        }
    }

    void sweepDown()
    {
        for (const auto &row : m_network.rows)
            placeRow(row, Sides::Above);
    }

    void sweepUp()
    {
        for (auto row = m_network.rows.rbegin(); row != m_network.rows.rend(); ++row)
            placeRow(*row, Sides::Below);
    }

    void sweepBoth()
    {
        for (const auto &row : m_network.rows)
            placeRow(row, Sides::Both);
    }

private:
    enum class Sides : unsigned char { Above, Below, Both };

    // The gap between the centres of neighbours in a row.
    [[nodiscard]] float distance(Vertex left, Vertex right) const
    {
        const bool areBends = m_network.isBend(left) && m_network.isBend(right);
        const bool sameCluster = m_network.cluster[left] == m_network.cluster[right];
        const float gap = areBends ? m_gap * 0.4F : sameCluster ? m_gap : m_gap * 1.6F; // hulls need room
        return (m_network.width[left] + m_network.width[right]) / 2 + gap;
    }

    void add(Vertex v, const Adjacency &side, double &sum, double &weight) const
    {
        for (const Vertex *other = side.begin(v); other != side.end(v); ++other) {
            const int bends = (m_network.isBend(v) ? 1 : 0) + (m_network.isBend(*other) ? 1 : 0);
            const double share = bends == 0 ? kNodeToNode : bends == 1 ? kNodeToBend : kBendToBend;
            sum += share * m_network.x[*other];
            weight += share;
        }
    }

    // Least squares under the row's order and gaps: subtracting the gaps turns it into isotonic regression, which pooling
    // adjacent violators solves exactly.
    void placeRow(const std::vector<Vertex> &row, Sides sides)
    {
        m_blocks.clear();
        double offset = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            offset += i == 0 ? 0 : distance(row[i - 1], row[i]);
            double sum = 0;
            double weight = 0;
            if (sides != Sides::Below)
                add(row[i], m_network.up, sum, weight);
            if (sides != Sides::Above)
                add(row[i], m_network.down, sum, weight);
            if (weight == 0) { // no neighbour to be close to: stay
                weight = 0.05;
                sum = weight * m_network.x[row[i]];
            }
            m_blocks.push_back({sum - weight * offset, weight, 1});
            while (m_blocks.size() > 1 && m_blocks[m_blocks.size() - 2].mean() >= m_blocks.back().mean()) {
                const Block merged = m_blocks.back();
                m_blocks.pop_back();
                m_blocks.back().sum += merged.sum;
                m_blocks.back().weight += merged.weight;
                m_blocks.back().count += merged.count;
            }
        }
        std::size_t at = 0;
        offset = 0;
        for (const Block &block : m_blocks) {
            for (std::size_t i = 0; i < block.count; ++i, ++at) {
                offset += at == 0 ? 0 : distance(row[at - 1], row[at]);
                m_network.x[row[at]] = static_cast<float>(block.mean() + offset);
            }
        }
    }

    struct Block {
        double sum = 0;
        double weight = 0;
        std::size_t count = 0;
        [[nodiscard]] double mean() const { return sum / weight; }
    };

    Network &m_network;
    float m_gap;
    std::vector<Block> m_blocks;
};

} // namespace

void placeVertices(Network &network, float nodeGap)
{
    Placer placer(network, nodeGap);
    placer.packLeft();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        if (sweep % 2 == 0)
            placer.sweepDown();
        else
            placer.sweepUp();
    }
    placer.sweepBoth();
    placer.sweepBoth();
}

} // namespace sw::layout
