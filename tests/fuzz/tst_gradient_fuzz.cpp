// Gradients of random graphs. Graphs that only move elements and add them are linear up to a constant, so there the gradient must
// satisfy <w, f(x) - f(0)> = <gradient, x>, for views, windows and lookups of every form. Of all other graphs the gradient must
// at least be a valid graph, after every rewrite.

#include "engine/accuracy/error_bounds.h"
#include "engine/graph/printer.h"
#include "engine/graph/verify.h"
#include "engine/passes/graph/differentiate.h"
#include "tests/fuzz/random_gradients.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

using test::meaningOf;

constexpr std::uint64_t kLinearGraphs = 4000;
constexpr std::uint64_t kGraphs = 1000;

RandomGraph linearGraph(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 10;
    options.indexFaults = seed % 4 == 0;
    options.dtypes = {DType::F64};
    options.ops = {Op::Add, Op::Sub, Op::Neg};
    options.kinds = {NodeKind::Vconst,     NodeKind::Unary,      NodeKind::Binary,
                     NodeKind::View,       NodeKind::View,       NodeKind::View,
                     NodeKind::Reshape,    NodeKind::Permute,    NodeKind::Expand,
                     NodeKind::Pad,        NodeKind::Shrink,     NodeKind::Flip,
                     NodeKind::ReduceAxis, NodeKind::Contiguous, NodeKind::Cat,
                     NodeKind::Gather,     NodeKind::Index,      NodeKind::ContiguousBackward};
    return randomGraph(options);
}

// 0 for what rounding makes doubtful: infinities, and what is left when large constants cancel.
HostTensor weightsOfExact(const HostTensor &values, const HostTensor &bounds)
{
    HostTensor weights(DType::F64, bounds.shape());
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        if (std::isfinite(values.at(i).asDouble()) && bounds.at(i).asDouble() < 1e-9)
            weights.set(i, Scalar::of(DType::F64, std::cos(static_cast<double>(i))));
    return weights;
}

// Of what has a weight: infinity times 0 is not a number.
double dot(const HostTensor &a, const HostTensor &b)
{
    double sum = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i)
        if (a.at(i).asDouble() != 0)
            sum += a.at(i).asDouble() * b.at(i).asDouble();
    return sum;
}

TEST(GradientFuzz, isTheTransposeOfALinearGraph)
{
    std::size_t checked = 0;
    for (std::uint64_t seed = 0; seed < kLinearGraphs; ++seed) {
        const RandomGraph random = linearGraph(seed);
        std::vector<HostTensor> zeros;
        for (const HostTensor &input : random.inputs)
            zeros.push_back(isFloat(input.dtype()) ? HostTensor(input.dtype(), input.shape()) : input);
        const auto value = interpretWithBounds(random.graph, random.inputs);
        const auto constant = interpretWithBounds(random.graph, zeros);
        ASSERT_TRUE(value && constant);
        const HostTensor weights = weightsOfExact(value->values.front(), value->bounds.front());
        const auto graph = gradientsOf(random.graph, weights);
        ASSERT_TRUE(graph);
        const auto gradients = meaningOf(*graph, random.inputs);
        ASSERT_TRUE(gradients) << "seed " << seed << "\n" << printGraph(*graph).text;
        const double there = dot(weights, value->values.front());
        const double atZero = dot(weights, constant->values.front());
        double magnitude = 1 + std::abs(there) + std::abs(atZero);
        double actual = 0;
        std::size_t next = 0;
        for (const HostTensor &input : random.inputs) {
            if (!isFloat(input.dtype()))
                continue;
            const double part = dot(input, (*gradients)[next++]);
            actual += part;
            magnitude += std::abs(part);
        }
        ASSERT_NEAR(actual, there - atZero, 1e-7 * magnitude) << "seed " << seed << "\n" << printGraph(*graph).text;
        checked += actual != 0 ? 1 : 0;
    }
    EXPECT_GT(checked, kLinearGraphs / 3);
}

TEST(GradientFuzz, isAValidGraphAfterEveryRewrite)
{
    std::size_t written = 0;
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        RandomGraphOptions options;
        options.seed = seed;
        options.steps = 16;
        const RandomGraph random = randomGraph(options);
        const Node &output = random.graph.node(random.graph.outputs()[0]);
        if (!isFloat(output.dtype))
            continue;
        const auto graph = gradientsOf(random.graph, gradientWeights(output.dtype, output.shape));
        if (!graph)
            continue;
        const DeviceInfo device;
        const CompileOptions compile;
        for (std::uint32_t budget = 1; budget < 1000; ++budget) {
            PassContext context(device, TargetLanguage::C, compile, {}, budget);
            const auto made = differentiate(*graph, context);
            if (!made) {
                // Bits have no slope; everything else has one.
                ASSERT_TRUE(made.error().front().message.starts_with("bitcast has no gradient")) << toText(made.error());
                break;
            }
            ASSERT_TRUE(made->has_value());
            const auto verified = verifyGraph(**made);
            ASSERT_TRUE(verified) << "seed " << seed << " budget " << budget << "\n" << toText(verified.error());
            if (context.rewrites().events().size() == budget)
                continue;
            for (const Node &node : (*made)->nodes())
                ASSERT_NE(node.kind, NodeKind::Gradient) << "seed " << seed;
            ++written;
            break;
        }
    }
    EXPECT_GT(written, kGraphs / 10);
}

} // namespace
} // namespace sw
