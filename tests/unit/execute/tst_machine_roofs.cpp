// What is read of a machine, the loops behind its roofs, and that roofs are kept. No rate is tested.

#include "engine/backend/native_backends.h"
#include "engine/execute/figures_store.h"
#include "engine/execute/opened_device.h"
#include "engine/execute/roof_loops.h"
#include "engine/ops/tensor_instructions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace sw {
namespace {

class MachineRoofsTest : public testing::Test {
protected:
    MachineRoofsTest()
    {
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        m_folder = std::filesystem::temp_directory_path() / format("stepwell_roofs_{}_{}", info->name(), getpid());
        std::filesystem::remove_all(m_folder);
    }
    ~MachineRoofsTest() override { std::filesystem::remove_all(m_folder); }

    void write(const std::string &file, const std::string &text) const
    {
        const std::filesystem::path path = m_folder / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }

    std::filesystem::path m_folder;
};

TEST(MachineRoofs, readsTheNameOfAProcessor)
{
    EXPECT_EQ(processorName("processor\t: 0\nmodel name\t: AMD EPYC 9B45\nstepping\t: 1\n"), "AMD EPYC 9B45");
    EXPECT_EQ(processorName("processor\t: 0\n"), "processor");
}

TEST(MachineRoofs, passesReadAndWriteEveryByte)
{
    struct Freed {
        void operator()(std::byte *memory) const { std::free(memory); }
    };
    constexpr std::size_t kBytes = 4096;
    const std::unique_ptr<std::byte[], Freed> memory(static_cast<std::byte *>(std::aligned_alloc(64, kBytes)));
    const std::span<std::byte> bytes(memory.get(), kBytes);
    for (const Passage passage : {Passage::EndToEnd, Passage::BeyondCaches}) {
        SCOPED_TRACE(static_cast<int>(passage));
        std::ranges::fill(bytes, std::byte{0});
        EXPECT_EQ(passOver(bytes, Traffic::Read, passage), 0U);
        for (std::size_t line = 0; line < kBytes; line += 64) {
            bytes[line] = std::byte{1};
            EXPECT_NE(passOver(bytes, Traffic::Read, passage), 0U) << line;
            bytes[line] = std::byte{0};
        }
        for (std::size_t i = 0; i < kBytes / 2; ++i)
            bytes[i] = static_cast<std::byte>(i % 251);
        static_cast<void>(passOver(bytes, Traffic::Copy, passage));
        EXPECT_TRUE(std::ranges::equal(bytes.first(kBytes / 2), bytes.last(kBytes / 2)));
        const std::vector<std::byte> before(bytes.begin(), bytes.end());
        static_cast<void>(passOver(bytes, Traffic::Write, passage));
        for (std::size_t line = 0; line < kBytes; line += 64)
            EXPECT_FALSE(std::equal(before.begin() + static_cast<std::ptrdiff_t>(line),
                                    before.begin() + static_cast<std::ptrdiff_t>(line) + 64,
                                    bytes.begin() + static_cast<std::ptrdiff_t>(line)))
                << line;
    }
}

TEST(MachineRoofs, everyLoopRuns)
{
    ASSERT_FALSE(arithmeticLoops().empty());
    for (const ArithmeticLoop &loop : arithmeticLoops()) {
        loop.run(10);
        EXPECT_GT(loop.operationsPerRound, 0) << loop.name;
    }
}

// Each instruction that kernels here may use has a roof.
TEST(MachineRoofs, everyTensorInstructionOfThisProcessorRuns)
{
    for (const ArithmeticLoop &loop : tensorLoops()) {
        EXPECT_TRUE(tensorInstructionNamed(loop.name)) << loop.name;
        loop.run(10);
        EXPECT_GT(loop.operationsPerRound, 0) << loop.name;
    }
    BackendRegistry registry;
    addNativeBackends(registry);
    const auto device = OpenedDevice::open(registry, "llvm", {});
    if (!device)
        GTEST_SKIP() << toText(device.error());
    for (const TensorInstruction one : allTensorInstructions())
        if (hasTensorInstruction((*device)->info().tensorInstructions, one)) {
            const auto loop = std::ranges::find(tensorLoops(), infoOf(one).name, &ArithmeticLoop::name);
            EXPECT_NE(loop, tensorLoops().end()) << infoOf(one).name;
        }
}

TEST(MachineRoofs, measuringCanBeStopped)
{
    std::stop_source stop;
    stop.request_stop();
    const auto roofs = measureRoofs(2, stop.get_token());
    ASSERT_FALSE(roofs);
    EXPECT_EQ(roofs.error().front().code, Code::Cancelled);
}

TEST_F(MachineRoofsTest, areKeptForEachProcessorAndNumberOfThreads)
{
    const FiguresStore store(m_folder / "figures");
    const MachineRoofs roofs{.roofs = {{RoofKind::Memory, "L1 read", 1, 49152, 443.5},
                                       {RoofKind::Memory, "memory copy", 2, 0, 41.25},
                                       {RoofKind::Compute, "AVX-512 FMA", 2, 0, 480},
                                       {RoofKind::Tensor, "amx_bf16", 2, 0, 4096}},
                             .measuredOn = "2026-11-22"};
    EXPECT_FALSE(store.findRoofs("P", 2));
    ASSERT_TRUE(store.keepRoofs("P", 2, roofs));
    EXPECT_EQ(store.findRoofs("P", 2), roofs);
    EXPECT_FALSE(store.findRoofs("P", 1));
    EXPECT_FALSE(store.findRoofs("Q", 2));
    // A damaged file counts as missing.
    const std::filesystem::path file = store.roofsFileOf("P", 2);
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const std::string &damaged :
         {text.substr(0, text.size() - 4), text + "memory 1 2\n", text + "disk 1 2 3 4\n", text + "memory 1 -2 3 x\n",
          text + "memory 1 2 nan x\n", text + "memory 1 2 0 x\n", std::string()}) {
        std::ofstream(file) << damaged;
        EXPECT_FALSE(store.findRoofs("P", 2)) << damaged;
    }
}

} // namespace
} // namespace sw
