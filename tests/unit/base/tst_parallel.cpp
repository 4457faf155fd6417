#include "engine/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace sw {
namespace {

TEST(Parallel, doesEachPieceOnce)
{
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
        std::vector<std::atomic<int>> done(count);
        inParallel(count, [&](std::size_t i) { ++done[i]; });
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(done[i], 1) << i << " of " << count;
    }
}

TEST(Parallel, throwsAgainWhatWasThrown)
{
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t i) {
        if (i == 3)
            throw std::runtime_error("the third");
        ++done;
    };
    EXPECT_THROW(inParallel(100, work), std::runtime_error);
    EXPECT_LE(done, 99);
}

} // namespace
} // namespace sw
