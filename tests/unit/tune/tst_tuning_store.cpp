#include "engine/tune/tuning_store.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace sw {
namespace {

std::string key(char digit)
{
    return std::string(64, digit);
}

Tuning tuningOf(const char *transform)
{
    return {.transforms = {parseTransform(transform).value(), parseTransform("reorder i1 i0").value()},
            .gain = 1.5,
            .measuredOn = "2026-11-23",
            .seed = 7};
}

class TuningStoreTest : public testing::Test {
protected:
    [[nodiscard]] static std::string textsOf(const Tuning &tuning)
    {
        return join(tuning.transforms, "; ", [](const Transform &transform) { return toText(transform); });
    }
    [[nodiscard]] std::string text(char digit) const
    {
        std::ifstream file(m_store.fileOf(key(digit)), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(char digit, const std::string &text) const { std::ofstream(m_store.fileOf(key(digit)), std::ios::binary) << text; }

    test::TemporaryFolder m_folder;
    TuningStore m_store{m_folder.path() / "made" / "when needed"};
};

TEST_F(TuningStoreTest, findsWhatWasKept)
{
    EXPECT_EQ(m_store.read(), nullptr);
    EXPECT_FALSE(m_store.changed());
    ASSERT_TRUE(m_store.keep(key('a'), tuningOf("split i0 8"), "k0_y on llvm"));
    ASSERT_TRUE(m_store.keep(key('b'), tuningOf("split i0 16"), "k1_z on llvm"));
    EXPECT_TRUE(m_store.changed());
    const auto tunings = TuningStore(m_store).read(); // another process, say
    ASSERT_EQ(tunings->byKey.size(), 2U);
    EXPECT_TRUE(tunings->notes.empty());
    const Tuning &found = tunings->byKey.at(key('a'));
    EXPECT_EQ(textsOf(found), "split i0 8; reorder i1 i0");
    EXPECT_EQ(reasonOf(found), "tuned: 1.50 x, 2026-11-23, seed 7");
    // A newer one takes the place of an older one.
    ASSERT_TRUE(m_store.keep(key('a'), tuningOf("split i0 4"), "k0_y on llvm"));
    EXPECT_EQ(textsOf(m_store.read()->byKey.at(key('a'))), "split i0 4; reorder i1 i0");
    EXPECT_TRUE(m_store.remove(key('a')).value());
    EXPECT_FALSE(m_store.remove(key('a')).value());
    EXPECT_EQ(m_store.read()->byKey.size(), 1U);
}

TEST_F(TuningStoreTest, aDamagedFileIsNotUsedAndSaysSo)
{
    ASSERT_TRUE(m_store.keep(key('a'), tuningOf("split i0 8"), "k0_y on llvm"));
    ASSERT_TRUE(m_store.keep(key('b'), tuningOf("split i0 16"), "k1_z on llvm"));
    const std::string whole = text('a');
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        write('a', whole.substr(0, length));
        const auto tunings = m_store.read();
        EXPECT_EQ(tunings->byKey.size(), 1U) << length; // the other one
        ASSERT_EQ(tunings->notes.size(), 1U) << length;
        EXPECT_NE(tunings->notes.front().find("it is "), std::string::npos);
        EXPECT_NE(tunings->notes.front().find(key('a')), std::string::npos);
    }
    for (std::size_t at = 0; at < whole.size(); at += 5) {
        std::string changed = whole;
        changed[at] = changed[at] == '1' ? '2' : '1';
        write('a', changed);
        EXPECT_EQ(m_store.read()->byKey.size(), 1U) << at;
    }
    write('a', "stepwell tuning 999\n" + whole);
    EXPECT_NE(m_store.read()->notes.front().find("another version"), std::string::npos);
    write('a', text('b')); // a copy under another name
    EXPECT_NE(m_store.read()->notes.front().find("another kernel"), std::string::npos);
    write('a', std::string(1 << 20, 'x'));
    EXPECT_NE(m_store.read()->notes.front().find("too large"), std::string::npos);
    ASSERT_TRUE(m_store.keep(key('a'), tuningOf("split i0 8"), "k0_y on llvm"));
    EXPECT_TRUE(m_store.read()->notes.empty());
}

TEST_F(TuningStoreTest, hasSoManyFilesAtMost)
{
    const TuningStore small(m_folder.path() / "small", 3);
    const auto begin = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    for (int i = 0; i < 6; ++i) {
        const std::string name = key(static_cast<char>('0' + i));
        ASSERT_TRUE(small.keep(name, tuningOf("split i0 8"), "k on llvm"));
        std::filesystem::last_write_time(small.fileOf(name), begin + std::chrono::seconds(i));
    }
    const auto tunings = small.read();
    EXPECT_EQ(tunings->byKey.size(), 3U);
    EXPECT_TRUE(tunings->byKey.contains(key('5')));
    EXPECT_FALSE(tunings->byKey.contains(key('2')));
}

// One process writes two lists in turn while this one reads: it finds one of them, whole.
TEST_F(TuningStoreTest, isSafeBetweenProcesses)
{
    const std::array lists{tuningOf("split i0 8"), tuningOf("split i0 1024")};
    ASSERT_TRUE(m_store.keep(key('a'), lists[0], "k on llvm"));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        bool isKept = true;
        for (std::size_t i = 0; i < 300; ++i)
            isKept = m_store.keep(key('a'), lists[i % 2], "k on llvm").has_value() && isKept;
        _exit(isKept ? 0 : 1);
    }
    int status = 0;
    std::size_t reads = 0;
    for (bool isOver = false; !isOver || reads == 0; ++reads) {
        isOver = waitpid(child, &status, WNOHANG) != 0;
        const auto tunings = m_store.read();
        ASSERT_NE(tunings, nullptr);
        EXPECT_TRUE(tunings->notes.empty()) << tunings->notes.front();
        const std::string found = textsOf(tunings->byKey.at(key('a')));
        EXPECT_TRUE(found == textsOf(lists[0]) || found == textsOf(lists[1])) << found;
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace sw
