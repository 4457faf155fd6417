#include "engine/backend/interpreter/interpreter_backend.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

class InterpreterBackend : public testing::Test {
protected:
    void SetUp() override
    {
        m_device = m_backend->probe().value().front();
        m_opened = m_backend->open(m_device, {}).value();
        m_source = m_backend->renderer().render(test::unaryKernel(Op::Neg, DType::F32, 8, 4), m_device).value();
    }

    Result<Artifact> compile() { return m_opened.compiler->compile(std::span(&m_source, 1), {}).front(); }

    std::unique_ptr<Backend> m_backend = makeInterpreterBackend();
    DeviceInfo m_device;
    Backend::Opened m_opened;
    RenderedSource m_source;
};

TEST_F(InterpreterBackend, mapsEveryLineToItsInstruction)
{
    EXPECT_EQ(m_source.lines.size(), std::count(m_source.text.begin(), m_source.text.end(), '\n'));
    EXPECT_EQ(m_source.lines.front().tag, CodeTag::Frame);
    EXPECT_EQ(m_source.lines[1].instruction, InstructionId(0U));
}

TEST_F(InterpreterBackend, compilesAndRunsItsOwnText)
{
    const Artifact artifact = compile().value();
    Runtime &runtime = *m_opened.runtime;
    const std::vector<float> in = {1, -2, 3, -4, 5, -6, 7, -8};
    std::vector<float> out(8);
    const std::vector buffers = {runtime.allocate(32).value(), runtime.allocate(32).value()};
    ASSERT_TRUE(runtime.upload(buffers[0], 0, std::as_bytes(std::span(in))));
    const auto result = runtime.launch({.artifact = artifact.id, .buffers = buffers}, {});
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_TRUE(runtime.download(buffers[1], 0, std::as_writable_bytes(std::span(out))));
    EXPECT_EQ(out, (std::vector<float>{-1, 2, -3, 4, -5, 6, -7, 8}));
    ASSERT_TRUE(runtime.copy({.from = buffers[1], .to = buffers[0], .bytes = 32}));
    EXPECT_FALSE(runtime.download(buffers[0], 4, std::as_writable_bytes(std::span(out))));
}

TEST_F(InterpreterBackend, placesErrorsOfEditedTextAtTheirLines)
{
    m_source.text.replace(m_source.text.find("= neg"), 5, "= net");
    const auto artifact = compile();
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().front().code, Code::Compile);
    EXPECT_EQ(artifact.error().front().where.line, 9U);
}

TEST_F(InterpreterBackend, refusesBuffersThatAreTooSmall)
{
    const Artifact artifact = compile().value();
    Runtime &runtime = *m_opened.runtime;
    const std::vector buffers = {runtime.allocate(32).value(), runtime.allocate(28).value()};
    const auto result = runtime.launch({.artifact = artifact.id, .buffers = buffers}, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().front().message, "kernel k0 needs 8 elements of f32 as argument 1, but the buffer has 28 bytes");
}

} // namespace
} // namespace sw
