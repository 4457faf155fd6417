#include "engine/base/origin.h"

#include "engine/base/assert.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

Origin of(std::initializer_list<std::uint32_t> ids)
{
    std::vector<SourceId> sources;
    for (const std::uint32_t id : ids)
        sources.emplace_back(id);
    return Origin(std::move(sources));
}

TEST(Origin, isASortedSet)
{
    EXPECT_EQ(of({3, 1, 3, 2}), of({1, 2, 3}));
    EXPECT_EQ(Origin::merged(of({1, 5}), of({2, 5})), of({1, 2, 5}));
    EXPECT_TRUE(of({1, 5}).meets(of({0, 5})));
    EXPECT_FALSE(of({1, 5}).meets(of({0, 2, 6})));
    EXPECT_TRUE(of({1, 5}).contains(SourceId(5U)));
}

TEST(Origin, ofOneAndOfManyAreAlike)
{
    EXPECT_EQ(of({3}), Origin(SourceId(3U)));
    EXPECT_EQ(of({3, 3}), Origin(SourceId(3U)));
    EXPECT_NE(of({3}), of({3, 4}));
    EXPECT_NE(of({3, 4}), of({3}));
    EXPECT_EQ(of({4, 3}).sources().size(), 2U);
    EXPECT_TRUE(of({3}).meets(of({2, 3})));
    EXPECT_FALSE(of({3}).contains(SourceId(4U)));
}

// Copies, and what adds nothing to a list, are that list: each pass copies all origins.
TEST(Origin, copiesShareTheirList)
{
    const Origin many = of({1, 2, 5});
    const Origin copy = many;
    EXPECT_TRUE(copy.isSameAs(many));
    EXPECT_TRUE(Origin::merged(many, of({2})).isSameAs(many));
    EXPECT_TRUE(Origin::merged(of({1, 5}), many).isSameAs(many));
    EXPECT_FALSE(of({1, 2, 5}).isSameAs(many));
    EXPECT_EQ(of({1, 2, 5}), many);
}

TEST(Origin, isNeverEmpty)
{
    EXPECT_THROW(Origin(std::vector<SourceId>()), InternalError);
    EXPECT_THROW(Origin(SourceId{}), InternalError);
}

// An item of a library file belongs to the call in the user's program that led to it.
TEST(SourceMap, findsThePlaceInTheProgram)
{
    SourceMap sources;
    const FileId program = sources.addFile({"main.sw", "softmax(x)\n"});
    const FileId library = sources.addFile({"library/nn.sw", "def softmax(x): ...\n"});
    const SourceId call = sources.addItem({program, {"main.sw", 1, 1, 1, 11}, SourceMap::rootScope(), {}, "softmax"});
    const ScopeId scope = sources.addScope({"softmax", SourceMap::rootScope(), call});
    const ScopeId inner = sources.addScope({"exp", scope, call});
    const SourceId body = sources.addItem({library, {"library/nn.sw", 1, 17, 1, 20}, scope, call, "..."});
    EXPECT_EQ(sources.programRange(body), (SourceRange{"main.sw", 1, 1, 1, 11}));
    EXPECT_EQ(sources.scopePath(inner), "softmax/exp");
    EXPECT_EQ(sources.scopePath(SourceMap::rootScope()), "");
}

} // namespace
} // namespace sw
