#include "engine/base/parallel.h"
#include "engine/base/work_progress.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(WorkProgress, saysTheStepAndHowMuchOfIt)
{
    WorkProgress progress;
    EXPECT_EQ(toText(progress.now()), "");
    progress.begin("Import");
    EXPECT_EQ(toText(progress.now()), "Import");
    progress.expect(3, "nodes");
    progress.advance();
    progress.advance();
    EXPECT_EQ(toText(progress.now()), "Import, 2 of 3 nodes");
    progress.begin("Schedule");
    EXPECT_EQ(toText(progress.now()), "Schedule") << "the pieces were those of the step before";
    progress.end();
    EXPECT_EQ(toText(progress.now()), "");
}

TEST(WorkProgress, countsWhatThreadsDoSideBySide)
{
    WorkProgress progress;
    progress.begin("Lower loops");
    progress.expect(1000, "kernels");
    inParallel(1000, [&](std::size_t) { progress.advance(); });
    EXPECT_EQ(progress.now().done, 1000U);
    progress.advance(); // a thread that was late for the step before
    EXPECT_EQ(progress.now().done, 1000U);
}

} // namespace
} // namespace sw
