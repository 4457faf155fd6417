#include "app/commands/progress_line.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <string>
#include <vector>

namespace sw::command {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, saysEachStepAndLeavesNothing)
{
    WorkProgress progress;
    std::vector<std::string> written;
    std::binary_semaphore isWritten(0);
    {
        progress.begin("Import");
        const ProgressLine line(
            progress,
            [&](std::string_view text) {
                written.emplace_back(text);
                isWritten.release();
            },
            0ms);
        isWritten.acquire();
        progress.begin("Compile");
        progress.expect(7, "kernels");
        isWritten.acquire();
        if (written.back() == "\r\x1b[KCompile") // it came in between
            isWritten.acquire();
    }
    EXPECT_EQ(written.front(), "\r\x1b[KImport");
    EXPECT_EQ(written.at(written.size() - 2), "\r\x1b[KCompile, 0 of 7 kernels");
    EXPECT_EQ(written.back(), "\r\x1b[K");
}

TEST(ProgressLine, isNotThereForShortWork)
{
    WorkProgress progress;
    std::size_t count = 0;
    {
        progress.begin("Import");
        const ProgressLine line(progress, [&](std::string_view) { ++count; }, 1h);
    }
    EXPECT_EQ(count, 0U);
}

} // namespace
} // namespace sw::command
