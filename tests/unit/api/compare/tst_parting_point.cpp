#include "engine/api/compare/parting_point.h"

#include "tests/unit/api/compare/compare_fixture.h"

namespace sw {
namespace {

class PartingPointTest : public test::CompareTest {
protected:
    std::string m_text = "input x: f32[64, 32]\nhidden = exp(x) * 1\noutput out = softmax(hidden) + x\n";

    std::optional<PartingPoint> ofRequests(const CompileRequest &before, const CompileRequest &after)
    {
        return partingPointOf(compiled(before), compiled(after), {});
    }
};

TEST_F(PartingPointTest, findsNoneBetweenEqualCompilations)
{
    for (const std::string &file : exampleFiles())
        EXPECT_FALSE(ofRequests(requestOfFile(file), requestOfFile(file))) << file;
}

TEST_F(PartingPointTest, isInTheProgramWhereThatDiffers)
{
    std::string other = m_text;
    other.replace(other.find("exp"), 3, "sin");
    const auto found = ofRequests(requestOf(m_text), requestOf(other));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stage, StageKind::Graph);
    EXPECT_EQ(found->passId, "");
    EXPECT_NE(found->before.line.find("= exp"), std::string::npos) << found->text();
    EXPECT_NE(found->after.line.find("= sin"), std::string::npos) << found->text();
}

TEST_F(PartingPointTest, namesThePassAndItsFirstOtherRewrite)
{
    CompileRequest unfused = requestOf(m_text);
    unfused.options.fuse = false;
    const Compilation before = compiled(m_text);
    const Compilation after = compiled(unfused);
    const auto found = partingPointOf(before, after, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stage, StageKind::Schedule);
    EXPECT_EQ(found->passId, "group-kernels") << found->text();
    ASSERT_TRUE(found->before.pass);
    EXPECT_EQ(before.pipeline.steps[*found->before.pass].pass->id, found->passId);
    EXPECT_TRUE(found->before.rewrite || found->after.rewrite) << found->text();
}

TEST_F(PartingPointTest, isInTheLoopsWhereOnlyThoseDiffer)
{
    CompileRequest plain = requestOf(m_text);
    plain.options.optimize = false;
    const auto found = ofRequests(requestOf(m_text), plain);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stage, StageKind::Loops) << found->text();
    EXPECT_EQ(found->before.kernel, "k0_softmax");
}

TEST_F(PartingPointTest, isInTheCodeOfTwoDevicesWithTheSameInstructions)
{
    CompileRequest c = requestOf("input x: f32[64, 32]\noutput x + 1\n");
    CompileRequest llvm = c;
    c.device = "c";
    const auto found = ofRequests(llvm, c);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->stage, StageKind::Code) << found->text();
    EXPECT_EQ(found->passId, "");
}

TEST_F(PartingPointTest, stops)
{
    std::stop_source stop;
    stop.request_stop();
    CompileRequest unfused = requestOf(m_text);
    unfused.options.fuse = false;
    EXPECT_FALSE(partingPointOf(compiled(m_text), compiled(unfused), stop.get_token()));
}

} // namespace
} // namespace sw
