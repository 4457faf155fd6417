// choose(): one type and shape of two values, and what it says of arguments that do not fit.

#include "engine/graph/printer.h"
#include "engine/graph/verify.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

std::string typeOf(const std::string &call)
{
    const ProgramResult result = compileText("input c: bool[]\ninput x: f32[2, 3]\ninput n: i32[3]\noutput " + call + "\n");
    if (!result.graph)
        return toText(result.diagnostics);
    const auto verified = verifyGraph(*result.graph);
    EXPECT_TRUE(verified) << toText(verified.error());
    const Node &node = result.graph->node(result.graph->outputs().front());
    EXPECT_EQ(node.kind, NodeKind::Choose);
    return typeText(node.dtype, node.shape);
}

} // namespace

TEST(Choices, bringTheirValuesToOneTypeAndShape)
{
    EXPECT_EQ(typeOf("choose(c, x, n)"), "f32[2, 3]");
    EXPECT_EQ(typeOf("choose(c, n, 0)"), "i32[3]");
    EXPECT_EQ(typeOf("choose(c.reshape([1, 1]), 2, cast(x, f16))"), "f16[2, 3]");
    EXPECT_EQ(typeOf("choose(n[0] > 2, true, x > 0)"), "bool[2, 3]");
}

TEST(Choices, refuseConditionsOfSeveralElementsAndOtherShapes)
{
    EXPECT_NE(typeOf("choose(x > 0, x, n)").find("choose needs a condition of one bool, found bool[2, 3]"), std::string::npos);
    EXPECT_NE(typeOf("choose(n[0], x, n)").find("choose needs a condition of one bool, found i32[]"), std::string::npos);
    EXPECT_NE(typeOf("choose(c, x, x.T)").find("broadcast"), std::string::npos) << typeOf("choose(c, x, x.T)");
}

} // namespace sw::test
