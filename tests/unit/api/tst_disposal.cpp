#include "engine/api/disposal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace sw {
namespace {

// Counts the parts that are left, and tells when one is destroyed.
class Parts {
public:
    [[nodiscard]] Disposal::Batch batchOf(int count)
    {
        Disposal::Batch batch;
        for (int i = 0; i < count; ++i) {
            ++m_left;
            batch.parts.push_back(std::shared_ptr<const int>(new int(i), [this](const int *part) {
                delete part;
                --m_left;
                m_left.notify_all();
            }));
        }
        return batch;
    }
    // Returns when no more are left than that.
    void waitFor(int most)
    {
        for (int left = m_left; left > most; left = m_left)
            m_left.wait(left);
    }
    [[nodiscard]] int left() const { return m_left; }

private:
    std::atomic<int> m_left{0};
};

TEST(Disposal, destroysWhatItIsGiven)
{
    Parts parts;
    Disposal disposal;
    disposal.add(parts.batchOf(5));
    disposal.add(parts.batchOf(3));
    parts.waitFor(0);
    EXPECT_EQ(parts.left(), 0);
}

TEST(Disposal, destroysNothingDuringAPause)
{
    Parts parts;
    Disposal disposal;
    {
        const Disposal::Pause pause(disposal);
        for (std::size_t i = 0; i <= Disposal::kMostWaiting; ++i)
            disposal.add(parts.batchOf(2));
        std::this_thread::yield();
        EXPECT_EQ(parts.left(), 2 * static_cast<int>(Disposal::kMostWaiting + 1));
        const Disposal::Pause inner(disposal); // does not wait for what cannot happen
    }
    parts.waitFor(0);
}

TEST(Disposal, letsOnlyAFewBatchesWait)
{
    Parts parts;
    Disposal disposal;
    std::optional<Disposal::Pause> pause(std::in_place, disposal);
    for (std::size_t i = 0; i < 2 * Disposal::kMostWaiting; ++i)
        disposal.add(parts.batchOf(1));
    pause.reset();
    const Disposal::Pause next(disposal);
    EXPECT_LE(parts.left(), static_cast<int>(Disposal::kMostWaiting));
}

TEST(Disposal, destroysTheRestAtItsEnd)
{
    Parts parts;
    {
        Disposal disposal;
        const Disposal::Pause pause(disposal);
        disposal.add(parts.batchOf(4));
    }
    EXPECT_EQ(parts.left(), 0);
}

} // namespace
} // namespace sw
