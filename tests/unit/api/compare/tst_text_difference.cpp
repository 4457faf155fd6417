#include "engine/api/compare/text_difference.h"

#include "engine/api/stage_text.h"
#include "tests/unit/api/compare/compare_fixture.h"

#include <random>

namespace sw {
namespace {

std::string kindsOf(const TextDifference &difference)
{
    return join(difference.rows, " ", [](const RowPair &row) { return nameOf(row.kind); });
}

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

TextDifference differenceOfLines(const std::vector<std::string> &before, const std::vector<std::string> &after, StageKind stage)
{
    const std::vector<std::string_view> from(before.begin(), before.end());
    const std::vector<std::string_view> to(after.begin(), after.end());
    return differenceOf(from, to, stage);
}

// Both columns are whole and in order; what a row says of its lines is true; spans lie in their lines.
void expectSound(const TextDifference &difference, const std::vector<std::string> &before, const std::vector<std::string> &after)
{
    std::uint32_t nextBefore = 0;
    std::uint32_t nextAfter = 0;
    for (const RowPair &row : difference.rows) {
        if (row.before != kNoIndex) {
            ASSERT_EQ(row.before, nextBefore++);
        }
        if (row.after != kNoIndex) {
            ASSERT_EQ(row.after, nextAfter++);
        }
        if (row.kind == RowKind::Same) {
            ASSERT_EQ(before[row.before], after[row.after]);
        }
        ASSERT_EQ(row.kind == RowKind::Moved, row.other != kNoIndex);
        ASSERT_TRUE(row.kind != RowKind::Removed || row.after == kNoIndex);
        ASSERT_TRUE(row.kind != RowKind::Added || row.before == kNoIndex);
        for (const TextSpan &span : difference.before(row))
            ASSERT_TRUE(span.begin < span.end && span.end <= before[row.before].size());
        for (const TextSpan &span : difference.after(row))
            ASSERT_TRUE(span.begin < span.end && span.end <= after[row.after].size());
    }
    ASSERT_EQ(nextBefore, before.size());
    ASSERT_EQ(nextAfter, after.size());
}

TEST(TextDifference, findsNoneInEqualTexts)
{
    const TextDifference same = differenceOfTexts("a = 1\nb = 2\n", "a = 1\nb = 2\n", StageKind::Program);
    EXPECT_EQ(kindsOf(same), "same same");
    EXPECT_FALSE(same.isDifferent());
}

TEST(TextDifference, takesNumbersThatShiftedForNoDifference)
{
    const TextDifference difference = differenceOfTexts("kernel k0_softmax\n"
                                                        "  v0 f32 = load scores[i0*256]\n"
                                                        "  v1 f32 = exp v0\n"
                                                        "  v2 f32 = sub v1, v0\n",
                                                        "kernel k3_softmax\n"
                                                        "  v0 f32 = load other[i0*4]\n"
                                                        "  v1 f32 = load scores[i0*256]\n"
                                                        "  v2 f32 = exp v1\n"
                                                        "  v3 f32 = sub v2, v1\n",
                                                        StageKind::Loops);
    EXPECT_EQ(kindsOf(difference), "shifted added shifted shifted shifted");
}

TEST(TextDifference, seesAnotherOperandWhereNumbersShift)
{
    const TextDifference difference = differenceOfTexts("%1 = exp %0 : f32[4]\n"
                                                        "%2 = neg %0 : f32[4]\n"
                                                        "%3 = add %1, %2 : f32[4]\n",
                                                        "%1 = sqrt %0 : f32[4]\n"
                                                        "%2 = exp %0 : f32[4]\n"
                                                        "%3 = neg %0 : f32[4]\n"
                                                        "%4 = add %2, %2 : f32[4]\n",
                                                        StageKind::Graph);
    EXPECT_EQ(kindsOf(difference), "added shifted shifted changed");
    ASSERT_EQ(difference.after(difference.rows[3]).size(), 1U); // the second %2; the rest only shifted
    EXPECT_EQ(difference.after(difference.rows[3])[0], (TextSpan{13, 15}));
}

TEST(TextDifference, seesThatEqualTextMeansSomethingElse)
{
    const TextDifference difference =
        differenceOfTexts("%1 = exp %0 : f32[4]\n%2 = neg %0 : f32[4]\n%3 = add %1, %1 : f32[4]\n",
                          "%1 = neg %0 : f32[4]\n%2 = exp %0 : f32[4]\n%3 = add %1, %1 : f32[4]\n", StageKind::Graph);
    EXPECT_TRUE(difference.isDifferent());
    EXPECT_EQ(difference.rows.back().kind, RowKind::Changed);
}

TEST(TextDifference, neverTakesTypesAndSizesForNumbersThatShift)
{
    for (const auto &[before, after] : {std::pair("%1 = exp %0 : f32[4]\n", "%1 = exp %0 : f16[4]\n"),
                                        std::pair("%1 = exp %0 : f32[4]\n", "%1 = exp %0 : f32[5]\n"),
                                        std::pair("%1 = exp %0 : i32[4]\n", "%1 = exp %0 : i64[4]\n"),
                                        std::pair("%1 = exp %0 : f32[4]\n", "%1 = sqrt %0 : f32[4]\n")}) {
        EXPECT_EQ(kindsOf(differenceOfTexts(before, after, StageKind::Graph)), "changed") << before << after;
        EXPECT_EQ(kindsOf(differenceOfTexts(before, after, StageKind::Lowered)), "changed") << before << after;
    }
    EXPECT_EQ(kindsOf(differenceOfTexts("    %v1 = add i1 %v0, 1\n", "    %v1 = add i8 %v0, 1\n", StageKind::Code)), "changed");
}

TEST(TextDifference, takesARenamedValueForARenaming)
{
    const TextDifference program = differenceOfTexts("input x: f32[4]\nhidden = exp(x)\noutput hidden + x\n",
                                                     "input x: f32[4]\npowers = exp(x)\noutput powers + x\n", StageKind::Program);
    EXPECT_EQ(kindsOf(program), "same renamed renamed");
    ASSERT_EQ(program.renamed.size(), 1U);
    EXPECT_EQ(program.renamed[0], (std::pair<std::string, std::string>("hidden", "powers")));
    EXPECT_FALSE(program.isDifferent());
    // Another function, and a name that is still there, are no renaming.
    EXPECT_EQ(
        kindsOf(differenceOfTexts("input x: f32[4]\noutput exp(x)\n", "input x: f32[4]\noutput sqrt(x)\n", StageKind::Program)),
        "same changed");
    EXPECT_EQ(kindsOf(differenceOfTexts("a = exp(x)\nb = a + x\n", "a = exp(x)\nb = x + x\n", StageKind::Program)),
              "same changed");
}

TEST(TextDifference, tellsWhatMovedFromWhatIsNew)
{
    const std::string first = "kernel k0_norm\n  axes\n    i0 64 thread\n    r1 256 vector\n";
    const std::string second = "kernel k1_softmax\n  axes\n    i0 128 loop\n    r3 4096 reduce\n";
    const TextDifference difference = differenceOfTexts(first + second, second + first, StageKind::Loops);
    EXPECT_EQ(difference.count(RowKind::Added), 0U);
    EXPECT_EQ(difference.count(RowKind::Removed), 0U);
    EXPECT_GE(difference.count(RowKind::Moved), 3U);
}

TEST(TextDifference, marksTheWordsThatChanged)
{
    const std::string before = "    set_type i0.o thread  # 64 operations";
    const std::string after = "    set_type i0.o loop  # 64 operations";
    const TextDifference difference = differenceOfTexts(before, after, StageKind::Loops);
    ASSERT_EQ(kindsOf(difference), "changed");
    const auto span = difference.before(difference.rows[0]);
    ASSERT_EQ(span.size(), 1U);
    EXPECT_EQ(before.substr(span[0].begin, span[0].end - span[0].begin), "thread");
}

TEST(TextDifference, takesAddressesAndDistancesOfJumpsForPlaces)
{
    EXPECT_EQ(kindsOf(differenceOfTexts("k0_norm:\n     a  inc rdi\n    1f  jb -195\n",
                                        "k0_norm:\n    1a  inc rdi\n    2f  jb -201\n", StageKind::Machine)),
              "same shifted shifted");
    EXPECT_EQ(kindsOf(differenceOfTexts("     a  add rdi, 256\n", "     a  add rdi, 512\n", StageKind::Machine)), "changed");
}

// Lines from a small set, so that there are many equal ones, with edits of every kind.
TEST(TextDifference, isSoundForRandomEdits)
{
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    for (int round = 0; round < 400; ++round) {
        std::vector<std::string> before;
        const std::uint32_t size = below(round % 10 == 0 ? 2000 : 40);
        for (std::uint32_t i = 0; i < size; ++i)
            before.push_back(format("%{} = op{} %{}, %{} : f32[{}]", i, below(6), below(i + 1), below(i + 1), below(3)));
        std::vector<std::string> after = before;
        for (std::uint32_t edits = below(12); edits > 0 && !after.empty(); --edits) {
            const std::uint32_t at = below(static_cast<std::uint32_t>(after.size()));
            const std::uint32_t end = at + below(static_cast<std::uint32_t>(after.size()) - at);
            switch (below(4)) {
            case 0:
                after.erase(after.begin() + at, after.begin() + end);
                break;
            case 1:
                after.insert(after.begin() + at, before.begin(),
                             before.begin() + below(static_cast<std::uint32_t>(before.size())));
                break;
            case 2:
                std::rotate(after.begin() + at, after.begin() + (at + end) / 2, after.begin() + end);
                break;
            case 3:
                after[at] = format("%{} = new {}", at, below(100));
                break;
            }
        }
        ASSERT_NO_FATAL_FAILURE(expectSound(differenceOfLines(before, after, StageKind::Graph), before, after))
            << "round " << round;
    }
}

class TextDifferenceOfStages : public test::CompareTest {};

// Every example fused and unfused, and on another device: stages are compared as they are.
TEST_F(TextDifferenceOfStages, isSoundForExamplesCompiledInTwoWays)
{
    for (const std::string &file : exampleFiles()) {
        CompileRequest request = requestOfFile(file);
        const Compilation one = compiled(request);
        CompileRequest unfused = request;
        unfused.options.fuse = false;
        request.device = "c";
        for (const Compilation &other : {compiled(unfused), compiled(request)})
            for (const auto &[before, after, stage] :
                 {std::tuple(stageText(one.graph), stageText(other.graph), StageKind::Graph),
                  std::tuple(stageText(one.schedule), stageText(other.schedule), StageKind::Schedule),
                  std::tuple(stageText(one.loops), stageText(other.loops), StageKind::Loops),
                  std::tuple(stageText(one.lowered), stageText(other.lowered), StageKind::Lowered),
                  std::tuple(codeText(*one.lowered, *one.code), codeText(*other.lowered, *other.code), StageKind::Code)}) {
                const TextDifference difference = differenceOfTexts(before, after, stage);
                ASSERT_NO_FATAL_FAILURE(expectSound(difference, linesOf(before), linesOf(after)));
                EXPECT_EQ(difference.count(RowKind::Same) == difference.rows.size(), before == after);
            }
    }
}

// The value's name is in all stages but the code.
TEST_F(TextDifferenceOfStages, findsOnlyRenamesWhereAValueWasRenamed)
{
    const std::string text =
        "input x: f32[64, 32]\nparam w: f32[32, 32] = random(1)\nhidden = relu(x @ w)\noutput out = softmax(hidden) + hidden\n";
    std::string renamed = text;
    for (std::size_t at = renamed.find("hidden"); at != std::string::npos; at = renamed.find("hidden"))
        renamed.replace(at, 6, "inside");
    for (const bool fuse : {true, false}) {
        CompileRequest request = requestOf(text);
        request.options.fuse = fuse;
        const Compilation one = compiled(request);
        request.program.text = renamed;
        const Compilation other = compiled(request);
        for (const auto &[before, after, stage] :
             {std::tuple(text, renamed, StageKind::Program),
              std::tuple(stageText(one.graph), stageText(other.graph), StageKind::Graph),
              std::tuple(stageText(one.schedule), stageText(other.schedule), StageKind::Schedule),
              std::tuple(stageText(one.loops), stageText(other.loops), StageKind::Loops),
              std::tuple(stageText(one.lowered), stageText(other.lowered), StageKind::Lowered),
              std::tuple(codeText(*one.lowered, *one.code), codeText(*other.lowered, *other.code), StageKind::Code)}) {
            const TextDifference difference = differenceOfTexts(before, after, stage);
            for (const RowPair &row : difference.rows)
                EXPECT_FALSE(isDifference(row.kind)) << (row.before != kNoIndex ? linesOf(before)[row.before] : "") << '\n'
                                                     << (row.after != kNoIndex ? linesOf(after)[row.after] : "");
        }
    }
}

} // namespace
} // namespace sw
