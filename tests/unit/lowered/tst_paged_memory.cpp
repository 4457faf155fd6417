#include "engine/lowered/paged_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sw {
namespace {

constexpr std::size_t kPages = 5;

TEST(PagedMemory, restoresEverySnapshotInAnyOrder)
{
    std::vector<std::byte> live(kPages * PagedMemory::kPageBytes - 100);
    PagedMemory memory(live);
    std::vector<std::vector<std::byte>> contents;
    std::vector<PagedMemory::Snapshot> snapshots;
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const std::size_t at = random() % (live.size() - 64);
        memory.touch(live.data() + at, 64);
        std::fill_n(live.begin() + static_cast<std::ptrdiff_t>(at), 64, std::byte(round));
        if (round % 3 == 0) {
            snapshots.push_back(memory.snapshot());
            contents.push_back(live);
        }
        if (round % 5 == 0 && !snapshots.empty()) {
            const std::size_t which = random() % snapshots.size();
            memory.restore(snapshots[which]);
            ASSERT_EQ(live, contents[which]) << round;
        }
        if (round % 7 == 0 && snapshots.size() > 4) {
            memory.release(snapshots[2]);
            snapshots.erase(snapshots.begin() + 2);
            contents.erase(contents.begin() + 2);
        }
    }
}

TEST(PagedMemory, keepsAPageOnceThatDidNotChange)
{
    std::vector<std::byte> live(kPages * PagedMemory::kPageBytes);
    PagedMemory memory(live);
    const PagedMemory::Snapshot first = memory.snapshot();
    EXPECT_EQ(memory.bytesHeld(), kPages * PagedMemory::kPageBytes + memory.tableBytes());
    EXPECT_EQ(memory.snapshotCost(), memory.tableBytes());
    memory.touch(live.data() + PagedMemory::kPageBytes - 1, 2); // two pages
    EXPECT_EQ(memory.snapshotCost(), 2 * PagedMemory::kPageBytes + memory.tableBytes());
    const PagedMemory::Snapshot second = memory.snapshot();
    EXPECT_EQ(memory.bytesHeld(), (kPages + 2) * PagedMemory::kPageBytes + 2 * memory.tableBytes());
    memory.release(first);
    EXPECT_EQ(memory.bytesHeld(), kPages * PagedMemory::kPageBytes + memory.tableBytes());
}

} // namespace
} // namespace sw
