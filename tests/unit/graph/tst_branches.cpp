// Which conditions decide about a node, what of a graph is evaluated, and what refuses to be a choice.

#include "engine/graph/branches.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/parser.h"
#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

#include <set>

namespace sw {
namespace {

struct ChoiceGraph : TestGraph {
    NodeId condition(std::string name) { return input(DType::Bool, {}, std::move(name)); }
    NodeId choose(NodeId condition, NodeId yes, NodeId no) { return builder.choose(here, condition, yes, no).value(); }
};

Requirements needsOf(const Graph &graph, NodeId id)
{
    return branchesOf(graph, scansOf(graph), graph.outputs()).of(id);
}

TEST(Branches, dependOnTheConditionOfTheOnlyChoiceThatNeedsThem)
{
    ChoiceGraph t;
    const NodeId c = t.condition("c");
    const NodeId x = t.input(DType::F32, {3});
    const NodeId deep = t.apply(Op::Exp, {x});
    const NodeId yes = t.apply(Op::Sin, {deep});
    const NodeId no = t.apply(Op::Sqrt, {x});
    const Graph graph = t.finish({t.choose(c, yes, no)});
    EXPECT_EQ(needsOf(graph, yes), (Requirements{{c, true}}));
    EXPECT_EQ(needsOf(graph, deep), (Requirements{{c, true}}));
    EXPECT_EQ(needsOf(graph, no), (Requirements{{c, false}}));
    EXPECT_TRUE(needsOf(graph, x).empty());
    EXPECT_TRUE(needsOf(graph, c).empty());
}

TEST(Branches, doNotContainWhatIsReadElsewhereOrByBothOfThem)
{
    ChoiceGraph t;
    const NodeId c = t.condition("c");
    const NodeId x = t.input(DType::F32, {3});
    const NodeId both = t.apply(Op::Exp, {x});
    const NodeId output = t.apply(Op::Sin, {x});
    const NodeId chosen = t.choose(c, t.apply(Op::Add, {both, output}), t.apply(Op::Sqrt, {both}));
    const Graph graph = t.finish({chosen, output});
    EXPECT_TRUE(needsOf(graph, both).empty());
    EXPECT_TRUE(needsOf(graph, output).empty());
}

TEST(Branches, nameAnOuterConditionBeforeTheInnerOnesItDecidesAbout)
{
    ChoiceGraph t;
    const NodeId x = t.input(DType::F32, {});
    const NodeId inner = t.apply(Op::Cmplt, {x, t.apply(Op::Exp, {x})}); // made before the outer one
    const NodeId outer = t.condition("outer");
    const NodeId deep = t.apply(Op::Sin, {x});
    const NodeId chosen = t.choose(outer, x, t.choose(inner, deep, x));
    const Graph graph = t.finish({chosen});
    EXPECT_EQ(needsOf(graph, inner), (Requirements{{outer, false}}));
    EXPECT_EQ(needsOf(graph, deep), (Requirements{{outer, false}, {inner, true}}));
}

TEST(Branches, haveAllOfAScanInCommon)
{
    ChoiceGraph t;
    const NodeId c = t.condition("c");
    const NodeId x = t.input(DType::F32, {5});
    const ScanAttributes scan{.scan = 0, .steps = 5};
    const NodeId zero = t.builder.constScalar(t.here, Scalar::of(DType::F32, 0.0));
    const NodeId carry = t.builder.scanCarry(t.here, zero, scan).value();
    const NodeId next = t.apply(Op::Add, {carry, t.builder.scanSlice(t.here, x, scan).value()});
    const NodeId last = t.builder.scanLast(t.here, std::array{next}, scan).value();
    const NodeId rows = t.builder.scanRows(t.here, std::array{next}, next, scan).value();
    const NodeId yes = t.apply(Op::Sin, {rows});
    // The condition itself is a result of the scan.
    const NodeId isLarge = t.apply(Op::Cmplt, {zero, last});
    const NodeId chosen = t.choose(isLarge, yes, x);
    const Graph graph = t.finish({chosen, t.choose(c, last, zero)});
    EXPECT_EQ(needsOf(graph, yes), (Requirements{{isLarge, true}}));
    EXPECT_TRUE(needsOf(graph, rows).empty());
    EXPECT_TRUE(needsOf(graph, next).empty());
}

// A step may choose, but what it reads from outside is computed once, before all of them.
TEST(Branches, ofAStepDoNotReachOutOfTheBody)
{
    ChoiceGraph t;
    const NodeId x = t.input(DType::F32, {5});
    const NodeId outside = t.apply(Op::Exp, {t.input(DType::F32, {}, "y")});
    const ScanAttributes scan{.scan = 0, .steps = 5};
    const NodeId zero = t.builder.constScalar(t.here, Scalar::of(DType::F32, 0.0));
    const NodeId carry = t.builder.scanCarry(t.here, zero, scan).value();
    const NodeId slice = t.builder.scanSlice(t.here, x, scan).value();
    const NodeId isLarge = t.apply(Op::Cmplt, {zero, slice});
    const NodeId inside = t.apply(Op::Mul, {slice, outside});
    const NodeId next = t.choose(isLarge, inside, carry);
    const NodeId last = t.builder.scanLast(t.here, std::array{next}, scan).value();
    const Graph graph = t.finish({last});
    EXPECT_EQ(needsOf(graph, inside), (Requirements{{isLarge, true}}));
    EXPECT_TRUE(needsOf(graph, outside).empty());
}

TEST(Branches, areSaidTogetherOnlyWhereNothingIsLost)
{
    const NodeId c(1U);
    const NodeId d(2U);
    EXPECT_EQ(eitherOf({{c, true}}, {{c, true}}), (Requirements{{c, true}}));
    EXPECT_EQ(eitherOf({{c, true}}, {{c, true}, {d, false}}), (Requirements{{c, true}}));
    EXPECT_EQ(eitherOf({{c, true}, {d, true}}, {{c, true}, {d, false}}), (Requirements{{c, true}}));
    EXPECT_EQ(eitherOf({{c, true}}, {{c, false}}), Requirements());
    EXPECT_EQ(eitherOf({{c, true}}, {{d, true}}), std::nullopt);
    EXPECT_EQ(eitherOf({{c, true}, {d, true}}, {{c, false}, {d, false}}), std::nullopt);
}

TEST(Branches, areEvaluatedOnlyWhereTheyAreChosen)
{
    ChoiceGraph t;
    const NodeId c = t.condition("c");
    const NodeId x = t.input(DType::F32, {2});
    const NodeId at = t.input(DType::I32, {1}, "at");
    const NodeId found = t.builder.gather(t.here, x, at, 0).value();
    const NodeId first = t.builder.shrink(t.here, x, {{0}, {1}}).value();
    const Graph graph = t.finish({t.choose(c, found, first)});
    for (const bool isChosen : {false, true}) {
        std::set<NodeId> seen;
        std::size_t faults = 0;
        InterpretOptions options;
        options.onValue = [&](NodeId id, const HostTensor &) { seen.insert(id); };
        options.onFault = [&](const NodeIndexFault &) { ++faults; };
        const std::vector<HostTensor> values{HostTensor::ofScalar(Scalar::of(DType::Bool, std::int64_t{isChosen})),
                                             HostTensor::ofValues(DType::F32, {2}, std::array{3.0, 4.0}),
                                             HostTensor::ofValues(DType::I32, {1}, std::array{7.0})};
        const auto outputs = interpretGraph(graph, values, options);
        ASSERT_TRUE(outputs);
        EXPECT_EQ(outputs->front().at(0).asDouble(), isChosen ? 0 : 3);
        EXPECT_EQ(seen.contains(found), isChosen);
        EXPECT_EQ(seen.contains(first), !isChosen);
        EXPECT_EQ(faults, isChosen ? 1U : 0U);
    }
}

// A branch may stand before the condition that decides about it.
TEST(Branches, waitForConditionsThatComeLater)
{
    ChoiceGraph t;
    const NodeId x = t.input(DType::F32, {});
    const NodeId yes = t.apply(Op::Exp, {x});
    const NodeId zero = t.builder.constScalar(t.here, Scalar::of(DType::F32, 0.0));
    const NodeId isLarge = t.apply(Op::Cmplt, {zero, x});
    const Graph graph = t.finish({t.choose(isLarge, yes, zero)});
    for (const double value : {0.0, 1.0}) {
        const std::vector<HostTensor> values{HostTensor::ofValues(DType::F32, {}, std::array{value})};
        const auto outputs = interpretGraph(graph, values);
        ASSERT_TRUE(outputs);
        EXPECT_NEAR(outputs->front().at(0).asDouble(), value > 0 ? 2.718281828 : 0, 1e-6);
    }
}

// What nothing reads is evaluated where what it reads is, also behind the choice.
TEST(Branches, decideAboutWhatNothingReads)
{
    ChoiceGraph t;
    const NodeId c = t.builder.cast(t.here, t.input(DType::I32, {}), DType::Bool).value();
    const NodeId x = t.input(DType::F32, {3}, "y");
    const NodeId no = t.apply(Op::Exp, {x});
    const NodeId chosen = t.choose(c, x, no);
    const NodeId unread = t.builder.cat(t.here, std::array{no, no}, 0).value();
    const Graph graph = t.finish({chosen});
    for (const double value : {0.0, 1.0}) {
        std::set<NodeId> seen;
        InterpretOptions options;
        options.onValue = [&](NodeId id, const HostTensor &) { seen.insert(id); };
        const std::vector<HostTensor> values{HostTensor::ofValues(DType::I32, {}, std::array{value}),
                                             HostTensor::ofValues(DType::F32, {3}, std::array{1.0, 2.0, 3.0})};
        ASSERT_TRUE(interpretGraph(graph, values, options));
        EXPECT_EQ(seen.contains(unread), value == 0);
    }
}

TEST(Branches, needOneBoolAndTwoValuesOfOneType)
{
    ChoiceGraph t;
    const NodeId c = t.condition("c");
    const NodeId x = t.input(DType::F32, {3});
    const auto messageOf = [](const Result<NodeId> &made) { return made ? "no error" : made.error().front().message; };
    EXPECT_EQ(messageOf(t.builder.choose(t.here, t.apply(Op::Cmplt, {x, x}), x, x)),
              "choose needs a condition of one bool without axes, not bool[3]");
    EXPECT_EQ(messageOf(t.builder.choose(t.here, x, x, x)), "choose needs a condition of one bool without axes, not f32[3]");
    EXPECT_EQ(messageOf(t.builder.choose(t.here, c, x, t.input(DType::F32, {4}, "y"))),
              "choose needs two values of one type and shape, not f32[3] and f32[4]");
    EXPECT_EQ(messageOf(t.builder.choose(t.here, c, x, t.input(DType::I32, {3}, "z"))),
              "choose needs two values of one type and shape, not f32[3] and i32[3]");
}

} // namespace
} // namespace sw
