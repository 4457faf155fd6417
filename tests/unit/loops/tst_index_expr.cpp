#include "engine/loops/index_expr.h"

#include "engine/base/text.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

class IndexExprTest : public ::testing::Test {
protected:
    std::string text(ExprId id) const
    {
        return arena.text(id, [](AxisId axis) { return std::string(1, static_cast<char>('i' + axis.value)); });
    }

    std::int64_t evaluate(ExprId id, const std::vector<std::int64_t> &axes) const
    {
        const IndexExpr &expr = arena.at(id);
        const auto floorDivide = [](std::int64_t a, std::int64_t b) { return (a - ((a % b) + b) % b) / b; };
        switch (expr.kind) {
        case ExprKind::Constant:
            return expr.number;
        case ExprKind::Axis:
            return axes[expr.axis.value];
        case ExprKind::Add:
            return evaluate(expr.a, axes) + evaluate(expr.b, axes);
        case ExprKind::Mul:
            return evaluate(expr.a, axes) * expr.number;
        case ExprKind::Div:
            return floorDivide(evaluate(expr.a, axes), expr.number);
        case ExprKind::Mod:
            return evaluate(expr.a, axes) - floorDivide(evaluate(expr.a, axes), expr.number) * expr.number;
        }
        return 0;
    }

    IndexArena arena;
    ExprId i = arena.axis(AxisId(0U), 8);
    ExprId j = arena.axis(AxisId(1U), 6);
};

TEST_F(IndexExprTest, equalExpressionsHaveEqualIds)
{
    EXPECT_EQ(arena.add(i, j), arena.add(j, i));
    EXPECT_EQ(arena.multiply(arena.add(i, j), 3), arena.add(arena.multiply(i, 3), arena.multiply(j, 3)));
}

TEST_F(IndexExprTest, unravelsAFlatIndexToItsAxes)
{
    const ExprId flat = arena.add(arena.multiply(i, 6), j);
    EXPECT_EQ(arena.divide(flat, 6), i);
    EXPECT_EQ(arena.modulo(flat, 6), j);
}

TEST_F(IndexExprTest, joinsQuotientAndRemainder)
{
    const ExprId q = arena.divide(i, 3);
    const ExprId r = arena.modulo(i, 3);
    EXPECT_EQ(arena.add(arena.multiply(q, 3), r), i);
}

// What a reshape takes apart and the strides of what it reads put together again.
TEST_F(IndexExprTest, joinsTheDigitsOfANumber)
{
    const ExprId x = arena.axis(AxisId(2U), 216);
    const ExprId sixes = arena.modulo(arena.divide(x, 6), 6);
    const ExprId ones = arena.modulo(x, 6);
    const ExprId high = arena.multiply(arena.divide(x, 36), 36);
    EXPECT_EQ(arena.add(arena.add(high, arena.multiply(sixes, 6)), ones), x);
    EXPECT_EQ(arena.add(arena.add(ones, high), arena.multiply(sixes, 6)), x) << "in any order";
    EXPECT_EQ(arena.add(arena.multiply(sixes, 6), ones), arena.modulo(x, 36));
    EXPECT_EQ(arena.add(arena.multiply(arena.divide(x, 36), 6), sixes), arena.divide(x, 6));
    EXPECT_EQ(text(arena.add(arena.multiply(sixes, 7), ones)), "k//6%6*7 + k%6") << "other strides";
}

TEST_F(IndexExprTest, dropsWhatCannotReachTheDivisor)
{
    // (i*12 + j) // 24: j < 12 never carries
    EXPECT_EQ(text(arena.divide(arena.add(arena.multiply(i, 12), j), 24)), "i//2");
    EXPECT_EQ(text(arena.modulo(arena.add(arena.multiply(i, 12), j), 24)), "j + i%2*12");
}

TEST_F(IndexExprTest, provesAndDisprovesConditions)
{
    std::vector<RangeCondition> conditions;
    EXPECT_TRUE(arena.addCondition(conditions, {i, 0, 8}));
    EXPECT_TRUE(conditions.empty());
    EXPECT_FALSE(arena.addCondition(conditions, {i, 8, 16}));
    EXPECT_TRUE(arena.addCondition(conditions, {i, 1, 8}));
    EXPECT_EQ(conditions.size(), 1U);
}

// Random expressions over two axes: what the simplifying constructors make has the value, and keeps within the bounds, of the
// expression as it was asked for.
TEST_F(IndexExprTest, simplifiesWithoutChangingValues)
{
    std::mt19937 random(7);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
    for (int round = 0; round < 3000; ++round) {
        std::vector<ExprId> ids{i, j, arena.constant(pick(-5, 20))};
        std::vector<std::vector<std::int64_t>> values(48);
        for (std::size_t point = 0; point < 48; ++point) {
            const auto a = static_cast<std::int64_t>(point / 6);
            const auto b = static_cast<std::int64_t>(point % 6);
            values[point] = {a, b, arena.at(ids[2]).number};
        }
        for (int step = 0; step < 6; ++step) {
            const auto a = static_cast<std::size_t>(pick(0, static_cast<int>(ids.size()) - 1));
            const auto b = static_cast<std::size_t>(pick(0, static_cast<int>(ids.size()) - 1));
            const std::int64_t number = pick(1, 12);
            const std::int64_t choice = pick(0, 3);
            const auto floorDivide = [](std::int64_t x, std::int64_t d) { return (x - ((x % d) + d) % d) / d; };
            if (choice == 0)
                ids.push_back(arena.add(ids[a], ids[b]));
            else if (choice == 1)
                ids.push_back(arena.multiply(ids[a], number - 4));
            else if (choice == 2)
                ids.push_back(arena.divide(ids[a], number));
            else
                ids.push_back(arena.modulo(ids[a], number));
            for (auto &point : values) {
                if (choice == 0)
                    point.push_back(point[a] + point[b]);
                else if (choice == 1)
                    point.push_back(point[a] * (number - 4));
                else if (choice == 2)
                    point.push_back(floorDivide(point[a], number));
                else
                    point.push_back(point[a] - floorDivide(point[a], number) * number);
                const std::int64_t value = evaluate(ids.back(), point);
                ASSERT_EQ(value, point.back()) << text(ids.back());
                ASSERT_LE(arena.at(ids.back()).low, value);
                ASSERT_GE(arena.at(ids.back()).high, value);
            }
        }
    }
}

} // namespace
} // namespace sw
