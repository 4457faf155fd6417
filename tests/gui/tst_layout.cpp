// Properties of the graph layout, tested on graphs generated from a seed.

#include "engine/api/layout/graph_layout.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace sw;

namespace {

// Mostly chains with branches, like tensor programs; every edge goes from a lower to a higher number.
LayoutInput randomGraph(std::uint32_t nodeCount, unsigned seed)
{
    std::mt19937 random(seed);
    LayoutInput input;
    for (std::uint32_t i = 0; i < nodeCount; ++i) {
        input.nodes.push_back({static_cast<float>(40 + random() % 120), static_cast<float>(24 + random() % 24), i / 7 % 5});
        const std::uint32_t operands = i == 0 ? 0 : 1 + static_cast<std::uint32_t>(random() % 2);
        for (std::uint32_t k = 0; k < operands; ++k) {
            const std::uint32_t back = 1 + static_cast<std::uint32_t>(random() % (random() % 20 == 0 ? 200 : 6));
            input.edges.push_back({i - std::min(i, back), i});
        }
    }
    return input;
}

bool overlap(const LayoutInput &input, const LayoutResult &result, std::size_t a, std::size_t b)
{
    const float x = std::abs(result.centers[a].x - result.centers[b].x);
    const float y = std::abs(result.centers[a].y - result.centers[b].y);
    return x + 0.01F < (input.nodes[a].width + input.nodes[b].width) / 2 &&
           y + 0.01F < (input.nodes[a].height + input.nodes[b].height) / 2;
}

int countOverlaps(const LayoutInput &input, const LayoutResult &result)
{
    // Only neighbours in a layer can overlap: layers are apart by construction, which the test also checks.
    std::vector<std::size_t> order(input.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(result.layers[a], result.centers[a].x) < std::pair(result.layers[b], result.centers[b].x);
    });
    int overlaps = 0;
    for (std::size_t i = 1; i < order.size(); ++i)
        overlaps += overlap(input, result, order[i - 1], order[i]) ? 1 : 0;
    for (std::size_t layer = 1; layer < result.layerTop.size(); ++layer)
        overlaps += result.layerTop[layer] < result.layerBottom[layer - 1] ? 1 : 0;
    return overlaps;
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private slots:
    void nodesNeverOverlap_data()
    {
        QTest::addColumn<unsigned>("nodeCount");
        for (const unsigned count : {1U, 2U, 10U, 100U, 1000U})
            QTest::addRow("%u", count) << count;
    }
    void nodesNeverOverlap()
    {
        QFETCH(unsigned, nodeCount);
        for (unsigned seed = 0; seed < 5; ++seed) {
            const LayoutInput input = randomGraph(nodeCount, seed);
            QCOMPARE(countOverlaps(input, layoutGraph(input)), 0);
        }
    }

    void edgesGoDown()
    {
        for (unsigned seed = 0; seed < 5; ++seed) {
            const LayoutInput input = randomGraph(300, seed);
            const LayoutResult result = layoutGraph(input);
            for (std::size_t e = 0; e < input.edges.size(); ++e) {
                if (input.edges[e].from == input.edges[e].to)
                    continue;
                QVERIFY(result.layers[input.edges[e].from] < result.layers[input.edges[e].to]);
                for (std::uint32_t i = result.pointStart[e] + 1; i < result.pointStart[e + 1]; ++i)
                    QVERIFY(result.points[i - 1].y <= result.points[i].y);
            }
        }
    }

    void edgesEndAtTheirNodes()
    {
        const LayoutInput input = randomGraph(200, 3);
        const LayoutResult result = layoutGraph(input);
        for (std::size_t e = 0; e < input.edges.size(); ++e) {
            if (input.edges[e].from == input.edges[e].to)
                continue;
            const LayoutPoint first = result.points[result.pointStart[e]];
            const LayoutPoint last = result.points[result.pointStart[e + 1] - 1];
            const std::uint32_t from = input.edges[e].from;
            const std::uint32_t to = input.edges[e].to;
            QCOMPARE(first.y, result.centers[from].y + input.nodes[from].height / 2);
            QCOMPARE(last.y, result.centers[to].y - input.nodes[to].height / 2);
            QVERIFY(std::abs(last.x - result.centers[to].x) <= input.nodes[to].width / 2);
        }
    }

    void cyclesAreDrawnBackwards()
    {
        LayoutInput input;
        input.nodes.assign(3, {40, 20, kNoCluster});
        input.edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}};
        const LayoutResult result = layoutGraph(input);
        QCOMPARE(result.layers, (std::vector<std::uint32_t>{0, 1, 2}));
        QVERIFY(result.points[result.pointStart[2]].y > result.points[result.pointStart[3] - 1].y);
    }

    void everythingIsInsideTheBounds()
    {
        const LayoutInput input = randomGraph(500, 11);
        const LayoutResult result = layoutGraph(input);
        for (std::size_t i = 0; i < input.nodes.size(); ++i) {
            QVERIFY(result.centers[i].x - input.nodes[i].width / 2 >= 0);
            QVERIFY(result.centers[i].x + input.nodes[i].width / 2 <= result.width);
            QVERIFY(result.centers[i].y + input.nodes[i].height / 2 <= result.height);
        }
        for (const LayoutPoint &point : result.points)
            QVERIFY(point.x >= 0 && point.x <= result.width && point.y >= 0 && point.y <= result.height);
    }

    void clustersStayTogetherInALayer()
    {
        const LayoutInput input = randomGraph(400, 5);
        const LayoutResult result = layoutGraph(input);
        std::vector<std::size_t> order(input.nodes.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            return std::pair(result.layers[a], result.centers[a].x) < std::pair(result.layers[b], result.centers[b].x);
        });
        std::vector<bool> isClosed;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || result.layers[order[i]] != result.layers[order[i - 1]])
                isClosed.assign(5, false);
            else if (input.nodes[order[i]].cluster != input.nodes[order[i - 1]].cluster)
                isClosed[input.nodes[order[i - 1]].cluster] = true;
            QVERIFY(!isClosed[input.nodes[order[i]].cluster]);
        }
    }

    void equalInputGivesEqualOutput()
    {
        const LayoutInput input = randomGraph(300, 8);
        const LayoutResult a = layoutGraph(input);
        const LayoutResult b = layoutGraph(input);
        for (std::size_t i = 0; i < a.centers.size(); ++i)
            QVERIFY(a.centers[i].x == b.centers[i].x && a.centers[i].y == b.centers[i].y);
    }

    void emptyGraph()
    {
        const LayoutResult result = layoutGraph({});
        QVERIFY(result.centers.empty());
        QCOMPARE(result.pointStart.size(), 1U);
    }

    void tenThousandNodes()
    {
        const LayoutInput input = randomGraph(10'000, 1);
        LayoutResult result;
        QBENCHMARK
        {
            result = layoutGraph(input);
        }
        QCOMPARE(countOverlaps(input, result), 0);
    }

    // Every node reads the first: bends would outnumber the graph itself.
    void longEdgesShareTheirBends()
    {
        LayoutInput input;
        input.nodes.assign(2000, {60, 24, kNoCluster});
        for (std::uint32_t i = 1; i < 2000; ++i) {
            input.edges.push_back({i - 1, i});
            input.edges.push_back({0, i});
        }
        const LayoutResult result = layoutGraph(input);
        QCOMPARE(countOverlaps(input, result), 0);
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
