#include "engine/types/symbolic.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

const SymbolicVariable kN{"n", 1, 4096};
const SymbolicVariable kM{"m", 2, 100};
const SymbolicVariable kK{"k", 0, 7};

SymbolicExpr n()
{
    return SymbolicExpr(kN);
}
SymbolicExpr m()
{
    return SymbolicExpr(kM);
}
SymbolicExpr k()
{
    return SymbolicExpr(kK);
}

TEST(Symbolic, hasOneFormForEqualSums)
{
    const SymbolicExpr a = add(multiply(n(), 4).value(), 2).value();
    const SymbolicExpr b = subtract(add(add(n(), 2).value(), multiply(3, n()).value()).value(), 0).value();
    EXPECT_EQ(a, b);
    EXPECT_EQ(toText(a), "4*n + 2");
    EXPECT_EQ(subtract(a, b).value(), SymbolicExpr());
    EXPECT_EQ(toText(multiply(add(n(), 1).value(), subtract(m(), 1).value()).value()), "m + m*n - n - 1");
    EXPECT_EQ(multiply(n(), m()).value(), multiply(m(), n()).value());
}

TEST(Symbolic, dividesWhatDivides)
{
    EXPECT_EQ(toText(divide(multiply(n(), 8).value(), 4).value()), "2*n");
    EXPECT_EQ(toText(divide(add(multiply(n(), 8).value(), 7).value(), 8).value()), "n");
    EXPECT_EQ(toText(modulo(add(multiply(n(), 8).value(), 7).value(), 8).value()), "7");
    EXPECT_EQ(toText(divide(multiply(n(), m()).value(), m()).value()), "n");
    EXPECT_EQ(modulo(multiply(n(), m()).value(), m()).value(), SymbolicExpr());
    EXPECT_EQ(divide(k(), 8).value(), SymbolicExpr());
    EXPECT_EQ(modulo(k(), 8).value(), k());
    EXPECT_EQ(toText(divide(n(), 8).value()), "(n // 8)");
    EXPECT_EQ(toText(divide(n(), k()).value()), "(n // k)"); // k may be 0
    EXPECT_FALSE(divide(n(), 0));
}

TEST(Symbolic, decidesWhatBoundsDecide)
{
    EXPECT_EQ(minimum(n(), 5000).value(), n());
    EXPECT_EQ(maximum(n(), 1).value(), n());
    EXPECT_EQ(maximum(k(), m()).value(), maximum(m(), k()).value());
    EXPECT_EQ(toText(minimum(n(), m()).value()), "min(m, n)");
    EXPECT_EQ((divide(n(), 8).value().bounds()), (SymbolicBounds{0, 512}));
    EXPECT_EQ((subtract(k(), n()).value().bounds()), (SymbolicBounds{-4096, 6}));
}

TEST(Symbolic, refusesWhatLeavesTheNumbers)
{
    const SymbolicExpr large = multiply(n(), std::int64_t{1} << 62).value();
    EXPECT_FALSE(add(large, large));
    EXPECT_FALSE(multiply(large, 2));
    EXPECT_FALSE(large.evaluate({{"n", 4}}));
    EXPECT_FALSE(n().evaluate({}));
    EXPECT_FALSE(divide(n(), k()).value().evaluate({{"n", 4}, {"k", 0}}));
}

// A random expression beside the value that it should have.
struct Sample {
    SymbolicExpr expr;
    std::int64_t value = 0;
};

class SampleMaker {
public:
    explicit SampleMaker(std::uint64_t seed) : m_random(seed)
    {
        for (const SymbolicVariable &variable : {kN, kM, kK})
            m_bindings[variable.name] =
                variable.low +
                static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(variable.high - variable.low + 1));
    }

    std::optional<Sample> make(int depth)
    {
        if (depth == 0)
            return leaf();
        const auto a = make(depth - 1);
        const auto b = make(static_cast<int>(m_random() % static_cast<std::uint64_t>(depth)));
        return a && b ? combined(*a, *b) : std::nullopt;
    }
    [[nodiscard]] const SymbolicBindings &bindings() const { return m_bindings; }

private:
    Sample leaf()
    {
        const std::array variables{kN, kM, kK};
        if (m_random() % 3 == 0) {
            const auto number = static_cast<std::int64_t>(m_random() % 19) - 6;
            return {SymbolicExpr(number), number};
        }
        const SymbolicVariable &variable = variables.at(m_random() % variables.size());
        return {SymbolicExpr(variable), m_bindings.at(variable.name)};
    }

    static std::int64_t floorQuotient(std::int64_t a, std::int64_t b)
    {
        return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    }

    std::optional<Sample> combined(const Sample &a, const Sample &b)
    {
        const auto sample = [](Result<SymbolicExpr> expr, std::int64_t value) {
            return expr ? std::optional(Sample{*expr, value}) : std::nullopt;
        };
        switch (m_random() % 7) {
        case 0:
            return sample(add(a.expr, b.expr), a.value + b.value);
        case 1:
            return sample(subtract(a.expr, b.expr), a.value - b.value);
        case 2:
            return sample(multiply(a.expr, b.expr), a.value * b.value);
        case 3:
            return b.value == 0 ? std::nullopt : sample(divide(a.expr, b.expr), floorQuotient(a.value, b.value));
        case 4:
            return b.value == 0 ? std::nullopt
                                : sample(modulo(a.expr, b.expr), a.value - floorQuotient(a.value, b.value) * b.value);
        case 5:
            return sample(minimum(a.expr, b.expr), std::min(a.value, b.value));
        default:
            return sample(maximum(a.expr, b.expr), std::max(a.value, b.value));
        }
    }

    std::mt19937_64 m_random;
    SymbolicBindings m_bindings;
};

TEST(Symbolic, keepsTheValueOfEveryExpression)
{
    int checked = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        SampleMaker maker(seed);
        const auto sample = maker.make(1 + static_cast<int>(seed % 4));
        if (!sample)
            continue;
        const auto value = sample->expr.evaluate(maker.bindings());
        ASSERT_TRUE(value) << seed << ": " << toText(sample->expr);
        ASSERT_EQ(*value, sample->value) << seed << ": " << toText(sample->expr);
        const SymbolicBounds bounds = sample->expr.bounds();
        ASSERT_TRUE(bounds.low <= *value && *value <= bounds.high) << seed << ": " << toText(sample->expr);
        ++checked;
    }
    EXPECT_GT(checked, 15'000);
}

TEST(Symbolic, findsDimensionsFromExtents)
{
    const SymbolicExpr rows = add(multiply(n(), 4).value(), m()).value();
    const auto found = solve(std::vector<SymbolicEquation>{{rows, 45}, {m(), 5}});
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (SymbolicBindings{{"m", 5}, {"n", 10}}));
    EXPECT_TRUE(solve(std::vector<SymbolicEquation>{{multiply(n(), m()).value(), 12}, {m(), 3}, {divide(n(), 2).value(), 2}}));
}

TEST(Symbolic, saysWhyDimensionsCannotBeFound)
{
    const auto messageOf = [](std::vector<SymbolicEquation> equations) {
        const auto found = solve(equations);
        return found ? std::string("found") : found.error().front().message;
    };
    EXPECT_EQ(messageOf({{n(), 5000}}), "n is 5000 where n is 5000, but its bounds are 1 and 4096");
    EXPECT_EQ(messageOf({{multiply(n(), 4).value(), 6}}), "4*n cannot be 6: n would not be an integer");
    EXPECT_EQ(messageOf({{n(), 3}, {n(), 4}}), "n is 3, but 4 was given");
    EXPECT_EQ(messageOf({{add(n(), m()).value(), 9}}), "the dimensions of m + n cannot be found from its value 9 alone");
    EXPECT_EQ(messageOf({{divide(n(), 8).value(), 9}}), "the dimensions of (n // 8) cannot be found from its value 9 alone");
}

} // namespace
} // namespace sw
