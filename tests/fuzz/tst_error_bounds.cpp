#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/error_rules.h"
#include "engine/accuracy/first_difference.h"
#include "engine/graph/parser.h"
#include "tests/fuzz/random_graph.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

// The value and bound of %LAST of the lines, which read no placeholders.
struct Bounded {
    HostTensor value;
    HostTensor bounds;
};

Bounded boundedOf(const std::string &lines)
{
    const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
    const std::string sink = "sink " + lines.substr(last, lines.find(' ', last) - last) + " {names = [\"y\"]}\n";
    const auto graph = parseGraph("stepwell graph 1\n" + lines + sink, "t.graph");
    EXPECT_TRUE(graph) << toText(graph.error());
    auto outputs = interpretWithBounds(*graph, {});
    EXPECT_TRUE(outputs);
    return {outputs->values[0], outputs->bounds[0]};
}

double boundOf(const std::string &lines)
{
    return boundedOf(lines).bounds.at(0).asDouble();
}

const std::string kTwo = "%0 = vconst {value = [0.3, 0.7]} : f32[2]\n%1 = vconst {value = [1.9, 0.2]} : f32[2]\n";

TEST(ErrorBounds, keepsExactOperationsExact)
{
    EXPECT_EQ(boundOf(kTwo + "%2 = add %0, %1 : f32[2]\n"), 0);
    EXPECT_EQ(boundOf(kTwo + "%2 = fdiv %0, %1 : f32[2]\n%3 = sqrt %2 : f32[2]\n%4 = cast %3 : f16[2]\n"), 0);
    EXPECT_EQ(boundOf(kTwo + "%2 = reduce_axis max %0 {axes = [0]} : f32[1]\n"), 0);
}

TEST(ErrorBounds, finds1UlpInAnExactOperation)
{
    const Bounded sum = boundedOf(kTwo + "%2 = add %0, %1 : f32[2]\n");
    EXPECT_FALSE(firstDifference(sum.value, sum.value, sum.bounds));
    HostTensor wrong(DType::F32, {2});
    wrong.set(0, sum.value.at(0));
    wrong.set(1, Scalar::fromBits(DType::F32, sum.value.at(1).bits() + 1));
    const auto difference = firstDifference(sum.value, wrong, sum.bounds);
    ASSERT_TRUE(difference);
    EXPECT_TRUE(difference->starts_with("element 1 of f32[2]: expected")) << *difference;
}

TEST(ErrorBounds, allowsSumsInAnyOrder)
{
    const Bounded sum =
        boundedOf("%0 = vconst {value = [1.0, 1e8, -1e8, 1.0]} : f32[4]\n%1 = reduce_axis add %0 {axes = [0]} : f32[1]\n");
    const double bound = sum.bounds.at(0).asDouble();
    EXPECT_GT(bound, 2);
    EXPECT_LT(bound, 200);
    EXPECT_FALSE(firstDifference(sum.value, HostTensor::ofValues(DType::F32, {1}, std::array{2.0}), sum.bounds));
    EXPECT_TRUE(firstDifference(sum.value, HostTensor::ofValues(DType::F32, {1}, std::array{1000.0}), sum.bounds));
}

TEST(ErrorBounds, allowsFusingAProductIntoASum)
{
    EXPECT_GT(boundOf(kTwo + "%2 = mul %0, %1 : f32[2]\n%3 = add %2, %0 : f32[2]\n"), 0);
    EXPECT_EQ(boundOf(kTwo + "%2 = mul %0, %1 : f32[2]\n"), 0);
}

TEST(ErrorBounds, carriesErrorsThroughMovement)
{
    EXPECT_GT(boundOf(kTwo + "%2 = exp %0 : f32[2]\n%3 = flip %2 {axes = [0]} : f32[2]\n%4 = reshape %3 : f32[1, 2]\n"), 0);
    const Bounded padded =
        boundedOf(kTwo + "%2 = exp %0 : f32[2]\n%3 = pad %2 {before = [1], after = [0], fill = 5.0} : f32[3]\n");
    EXPECT_EQ(padded.bounds.at(0).asDouble(), 0);
    EXPECT_GT(padded.bounds.at(1).asDouble(), 0);
}

TEST(ErrorBounds, givesUpWhereASmallChangeChangesTheResult)
{
    const std::string nearTie = kTwo + "%2 = exp %0 : f32[2]\n%3 = exp %0 : f32[2]\n%4 = cmplt %2, %3 : bool[2]\n";
    EXPECT_EQ(boundOf(nearTie), kAnything);
    EXPECT_EQ(boundOf(kTwo + "%2 = exp %0 : f32[2]\n%3 = exp %1 : f32[2]\n%4 = cmplt %2, %3 : bool[2]\n"), 0);
    EXPECT_EQ(boundOf("%0 = vconst {value = [1.0]} : f32[1]\n%1 = log2 %0 : f32[1]\n%2 = floor %1 : f32[1]\n"), kAnything);
    EXPECT_EQ(boundOf("%0 = vconst {value = [1.5]} : f32[1]\n%1 = exp %0 : f32[1]\n%2 = floor %1 : f32[1]\n"), 0);
}

TEST(ErrorBounds, keepsInfinitiesThatNumbersAreAddedTo)
{
    const Bounded masked = boundedOf(kTwo + "%2 = exp %0 : f32[2]\n%3 = vconst {value = [-inf, 1.0]} : f32[2]\n"
                                            "%4 = sub %3, %2 : f32[2]\n%5 = exp %4 : f32[2]\n");
    EXPECT_LT(masked.bounds.at(0).asDouble(), 1e-40);
    EXPECT_LT(masked.bounds.at(1).asDouble(), 1e-5);
}

TEST(ErrorBounds, wantsNanAndInfinitiesToMatch)
{
    const HostTensor exact(DType::F64, {2});
    const auto tensor = [](double a, double b) { return HostTensor::ofValues(DType::F32, {2}, std::array{a, b}); };
    EXPECT_FALSE(firstDifference(tensor(NAN, INFINITY), tensor(NAN, INFINITY), exact));
    EXPECT_TRUE(firstDifference(tensor(NAN, 1), tensor(0, 1), exact));
    EXPECT_TRUE(firstDifference(tensor(1, 1), tensor(NAN, 1), exact));
    EXPECT_TRUE(firstDifference(tensor(INFINITY, 1), tensor(-INFINITY, 1), exact));
    const HostTensor anything = HostTensor::filled(Scalar::of(DType::F64, kAnything), {2});
    EXPECT_FALSE(firstDifference(tensor(NAN, 1), tensor(0, 1), anything));
}

// A differential test that accepts anything finds nothing.
TEST(ErrorBounds, areFiniteForNearlyAllElementsOfRandomGraphs)
{
    std::int64_t elements = 0;
    std::int64_t unbounded = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomGraphOptions options;
        options.seed = seed;
        const RandomGraph random = randomGraph(options);
        const auto outputs = interpretWithBounds(random.graph, random.inputs);
        ASSERT_TRUE(outputs);
        for (const HostTensor &bounds : outputs->bounds) {
            elements += bounds.elements();
            for (std::int64_t i = 0; i < bounds.elements(); ++i)
                unbounded += static_cast<std::int64_t>(bounds.at(i).asDouble() == kAnything);
        }
    }
    EXPECT_LT(unbounded * 20, elements) << unbounded << " of " << elements;
}

} // namespace
} // namespace sw
