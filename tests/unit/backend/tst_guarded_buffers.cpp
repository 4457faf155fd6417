// Buffers between pages that nobody may touch, and what a host says of a kernel that touched one.

#include "engine/backend/cpu/guarded_block.h"
#include "engine/backend/host/crash_note.h"
#include "tests/unit/backend/backend_fixture.h"

#include <csignal>

namespace sw::test {
namespace {

TEST(GuardedBlock, isZeroFilledAlignedAndAsLargeAsAsked)
{
    for (const std::int64_t bytes : {0, 1, 4, 63, 64, 65, 4095, 4096, 5000, 3 << 20}) {
        Result<GuardedBlock> block = GuardedBlock::make(bytes);
        ASSERT_TRUE(block) << toText(block.error());
        ASSERT_EQ(block->bytes().size(), static_cast<std::size_t>(bytes));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->bytes().data()) % 64, 0U);
        for (std::byte &byte : block->bytes()) {
            ASSERT_EQ(byte, std::byte{0});
            byte = std::byte{1};
        }
        EXPECT_EQ(block->takeOverwritten(), std::nullopt) << bytes;
    }
    EXPECT_FALSE(GuardedBlock::make(-1));
    EXPECT_FALSE(GuardedBlock::make(std::int64_t{1} << 60));
}

TEST(GuardedBlock, findsWhatWasWrittenInTheRoomBesideIt)
{
    Result<GuardedBlock> block = GuardedBlock::make(100);
    ASSERT_TRUE(block);
    std::byte *const data = block->bytes().data();
    data[103] = std::byte{7};
    EXPECT_EQ(block->takeOverwritten(), 103);
    EXPECT_EQ(block->takeOverwritten(), std::nullopt);
    data[-9] = std::byte{7};
    data[100] = std::byte{7};
    EXPECT_EQ(block->takeOverwritten(), -9);
    EXPECT_EQ(block->takeOverwritten(), std::nullopt);
}

// The room is smaller than the alignment, and everything behind it ends the process.
TEST(GuardedBlockDeath, endsTheProcessBesideThePages)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    for (const std::int64_t bytes : {64, 100, 5000, 3 << 20}) {
        Result<GuardedBlock> block = GuardedBlock::make(bytes);
        ASSERT_TRUE(block);
        std::byte *const data = block->bytes().data();
        EXPECT_EXIT(data[bytes + 64] = std::byte{1}, testing::KilledBySignal(SIGSEGV), "") << bytes;
        EXPECT_EXIT(data[bytes + (1 << 19)] = std::byte{1}, testing::KilledBySignal(SIGSEGV), "") << bytes;
        const std::int64_t before = bytes < (2 << 20) ? 1 << 19 : 3 << 20; // there is more room before large ones
        EXPECT_EXIT(data[-before] = std::byte{1}, testing::KilledBySignal(SIGSEGV), "") << bytes;
    }
}

TEST(CrashNote, saysWhatTheKernelDid)
{
    CrashNote note;
    EXPECT_EQ(toText(note), "");
    note.signal = SIGSEGV;
    note.isInLaunch = 1;
    EXPECT_EQ(toText(note), "");
    note.hasAddress = 1;
    note.address = 8;
    EXPECT_EQ(toText(note), "it read through a null pointer");
    note.address = 0x7f0000000000;
    note.isWrite = 1;
    note.argument = 2;
    note.bytes = 64;
    note.offset = 72;
    EXPECT_EQ(toText(note), "it wrote 8 bytes behind the end of argument 2, which has 64 bytes");
    note.offset = -4;
    EXPECT_EQ(toText(note), "it wrote 4 bytes before the beginning of argument 2, which has 64 bytes");
    note.offset = 10;
    EXPECT_EQ(toText(note), "it wrote at byte 10 of argument 2, which has 64 bytes");
    note.argument = -1;
    EXPECT_EQ(toText(note), "it wrote at the address 0x7f0000000000, far from its arguments");
    note.hasAddress = 0;
    note.signal = SIGFPE;
    EXPECT_EQ(toText(note), "it divided by zero, or its quotient does not fit");
    note.isInLaunch = 0;
    EXPECT_EQ(toText(note), "");
}

// Kernels compute the same on guarded buffers.
TEST(GuardedBuffers, runKernelsAsOthersDo)
{
    for (const char *id : {"llvm", "c"}) {
        OpenBackend guarded(id, {.guardBuffers = true});
        if (!guarded.isThere())
            GTEST_SKIP() << guarded.missing();
        auto buffer = guarded.runtime->allocate(100);
        ASSERT_TRUE(buffer);
        std::vector<std::byte> bytes(100, std::byte{3});
        ASSERT_TRUE(guarded.runtime->upload(*buffer, 0, bytes));
        std::vector<std::byte> back(50);
        auto view = guarded.runtime->view(*buffer, 0, 50);
        ASSERT_TRUE(view);
        ASSERT_TRUE(guarded.runtime->download(*view, 0, back));
        EXPECT_EQ(back, std::vector<std::byte>(50, std::byte{3}));
        EXPECT_FALSE(guarded.runtime->upload(*buffer, 1, bytes));
        guarded.runtime->free(*view);
        guarded.runtime->free(*buffer);
        EXPECT_FALSE(guarded.runtime->upload(*buffer, 0, bytes));
    }
}

} // namespace
} // namespace sw::test
