// Buffers between pages that nobody may touch, and what a host says of a kernel that touched one.

#include "engine/backend/cpu/cpu_runtime.h"
#include "engine/backend/cpu/crash_handler.h"
#include "engine/backend/cpu/guarded_block.h"
#include "engine/backend/host/crash_note.h"
#include "tests/unit/backend/backend_fixture.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Where the kernel below writes a byte: so many behind the beginning of its only argument.
std::int64_t writtenPlace = 0;

void writeAByte(void *const *args, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t *)
{
    static_cast<volatile char *>(args[0])[writtenPlace] = 1;
}

// Launches that kernel on a guarded buffer of 100 bytes.
Result<LaunchResult> launchOnGuarded()
{
    const auto kernels = std::make_shared<KernelTable>();
    const ArtifactId kernel =
        kernels->add({.run = writeAByte, .indexChecks = {}, .code = {}, .entry = reinterpret_cast<const void *>(&writeAByte)});
    CpuRuntime runtime(kernels, 1, {.guardBuffers = true});
    SW_TRY(const DeviceBufferId buffer, runtime.allocate(100));
    return runtime.launch({kernel, std::span(&buffer, 1)}, {});
}

// A process of its own makes the launch and leaves its note, as a host does.
TEST(CrashHandler, describesTheAccessThatEndedTheProcess)
{
    void *const shared = mmap(nullptr, sizeof(CrashNote), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto &note = *static_cast<CrashNote *>(shared);
    for (const std::int64_t place : {std::int64_t{128}, std::int64_t{-100'000}}) {
        note = {};
        writtenPlace = place;
        const pid_t child = fork();
        if (child == 0) {
            describeCrashesIn(note);
            static_cast<void>(launchOnGuarded());
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), SIGSEGV);
        EXPECT_EQ(note.offset, place);
#if defined(__x86_64__)
        EXPECT_EQ(toText(note), place > 0 ? "it wrote 28 bytes behind the end of argument 0, which has 100 bytes"
                                          : "it wrote 100000 bytes before the beginning of argument 0, which has 100 bytes");
        EXPECT_EQ(note.hasCode, 1U);
        EXPECT_LT(note.code, 200U);
#endif
    }
    munmap(shared, sizeof(CrashNote));
}

TEST(GuardedBuffers, tellAWriteBesideThemAfterTheLaunch)
{
    writtenPlace = 99;
    EXPECT_TRUE(launchOnGuarded());
    for (const auto &[place, told] : {std::pair{std::int64_t{103}, "it wrote 3 bytes behind the end of argument 0"},
                                      std::pair{std::int64_t{-5}, "it wrote 5 bytes before the beginning of argument 0"}}) {
        writtenPlace = place;
        const Result<LaunchResult> launched = launchOnGuarded();
        ASSERT_FALSE(launched);
        EXPECT_NE(toText(launched.error()).find(told), std::string::npos) << toText(launched.error());
    }
}

// Kernels compute the same on guarded buffers.
TEST(GuardedBuffers, runKernelsAsOthersDo)
{
    for (const char *id : {"llvm", "c", "opencl"}) {
        OpenBackend guarded(id, {.guardBuffers = true});
        if (!guarded.isThere())
            continue;
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
