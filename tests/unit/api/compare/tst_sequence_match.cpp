// Pairs of equal keys, ascending in both sequences.

#include "engine/api/compare/sequence_match.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

using Keys = std::vector<std::uint64_t>;

void expectValid(const Keys &before, const Keys &after, const std::vector<MatchedPair> &pairs)
{
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        ASSERT_LT(pairs[i].before, before.size());
        ASSERT_LT(pairs[i].after, after.size());
        EXPECT_EQ(before[pairs[i].before], after[pairs[i].after]);
        if (i > 0) {
            EXPECT_LT(pairs[i - 1].before, pairs[i].before);
            EXPECT_LT(pairs[i - 1].after, pairs[i].after);
        }
    }
}

Keys randomKeys(std::mt19937 &random, std::size_t most, std::uint64_t kinds)
{
    Keys keys(random() % most);
    for (std::uint64_t &key : keys)
        key = random() % kinds;
    return keys;
}

TEST(SequenceMatch, pairsEqualKeysInOrder)
{
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t kinds = 1 + random() % 40;
        const Keys before = randomKeys(random, 400, kinds);
        const Keys after = randomKeys(random, 400, kinds + random() % 3);
        const std::vector<MatchedPair> pairs = matchSequences(before, after);
        expectValid(before, after, pairs);
        EXPECT_EQ(matchSequences(before, after), pairs);
        EXPECT_EQ(matchSequences(before, before).size(), before.size());
    }
}

// However many there are, and however often the keys of the others repeat.
TEST(SequenceMatch, keysOfOnlyOneSequenceTakeNoPairAway)
{
    std::mt19937 random(5);
    Keys shorter;
    Keys longer;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint64_t key = random() % 6;
        shorter.push_back(key);
        longer.push_back(key);
        for (std::uint32_t more = random() % 3; more > 0; --more)
            longer.push_back(100 + random() % 6);
    }
    const std::vector<MatchedPair> added = matchSequences(shorter, longer);
    expectValid(shorter, longer, added);
    EXPECT_EQ(added.size(), shorter.size());
    const std::vector<MatchedPair> removed = matchSequences(longer, shorter);
    expectValid(longer, shorter, removed);
    EXPECT_EQ(removed.size(), shorter.size());
}

} // namespace
} // namespace sw
