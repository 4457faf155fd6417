#include "engine/passes/schedule/access.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {

namespace {

Graph finished(TensorProgram &program, NodeId output)
{
    return std::move(program).finish({output});
}

// From the axes of `view` through all views below it to what it is a view of.
Access accessOf(const Graph &graph, NodeId view)
{
    const Node &node = graph.node(view);
    if (familyOf(node.kind) != NodeFamily::Movement)
        return identityAccess(node.shape);
    return composed(viewAccess(graph, node), graph.node(node.inputs[0]).shape, accessOf(graph, node.inputs[0]));
}

std::vector<std::int64_t> stridesOf(const Access &access)
{
    std::vector<std::int64_t> strides;
    for (const AccessTerm &term : access.terms)
        strides.push_back(term.stride);
    return strides;
}

using Strides = std::vector<std::int64_t>;

TEST(Access, reshapesCancelOut)
{
    TensorProgram p;
    const NodeId out = p.reshape(p.reshape(p.input({4, 6}), {2, 12}), {24});
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    EXPECT_TRUE(isPlain(access, graph.node(out).shape));
    EXPECT_TRUE(access.isBijection);
}

TEST(Access, permuteIsABijectionThatIsNotPlain)
{
    TensorProgram p;
    const NodeId out = p.permute(p.input({4, 6}), {1, 0});
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    EXPECT_EQ(stridesOf(access), (Strides{1, 6}));
    EXPECT_TRUE(access.isBijection);
    EXPECT_FALSE(isPlain(access, graph.node(out).shape));
}

TEST(Access, expandLeavesTheRepeatedAxisOut)
{
    TensorProgram p;
    const NodeId out = p.expand(p.input({4, 1}), {4, 6});
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    ASSERT_EQ(access.terms.size(), 1U);
    EXPECT_EQ(access.terms[0], (AccessTerm{0, 4, 1}));
    EXPECT_FALSE(access.isBijection);
    EXPECT_EQ(repeats(access, 24, 4), 6.0);
}

TEST(Access, axesMergeThroughAReshapeOfAnExpand)
{
    TensorProgram p;
    const NodeId out = p.reshape(p.expand(p.reshape(p.input({4, 6}), {4, 6, 1}), {4, 6, 5}), {24, 5});
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    ASSERT_TRUE(access.isStrided);
    ASSERT_EQ(access.terms.size(), 1U);
    EXPECT_EQ(access.terms[0], (AccessTerm{0, 24, 1}));
}

TEST(Access, anAxisThatMixesRepetitionsIsNotStrided)
{
    TensorProgram p;
    const NodeId out = p.reshape(p.expand(p.input({4, 1}), {4, 6}), {24});
    const Graph graph = finished(p, out);
    EXPECT_FALSE(accessOf(graph, out).isStrided);
}

TEST(Access, flattenedPermuteKeepsThatItIsABijection)
{
    TensorProgram p;
    const NodeId out = p.reshape(p.permute(p.input({4, 6}), {1, 0}), {24});
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    EXPECT_FALSE(access.isStrided);
    EXPECT_TRUE(access.isBijection);
}

// A vector needs an axis along which elements of the value lie at one distance.
TEST(Access, knowsWhetherAnAxisIsWhole)
{
    TensorProgram p;
    const NodeId x = p.input({12, 5, 7});
    const NodeId turned = p.permute(x, {2, 0, 1});
    const NodeId split = p.permute(p.reshape(x, {4, 3, 35}), {1, 2, 0});
    const NodeId merged = p.reshape(turned, {84, 5});
    const NodeId shuffled = p.reshape(split, {420});
    const Graph graph = std::move(p).finish({turned, split, merged, shuffled});
    const Shape shape{12, 5, 7};
    EXPECT_TRUE(hasWholeAxis(identityAccess(shape), shape));
    EXPECT_TRUE(hasWholeAxis(accessOf(graph, turned), shape));
    EXPECT_TRUE(hasWholeAxis(accessOf(graph, split), shape)) << "parts of an axis are whole as well";
    EXPECT_FALSE(hasWholeAxis(accessOf(graph, shuffled), shape));
    EXPECT_FALSE(hasWholeAxis(stridedAccess(Shape{420}, std::vector<std::int64_t>{1}, 0), shape)) << "through all axes";
}

TEST(Access, shrinkAndFlipMoveTheOffset)
{
    TensorProgram p;
    const NodeId shrunk = p.builder.shrink(p.here, p.input({4, 6}), {{1, 2}, {3, 6}}).value();
    const NodeId out = p.builder.flip(p.here, shrunk, {1}).value();
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    EXPECT_EQ(access.offset, 6 + 5);
    EXPECT_EQ(stridesOf(access), (Strides{6, -1}));
}

TEST(Access, windowsOverAPaddedValueAreStridedAndMasked)
{
    TensorProgram p;
    const NodeId padded = p.pad(p.input({6, 6}), {1, 1}, {1, 1});
    const NodeId out = p.builder.view(p.here, padded, {6, 6, 3, 3}, {{8, 1, 8, 1}, 0, {}}).value();
    const Graph graph = finished(p, out);
    const Access access = accessOf(graph, out);
    EXPECT_TRUE(access.isMasked);
    ASSERT_TRUE(access.isStrided);
    EXPECT_EQ(stridesOf(access), (Strides{6, 1, 6, 1}));
    EXPECT_EQ(repeats(access, 324, 36), 9.0);
}

TEST(Access, differentUnknownAccessesAreNotEqual)
{
    TensorProgram p;
    const NodeId x = p.input({4, 6});
    const NodeId first = p.reshape(p.permute(x, {1, 0}), {24});
    const NodeId second = p.reshape(p.permute(p.reshape(x, {3, 8}), {1, 0}), {24});
    const NodeId out = p.add(first, second);
    const Graph graph = finished(p, out);
    EXPECT_NE(accessOf(graph, first), accessOf(graph, second));
    EXPECT_EQ(accessOf(graph, first), accessOf(graph, first));
}

TEST(Access, catReadsItsInputsUnderMasks)
{
    TensorProgram p;
    const std::array inputs{p.input({2, 3}), p.input({2, 5})};
    const NodeId out = p.builder.cat(p.here, inputs, 1).value();
    const Graph graph = finished(p, out);
    const Access second = catAccess(graph, graph.node(out), 1);
    EXPECT_TRUE(second.isMasked);
    EXPECT_EQ(second.offset, -3);
    EXPECT_EQ(stridesOf(second), (Strides{5, 1}));
}

TEST(Access, catReadsOneElementOfEachRowOncePerRow)
{
    TensorProgram p;
    const std::array inputs{p.input({2, 3}), p.input({2, 1})};
    const NodeId out = p.builder.cat(p.here, inputs, 1).value();
    const Graph graph = finished(p, out);
    const Access lane = catAccess(graph, graph.node(out), 1);
    EXPECT_FALSE(lane.isMasked);
    EXPECT_EQ(lane.offset, 0);
    EXPECT_EQ(stridesOf(lane), (Strides{1}));
}

// It would be computed again for each of the other rows.
TEST(Access, catReadsAWholeRowUnderAMask)
{
    TensorProgram p;
    const std::array inputs{p.input({1, 3}), p.input({1, 3})};
    const NodeId out = p.builder.cat(p.here, inputs, 0).value();
    const Graph graph = finished(p, out);
    EXPECT_TRUE(catAccess(graph, graph.node(out), 1).isMasked);
}

} // namespace

} // namespace sw
