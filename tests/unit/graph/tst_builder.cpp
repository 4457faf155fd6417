#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

std::string typeOf(const TestGraph &test, NodeId id)
{
    return typeText(test.builder.node(id).dtype, test.builder.node(id).shape);
}

std::string typeOf(const TestGraph &test, const Result<NodeId> &id)
{
    return typeOf(test, id.value());
}

std::string messageOf(const Result<NodeId> &result)
{
    return result ? "no error" : result.error().front().message;
}

std::array<NodeId, 2> pair(NodeId a, NodeId b)
{
    return {a, b};
}

TEST(Builder, infersMovement)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 1, 4});
    EXPECT_EQ(typeOf(t, t.builder.reshape(t.here, x, {4, 2})), "f32[4, 2]");
    EXPECT_EQ(typeOf(t, t.builder.permute(t.here, x, {2, 0, 1})), "f32[4, 2, 1]");
    EXPECT_EQ(typeOf(t, t.builder.expand(t.here, x, {2, 3, 4})), "f32[2, 3, 4]");
    EXPECT_EQ(typeOf(t, t.builder.pad(t.here, x, {{1, 0, 0}, {0, 2, 0}, Scalar::of(DType::F32, 0.0)})), "f32[3, 3, 4]");
    EXPECT_EQ(typeOf(t, t.builder.shrink(t.here, x, {{0, 0, 1}, {2, 0, 3}})), "f32[2, 0, 2]");
    EXPECT_EQ(typeOf(t, t.builder.flip(t.here, x, {2, 0, 2})), "f32[2, 1, 4]");
    EXPECT_EQ(typeOf(t, t.builder.reduce(t.here, Op::Add, x, {2, 0})), "f32[1, 1, 1]");
    EXPECT_EQ(typeOf(t, t.builder.cat(t.here, pair(x, x), 1)), "f32[2, 2, 4]");
}

TEST(Builder, returnsTheInputWhenNothingIsToDo)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 3});
    EXPECT_EQ(t.builder.cast(t.here, x, DType::F32).value(), x);
    EXPECT_EQ(t.builder.reshape(t.here, x, {2, 3}).value(), x);
    EXPECT_EQ(t.builder.expand(t.here, x, {2, 3}).value(), x);
    EXPECT_EQ(t.builder.reduce(t.here, Op::Add, x, {}).value(), x);
}

// The shape may be that of a node of the builder, which has to move as the builder grows.
TEST(Builder, takesTheShapesOfItsOwnNodes)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 3});
    const NodeId one = t.input(DType::F32, {3}, "one");
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(typeOf(t, t.builder.full(t.here, Scalar::of(DType::F32, 0.0), t.builder.node(x).shape)), "f32[2, 3]");
        EXPECT_EQ(typeOf(t, t.builder.broadcastTo(t.here, one, t.builder.node(x).shape)), "f32[2, 3]");
    }
}

TEST(Builder, promotesAndBroadcastsOperands)
{
    TestGraph t;
    const NodeId a = t.input(DType::I32, {2, 1});
    const NodeId b = t.input(DType::F16, {3}, "b");
    EXPECT_EQ(typeOf(t, t.builder.broadcasted(t.here, Op::Add, pair(a, b))), "f16[2, 3]");
    EXPECT_EQ(typeOf(t, t.builder.broadcasted(t.here, Op::Cmplt, pair(a, b))), "bool[2, 3]");
    EXPECT_EQ(typeOf(t, t.builder.broadcasted(t.here, Op::Fdiv, pair(a, a))), "f32[2, 1]");
    EXPECT_EQ(typeOf(t, t.builder.broadcasted(t.here, Op::Exp, std::array{a})), "f32[2, 1]");
    const NodeId flag = t.input(DType::Bool, {}, "flag");
    EXPECT_EQ(typeOf(t, t.builder.broadcasted(t.here, Op::Sqrt, std::array{flag})), "f32[]");
}

TEST(Builder, castsTheConditionOfWhereToBool)
{
    TestGraph t;
    const NodeId condition = t.input(DType::F64, {2});
    const NodeId a = t.input(DType::I8, {}, "a");
    const NodeId b = t.input(DType::U8, {3, 1}, "b");
    const NodeId made = t.builder.broadcasted(t.here, Op::Where, std::array{condition, a, b}).value();
    EXPECT_EQ(typeOf(t, made), "i8[3, 2]");
    EXPECT_EQ(typeOf(t, t.builder.node(made).inputs[0]), "bool[3, 2]");
}

TEST(Builder, givesImplicitNodesTheSameOrigin)
{
    TestGraph t;
    const NodeId a = t.input(DType::I32, {2, 1});
    const NodeId b = t.input(DType::F32, {3}, "b");
    const std::size_t before = t.builder.size();
    (void)t.builder.broadcasted(originOfLine(4), Op::Add, pair(a, b)).value();
    ASSERT_GT(t.builder.size(), before + 3);
    for (std::size_t i = before; i < t.builder.size(); ++i)
        EXPECT_EQ(t.builder.node(NodeId(i)).origin, originOfLine(4));
}

TEST(Builder, makesFullTensorsSymbolically)
{
    TestGraph t;
    const NodeId full = t.builder.full(t.here, Scalar::of(DType::I64, 7.0), {2, 3}).value();
    EXPECT_EQ(typeOf(t, full), "i64[2, 3]");
    EXPECT_EQ(t.builder.node(full).kind, NodeKind::Expand);
}

TEST(Builder, placesErrorsAtTheOrigin)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 3});
    const auto wrong = t.builder.reshape(originOfLine(5), x, {7});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().front().where, (SourceRange{"test.sw", 5, 3, 5, 9}));
    EXPECT_EQ(wrong.error().front().code, Code::ShapeMismatch);
}

TEST(Builder, rejectsShapesThatDoNotFit)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 3});
    const NodeId y = t.input(DType::F32, {3, 2}, "y");
    EXPECT_EQ(messageOf(t.builder.reshape(t.here, x, {7})), "cannot reshape [2, 3] with 6 elements to [7] with 7");
    EXPECT_EQ(messageOf(t.builder.permute(t.here, x, {0, 0})), "[0, 0] is not a permutation of the 2 axes of shape [2, 3]");
    EXPECT_EQ(messageOf(t.builder.expand(t.here, x, {4, 3})),
              "cannot expand shape [2, 3] to [4, 3]: axes of extent 1 are repeated, the others and the rank stay");
    EXPECT_EQ(messageOf(t.builder.shrink(t.here, x, {{0, 2}, {2, 4}})), "the range [2, 4) of axis 1 is not within shape [2, 3]");
    EXPECT_EQ(messageOf(t.builder.reduce(t.here, Op::Add, x, {3})), "reduce_axis add axis 3 is out of range for shape [2, 3]");
    EXPECT_EQ(messageOf(t.builder.elementwise(t.here, Op::Add, pair(x, y))),
              "add needs operands of one shape, not f32[2, 3], f32[3, 2]");
    EXPECT_EQ(messageOf(t.builder.cat(t.here, pair(x, y), 0)),
              "cat along axis 0 joins tensors that agree on type and the other axes, not f32[2, 3] and f32[3, 2]");
    EXPECT_EQ(messageOf(t.builder.broadcasted(t.here, Op::Add, pair(x, y))),
              "shapes [2, 3] and [3, 2] do not broadcast: axis -1 has extents 3 and 2");
    EXPECT_EQ(messageOf(t.builder.broadcastTo(t.here, x, {2})), "shape [2, 3] does not broadcast to [2]");
    EXPECT_EQ(messageOf(t.builder.pad(t.here, x, {{-1, 0}, {0, 0}, Scalar::of(DType::F32, 0.0)})),
              "pad of axis 0 of shape [2, 3] by -1 and 0: amounts cannot be negative");
}

TEST(Builder, rejectsTypesThatDoNotFit)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2});
    const NodeId n = t.input(DType::I32, {2}, "n");
    const NodeId flag = t.input(DType::Bool, {2}, "flag");
    EXPECT_EQ(messageOf(t.builder.elementwise(t.here, Op::Add, pair(x, n))),
              "add needs operands of one type, not f32[2], i32[2]");
    EXPECT_EQ(messageOf(t.builder.broadcasted(t.here, Op::Shl, pair(x, n))),
              "shl does not take operands of type f32: f32[2], i32[2]");
    EXPECT_EQ(messageOf(t.builder.broadcasted(t.here, Op::Sub, pair(flag, flag))),
              "sub does not take operands of type bool: bool[2], bool[2]");
    EXPECT_EQ(messageOf(t.builder.elementwise(t.here, Op::Where, std::array{x, x, x})),
              "the condition of where is bool, not f32[2]");
    EXPECT_EQ(messageOf(t.builder.bitcast(t.here, x, DType::F16)),
              "bitcast from f32 to f16 changes the size of an element from 4 to 2 bytes");
    EXPECT_EQ(messageOf(t.builder.gather(t.here, x, x, 0)), "gather takes integer indices, not f32[2]");
    EXPECT_EQ(messageOf(t.builder.reduce(t.here, Op::Xor, x, {0})), "reduce_axis xor does not take elements of type f32");
    EXPECT_EQ(messageOf(t.builder.reduce(t.here, Op::Sub, x, {0})), "sub cannot reduce an axis");
}

TEST(Builder, keepsViewsInsideTheirInputWhereTheMaskIsTrue)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {2, 3});
    EXPECT_EQ(typeOf(t, t.builder.view(t.here, x, {3, 2}, {{1, 3}, 0, {}})), "f32[3, 2]");
    EXPECT_EQ(typeOf(t, t.builder.view(t.here, x, {6}, {{-1}, 5, {}})), "f32[6]");
    EXPECT_EQ(messageOf(t.builder.view(t.here, x, {6}, {{-1}, 4, {}})),
              "a view of shape [6] with strides [-1] and offset 4 reads elements -1 to 4 of f32[2, 3], which has 6");
    EXPECT_TRUE(t.builder.view(t.here, x, {6}, {{-1}, 4, {{0, 5}}}));
    EXPECT_TRUE(t.builder.view(t.here, x, {0}, {{1000}, 4000, {}}));
    EXPECT_TRUE(t.builder.view(t.here, x, {2, 2}, {{1000, 1000}, 4000, {{0, 2}, {1, 1}}}));
    EXPECT_FALSE(t.builder.view(t.here, x, {2, 2}, {{1, 1}, 0, {{0, 2}, {0, 3}}}));
    EXPECT_FALSE(t.builder.view(t.here, x, {4}, {{std::int64_t{1} << 62}, 0, {}}));
}

TEST(Builder, checksIndexing)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {4, 3});
    const NodeId n = t.input(DType::I64, {9, 2}, "n");
    const NodeId valid = t.input(DType::Bool, {9, 2}, "valid");
    EXPECT_EQ(typeOf(t, t.builder.gather(t.here, x, n, 0)), "f32[9, 2]");
    EXPECT_EQ(messageOf(t.builder.gather(t.here, x, n, 1)),
              "gather along axis 1 from f32[4, 3] needs indices of its rank, no larger on the other axes, not i64[9, 2]");
    EXPECT_EQ(typeOf(t, t.builder.index(t.here, x, n, std::nullopt)), "f32[9, 2]");
    EXPECT_EQ(typeOf(t, t.builder.index(t.here, x, n, valid)), "f32[9, 2]");
    EXPECT_FALSE(t.builder.index(t.here, x, n, n));
}

TEST(Builder, wantsUniqueOutputNames)
{
    TestGraph t;
    const NodeId x = t.input(DType::F32, {});
    const auto graph = std::move(t.builder).finish(t.here, {x, x}, {"y", "y"});
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().front().code, Code::DuplicateName);
}

} // namespace
} // namespace sw
