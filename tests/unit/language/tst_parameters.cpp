// Parameters with values: stored files and random ones. And compilations that are cancelled.

#include "engine/types/npy.h"
#include "engine/types/safetensors.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

namespace sw::test {
namespace {

class LanguageParameters : public testing::Test {
protected:
    LanguageParameters()
        : m_folder(std::filesystem::path(testing::TempDir()) /
                   (std::string("stepwell_language_") + testing::UnitTest::GetInstance()->current_test_info()->name()))
    {
        std::filesystem::create_directories(m_folder);
    }
    ~LanguageParameters() override { std::filesystem::remove_all(m_folder); }

    void store(const std::string &name, const HostTensor &tensor) const { ASSERT_TRUE(writeNpyFile(m_folder / name, tensor)); }
    [[nodiscard]] ProgramResult compile(std::string_view text) const { return compileText(text, m_folder); }
    [[nodiscard]] Diagnostic errorOf(std::string_view text) const
    {
        const ProgramResult compiled = compile(text);
        EXPECT_FALSE(compiled.graph.has_value());
        return compiled.diagnostics.empty() ? Diagnostic{} : compiled.diagnostics.front();
    }

    std::filesystem::path m_folder;
};

const PlaceholderAttributes &firstPlaceholder(const ProgramResult &compiled)
{
    return attributesOf<PlaceholderAttributes>(compiled.graph->node(compiled.graph->placeholders().front()));
}

TEST_F(LanguageParameters, loadsAStoredTensor)
{
    const HostTensor weights = HostTensor::ofValues(DType::F32, Shape{2, 2}, std::array{1.0, 2.0, 3.0, 4.0});
    store("w.npy", weights);
    const ProgramResult compiled = compile("param w: f32[2, 2] = load(\"w.npy\")\noutput w\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    ASSERT_NE(firstPlaceholder(compiled).initial, nullptr);
    EXPECT_TRUE(firstPlaceholder(compiled).initial->isIdenticalTo(weights));
    EXPECT_EQ(firstPlaceholder(compiled).role, PlaceholderRole::Param);
}

TEST_F(LanguageParameters, loadsBf16FromItsBits)
{
    const HostTensor bits = HostTensor::ofValues(DType::U16, Shape{1}, std::array{16256.0}); // 0x3f80
    store("w.npy", bits);
    const ProgramResult compiled = compile("param w: bf16[1] = load(\"w.npy\")\noutput w\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    EXPECT_EQ(firstPlaceholder(compiled).initial->at(0).asDouble(), 1.0);
}

TEST_F(LanguageParameters, rejectsAnotherTypeOrShape)
{
    store("w.npy", HostTensor(DType::F64, Shape{2, 3}));
    const Diagnostic type = errorOf("param w: f32[2, 3] = load(\"w.npy\")\noutput w\n");
    EXPECT_EQ(type.message, "w.npy holds f64[2, 3], but w is declared as f32[2, 3]");
    EXPECT_EQ(type.code, Code::Type);
    EXPECT_EQ(type.where, (SourceRange{"test.sw", 1, 22, 1, 35}));
    EXPECT_EQ(errorOf("param w: f64[3, 2] = load(\"w.npy\")\noutput w\n").code, Code::ShapeMismatch);
}

TEST_F(LanguageParameters, rejectsAFileThatIsNoTensor)
{
    std::ofstream(m_folder / "w.npy") << "not a tensor";
    const Diagnostic error = errorOf("param w: f32[2] = load(\"w.npy\")\noutput w\n");
    EXPECT_EQ(error.code, Code::File);
    EXPECT_EQ(error.where.line, 1U);
}

TEST_F(LanguageParameters, loadsTensorsOfAnArchive)
{
    const HostTensor weights = HostTensor::ofValues(DType::BF16, Shape{2}, std::array{1.0, 2.0});
    const HostTensor table = HostTensor::ofValues(DType::I64, Shape{3}, std::array{5.0, 6.0, 7.0});
    const HostTensor cells = HostTensor(DType::U32x4, Shape{2});
    ASSERT_TRUE(writeTensorArchive(m_folder / "w.safetensors", {{"a.weight", weights}, {"table", table}, {"cells", cells}}));
    const ProgramResult compiled = compile("param w: bf16[2] = load(\"w.safetensors\", \"a.weight\")\n"
                                           "const t: i64[3] = load(\"w.safetensors\", \"table\")\n"
                                           "const c: u32x4[2] = load(\"w.safetensors\", \"cells\")\n"
                                           "output w\noutput t\noutput c\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    EXPECT_TRUE(firstPlaceholder(compiled).initial->isIdenticalTo(weights));
    const Graph &graph = *compiled.graph;
    EXPECT_TRUE(attributesOf<TensorAttributes>(graph.node(graph.outputs()[1])).value->isIdenticalTo(table));
    EXPECT_TRUE(attributesOf<TensorAttributes>(graph.node(graph.outputs()[2])).value->isIdenticalTo(cells));
}

TEST_F(LanguageParameters, refusesWhatAnArchiveDoesNotHave)
{
    ASSERT_TRUE(writeTensorArchive(m_folder / "w.safetensors", {{"x", HostTensor(DType::F32, Shape{2})}}));
    const Diagnostic missing = errorOf("param w: f32[2] = load(\"w.safetensors\", \"y\")\noutput w\n");
    EXPECT_EQ(missing.code, Code::UnknownName);
    EXPECT_EQ(missing.where.line, 1U);
    const Diagnostic type = errorOf("param w: f64[2] = load(\"w.safetensors\", \"x\")\noutput w\n");
    EXPECT_EQ(type.message, "x holds f32[2], but w is declared as f64[2]");
    EXPECT_EQ(errorOf("param w: f32[2] = load(\"w.safetensors\")\noutput w\n").code, Code::Argument);
    EXPECT_EQ(errorOf("param w: f32[2] = load(\"w.npy\", \"x\")\noutput w\n").code, Code::Argument);
    EXPECT_EQ(errorOf("param w: f32[2] = load(\"w.safetensors\", 3)\noutput w\n").code, Code::Argument);
    EXPECT_EQ(errorOf("param w: f32[2] = load(\"none.safetensors\", \"x\")\noutput w\n").code, Code::File);
}

TEST_F(LanguageParameters, randomKeepsItsSeed)
{
    const ProgramResult compiled = compile("param w: f32[2] = random(42)\noutput w\n");
    ASSERT_TRUE(compiled.graph);
    EXPECT_TRUE(firstPlaceholder(compiled).isRandom);
    EXPECT_EQ(firstPlaceholder(compiled).seed, 42U);
    EXPECT_EQ(errorOf("param w: f32[2] = random(-1)\noutput w\n").code, Code::Argument);
}

TEST_F(LanguageParameters, aStopRequestEndsTheCompilation)
{
    std::stop_source stop;
    stop.request_stop();
    const std::string text = "x = 0\nfor i in range(100000):\n    x = x + i\noutput x\n";
    const ProgramResult compiled = compileProgram({"test.sw", text, {}}, {resourceFolder() / "library"}, stop.get_token());
    EXPECT_FALSE(compiled.graph);
    ASSERT_FALSE(compiled.diagnostics.empty());
    EXPECT_EQ(compiled.diagnostics.front().code, Code::Cancelled);
}

TEST_F(LanguageParameters, withoutALibraryFunctionsAreUnknown)
{
    const ProgramResult compiled = compileProgram({"test.sw", "output softmax([1.0, 2.0])\n", {}}, {m_folder / "none"}, {});
    ASSERT_FALSE(compiled.diagnostics.empty());
    EXPECT_EQ(compiled.diagnostics.front().code, Code::UnknownName);
}

} // namespace
} // namespace sw::test
