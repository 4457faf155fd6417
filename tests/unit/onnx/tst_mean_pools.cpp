// Means of windows: their sums are divided once, whatever the number of axes along which windows have different sizes.

#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

OperatorText meanPool(std::vector<std::int64_t> kernel, std::vector<std::int64_t> pads)
{
    return {.node = {.op = "AveragePool",
                     .attributes = {integersAttribute("kernel_shape", std::move(kernel)),
                                    integersAttribute("pads", std::move(pads))}}};
}

std::ptrdiff_t quotientsIn(const Graph &graph)
{
    return std::ranges::count_if(
        graph.nodes(), [](const Node &node) { return familyOf(node.kind) == NodeFamily::Elementwise && node.op == Op::Fdiv; });
}

TEST(MeanPools, divideOnce)
{
    struct Pool {
        Shape image;
        std::vector<std::int64_t> kernel;
        std::vector<std::int64_t> pads;
    };
    for (const Pool &pool : {Pool{{1, 2, 6, 7}, {3, 3}, {1, 1, 1, 1}}, Pool{{1, 2, 6, 7}, {3, 2}, {1, 0, 1, 0}},
                             Pool{{1, 2, 6, 7}, {3, 3}, {0, 0, 0, 0}}, Pool{{1, 1, 5, 6, 7}, {3, 3, 3}, {1, 1, 1, 1, 1, 1}}}) {
        std::vector<double> values(static_cast<std::size_t>(pool.image.elements()), 1.0);
        const ImportedOperator made = graphOf(meanPool(pool.kernel, pool.pads), {floats(pool.image, values)});
        ASSERT_TRUE(made.graph);
        EXPECT_EQ(quotientsIn(*made.graph), 1);
    }
}

// 9 elements in the middle, 6 at a side, 4 in a corner.
TEST(MeanPools, areRoundedOnce)
{
    std::vector<double> values(9, 1.0 / 3);
    const std::vector<HostTensor> means = outputsOf(meanPool({3, 3}, {1, 1, 1, 1}), {floats({1, 1, 3, 3}, values)});
    ASSERT_EQ(means.size(), 1U);
    const float third = 1.0F / 3;
    const auto sumOf = [third](int count) {
        float sum = 0;
        for (int i = 0; i < count; ++i)
            sum += third;
        return sum;
    };
    const float corner = sumOf(4) / 4;
    const float side = sumOf(6) / 6;
    const float middle = sumOf(9) / 9;
    const std::vector<double> expected{corner, side, corner, side, middle, side, corner, side, corner};
    EXPECT_EQ(elementsOf(means.front()), expected);
}

} // namespace
} // namespace sw::test
