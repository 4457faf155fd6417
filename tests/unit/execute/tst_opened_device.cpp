#include "engine/execute/opened_device.h"

#include "engine/backend/c/c_renderer.h"
#include "engine/backend/interpreter/interpreter_backend.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/opencl/opencl_renderer.h"
#include "engine/base/work_progress.h"
#include "tests/unit/execute/fake_backend.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

class OpenedDeviceTest : public testing::Test {
protected:
    OpenedDeviceTest() { m_registry.add(std::make_unique<FakeBackend>(m_counts)); }

    std::unique_ptr<OpenedDevice> open()
    {
        auto opened = OpenedDevice::open(m_registry, "fake", {});
        return std::move(opened).value();
    }
    static RenderedSource source(std::string symbol, std::string text)
    {
        return {KernelId(0U), std::move(symbol), TargetLanguage::C, std::move(text), {}};
    }

    FakeCounts m_counts;
    BackendRegistry m_registry;
};

TEST_F(OpenedDeviceTest, compilesUnchangedKernelsOnce)
{
    const auto device = open();
    const std::vector<RenderedSource> first{source("a", "1"), source("b", "2"), source("a", "1")};
    const auto artifacts = device->compile(first, {});
    ASSERT_TRUE(artifacts);
    EXPECT_EQ(m_counts.compiled, 2U);
    EXPECT_EQ((*artifacts)[0], (*artifacts)[2]);

    const std::vector<RenderedSource> edited{source("a", "1"), source("b", "3")};
    const auto again = device->compile(edited, {});
    ASSERT_TRUE(again);
    EXPECT_EQ(m_counts.compiled, 3U);
    EXPECT_EQ((*again)[0], (*artifacts)[0]);
    EXPECT_EQ(device->compiledCount(), 3U);
}

// More than are compiled together.
TEST_F(OpenedDeviceTest, saysHowManyKernelsAreCompiled)
{
    const auto device = open();
    std::vector<RenderedSource> sources;
    std::vector<const RenderedSource *> each;
    for (int i = 0; i < 300; ++i)
        sources.push_back(source(format("k{}", i % 299), format("{}", i % 299)));
    for (const RenderedSource &one : sources)
        each.push_back(&one);
    WorkProgress progress;
    progress.begin("Compile");
    const auto artifacts = device->compile(each, {}, &progress);
    ASSERT_TRUE(artifacts) << toText(artifacts.error());
    EXPECT_EQ(artifacts->size(), 300U);
    EXPECT_EQ((*artifacts)[0], (*artifacts)[299]);
    EXPECT_EQ(toText(progress.now()), "Compile, 299 of 299 kernels");
    std::stop_source stop;
    stop.request_stop();
    sources.front().text = "another";
    const auto stopped = device->compile(each, stop.get_token(), &progress);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().back().code, Code::Cancelled);
}

// The texts are those that the devices' own renderers write.
TEST_F(OpenedDeviceTest, compilesKernelsThatDoTheSameOnce)
{
    DeviceInfo info;
    info.id = "any";
    const LlvmRenderer llvm;
    const CRenderer c;
    const OpenClRenderer openCl;
    const auto interpreter = makeInterpreterBackend();
    for (const Renderer *renderer : {static_cast<const Renderer *>(&llvm), static_cast<const Renderer *>(&c),
                                     static_cast<const Renderer *>(&openCl), &interpreter->renderer()}) {
        const auto device = open();
        std::vector<RenderedSource> sources;
        for (std::uint32_t number = 0; number < 4; ++number) {
            LoweredKernel kernel = test::unaryKernel(number == 3 ? Op::Sqrt : Op::Neg, DType::F32, 8);
            kernel.kernel = KernelId(number);
            kernel.name = format("k{}_layer", number);
            kernel.symbol = number == 3 ? "sqrt_8" : "neg_8";
            kernel.arguments = {BufferId(2 * number), BufferId(2 * number + 1)};
            for (Instruction &instruction : kernel.instructions) {
                instruction.origin = test::originOf(number);
                if (instruction.kind == InstructionKind::DefineGlobal)
                    instruction.name = format("t{}", 7 * number + instruction.argument);
            }
            sources.push_back(renderer->render(kernel, info).value());
            EXPECT_EQ(sources.back().kernel, kernel.kernel);
        }
        const auto artifacts = device->compile(sources, {});
        ASSERT_TRUE(artifacts);
        EXPECT_EQ(device->compiledCount(), 2U) << sources[0].text << sources[1].text;
        EXPECT_EQ((*artifacts)[0], (*artifacts)[2]);
        EXPECT_NE((*artifacts)[2], (*artifacts)[3]);
    }
}

TEST_F(OpenedDeviceTest, reportsTheErrorsOfAllKernels)
{
    const auto device = open();
    const std::vector<RenderedSource> sources{source("a", "error"), source("b", "fine"), source("c", "error")};
    const auto artifacts = device->compile(sources, {});
    ASSERT_FALSE(artifacts);
    EXPECT_EQ(artifacts.error().size(), 2U);
}

TEST_F(OpenedDeviceTest, isPlannedForTheThreadsThatItRunsOn)
{
    const auto opened = OpenedDevice::open(m_registry, "fake", {.threads = 7});
    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->info().threads, 7U);
    EXPECT_NE(open()->info().threads, 7U);
}

TEST_F(OpenedDeviceTest, readsMachineCodeOfWhatItCompiled)
{
    const auto device = open();
    const std::vector<RenderedSource> sources{source("a", "1"), source("b", "2")};
    const auto artifacts = device->compile(sources, {});
    ASSERT_TRUE(artifacts);
    const auto machine = device->machineCode(*(*artifacts)[1]);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->front().text, "fake 1");
}

TEST_F(OpenedDeviceTest, releasesArtifactsWithTheDevice)
{
    auto device = open();
    const std::vector<RenderedSource> sources{source("a", "1"), source("b", "2")};
    ASSERT_TRUE(device->compile(sources, {}));
    EXPECT_EQ(m_counts.released, 0U);
    device.reset();
    EXPECT_EQ(m_counts.released, 2U);
}

TEST_F(OpenedDeviceTest, namesTheDevicesThatThereAre)
{
    const auto device = OpenedDevice::open(m_registry, "cuda", {});
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().front().code, Code::DeviceUnavailable);
    EXPECT_NE(device.error().front().message.find("fake"), std::string::npos);
}

} // namespace
} // namespace sw
