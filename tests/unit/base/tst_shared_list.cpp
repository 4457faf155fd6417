#include "engine/base/shared_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace sw {
namespace {

using Names = SharedList<std::string>;

// Counts how often it makes a list.
class Maker : public ListMaker<std::string> {
public:
    explicit Maker(std::atomic<int> &made) : m_made(made) {}
    [[nodiscard]] std::vector<std::string> make(std::uint32_t number) const override
    {
        ++m_made;
        return std::vector<std::string>(number, "late");
    }

private:
    std::atomic<int> &m_made;
};

TEST(SharedList, isSharedUntilOneIsChanged)
{
    const Names first{"a", "b"};
    Names second = first;
    EXPECT_TRUE(second.isSameAs(first));
    second.push_back("c");
    EXPECT_FALSE(second.isSameAs(first));
    EXPECT_EQ(first.values(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(second.values(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(SharedList, isChangedInPlaceByItsOnlyOwner)
{
    Names names{"a", "b"};
    const std::string *const first = &names.front();
    names.edit().front() = "c";
    EXPECT_EQ(&names.front(), first);
    EXPECT_EQ(names, (Names{"c", "b"}));
}

TEST(SharedList, beginsEmpty)
{
    Names names;
    EXPECT_TRUE(names.empty());
    EXPECT_EQ(names.begin(), names.end());
    EXPECT_EQ(names, Names(std::vector<std::string>()));
    names.emplace_back("a");
    EXPECT_EQ(names.size(), 1U);
    EXPECT_EQ(names[0], "a");
}

TEST(SharedList, isMadeLaterAndOnceForAllOfItsCopies)
{
    std::atomic<int> made = 0;
    auto maker = std::make_shared<const Maker>(made);
    const std::weak_ptr<const Maker> watched = maker;
    const Names two = Names::later(maker, 2);
    const Names three = Names::later(std::move(maker), 3);
    const Names copy = two; // NOLINT(performance-unnecessary-copy-initialization): it is what is tested
    EXPECT_EQ(made, 0);
    EXPECT_FALSE(copy.isMade());
    EXPECT_EQ(copy.size(), 2U);
    EXPECT_TRUE(two.isMade());
    EXPECT_FALSE(three.isMade());
    EXPECT_TRUE(Names({"a"}).isMade());
    EXPECT_TRUE(Names().isMade());
    EXPECT_EQ(two.front(), "late");
    EXPECT_EQ(made, 1);
    EXPECT_FALSE(watched.expired()) << "the other list needs it";
    EXPECT_EQ(three, (Names{"late", "late", "late"}));
    EXPECT_EQ(made, 2);
    EXPECT_TRUE(watched.expired()) << "nobody needs it any more";
}

TEST(SharedList, isMadeBeforeItIsChanged)
{
    std::atomic<int> made = 0;
    Names names = Names::later(std::make_shared<const Maker>(made), 1);
    const Names before = names;
    names.push_back("more");
    EXPECT_EQ(names, (Names{"late", "more"}));
    EXPECT_EQ(before, (Names{"late"}));
}

TEST(SharedList, isMadeOnceForSeveralThreads)
{
    std::atomic<int> made = 0;
    const Names names = Names::later(std::make_shared<const Maker>(made), 5);
    std::atomic<std::size_t> read = 0;
    {
        std::vector<std::jthread> readers;
        for (int i = 0; i < 4; ++i)
            readers.emplace_back([&] { read += names.size(); });
    }
    EXPECT_EQ(read, 20U);
    EXPECT_EQ(made, 1);
}

} // namespace
} // namespace sw
