// What was found for kernels by measuring, on its way through the compilations of a window: kept, used, left out, forgotten. No
// times are tested.

#include "engine/api/compare/comparer.h"
#include "engine/api/explorer.h"
#include "engine/api/instruments.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/figures_store.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

class TuningsTest : public testing::Test {
protected:
    TuningsTest()
    {
        addNativeBackends(m_registry);
        m_program.fileName = "test.sw";
        m_program.text = "input x: f32[96, 80]\ninput w: f32[80, 64]\noutput y = x @ w\noutput z = sum(x)\n";
    }

    static bool isTuned(const ReportPtr &report)
    {
        return std::ranges::any_of(report->loops->lines,
                                   [](const DocumentLine &line) { return line.text.find("# tuned: ") != std::string::npos; });
    }
    ReportPtr compile(const ExploreRequest &request)
    {
        const ReportPtr report = m_explorer.compile(request, {}, {});
        EXPECT_TRUE(report->succeeded);
        return report;
    }
    // Of the matrix product.
    KernelTuning tuned(std::size_t candidates = 12)
    {
        const TunePlan plan{.kernel = "k0_matmul", .candidates = candidates, .budget = {}};
        TuneAnswer answer = m_instruments.tune(m_program, {}, plan, {});
        EXPECT_EQ(answer.error, "");
        EXPECT_EQ(answer.tunings.size(), 1U);
        return std::move(answer.tunings.at(0));
    }
    static std::size_t anotherOf(const KernelTuning &tuning)
    {
        const auto &all = tuning.search.candidates;
        const auto other = std::find_if(all.begin() + 1, all.end(), [](const Candidate &one) { return one.time > 0; });
        EXPECT_NE(other, all.end());
        return static_cast<std::size_t>(other - all.begin());
    }
    KernelTuning keepAnother()
    {
        KernelTuning tuning = tuned();
        EXPECT_EQ(m_instruments.keep(tuning, anotherOf(tuning), 7), "");
        return tuning;
    }

    test::TemporaryFolder m_folder;
    FiguresStore m_store{m_folder.path()};
    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder(), &m_store};
    Instruments m_instruments{m_registry, findResourceFolder(), &m_store};
    ExploreRequest m_program;
};

TEST_F(TuningsTest, areUsedByTheNextCompilationAndSaidOfTheKernel)
{
    EXPECT_FALSE(isTuned(compile(m_program)));
    const KernelTuned before = m_explorer.tunedOf(0);
    EXPECT_EQ(before.key.size(), 64U);
    EXPECT_EQ(before.kept, "");
    const KernelTuning tuning = keepAnother();
    EXPECT_EQ(tuning.key, before.key);
    // The compilation is the one before: what is kept since is not used in it.
    EXPECT_NE(m_explorer.tunedOf(0).kept, "");
    EXPECT_FALSE(m_explorer.tunedOf(0).isUsed);
    const ReportPtr report = compile(m_program);
    EXPECT_TRUE(isTuned(report));
    EXPECT_TRUE(m_explorer.tunedOf(0).isUsed);
    EXPECT_EQ(m_explorer.tunedOf(1).kept, "");
    // The card of one of its transformations says why it is there.
    const auto &items = report->loops->items;
    const auto split = std::ranges::find_if(items, [](const DocumentItem &item) { return item.label.starts_with("split"); });
    ASSERT_NE(split, items.end());
    const auto card = m_explorer.why(StageKind::Loops, static_cast<ItemIndex>(split - items.begin()), {});
    ASSERT_TRUE(card);
    EXPECT_EQ(card->reason, m_explorer.tunedOf(0).kept);
    // A search tries it first, beside the model's choice, which no tuning replaces.
    const KernelTuning again = tuned(2);
    EXPECT_EQ(again.search.candidates.at(0).transforms, tuning.search.candidates.at(0).transforms);
    EXPECT_EQ(again.search.candidates.at(1).source, CandidateSource::Kept);
    EXPECT_EQ(m_instruments.forget(before.key), "");
    EXPECT_FALSE(isTuned(compile(m_program)));
    EXPECT_EQ(m_explorer.tunedOf(0).kept, "");
}

TEST_F(TuningsTest, areLeftOutWhereTheyAreSwitchedOff)
{
    keepAnother();
    ExploreRequest off = m_program;
    off.tunings = false;
    EXPECT_FALSE(isTuned(compile(off)));
    EXPECT_FALSE(m_explorer.tunedOf(0).isUsed);
    EXPECT_TRUE(isTuned(compile(m_program)));
    EXPECT_FALSE(isTuned(m_explorer.compileBaseline(off, {})));
    const PartingAnswer parted = m_explorer.partingPoint(off, {});
    ASSERT_TRUE(parted.point);
    EXPECT_EQ(parted.point->passId, "choose-transforms");
    // Columns of a matrix, too.
    Comparer comparer(m_registry, findResourceFolder(), &m_store);
    MatrixColumn with;
    with.device = "llvm";
    MatrixColumn without = with;
    without.tunings = false;
    EXPECT_EQ(titleOf(without), "llvm, no tunings");
    const auto codeOf = [&](const MatrixColumn &column) {
        const KernelTexts texts = comparer.kernelTexts({m_program, {}}, column, 0, {});
        EXPECT_EQ(texts.error, "");
        std::string text;
        for (const DocumentLine &line : texts.code->lines)
            text += line.text + '\n';
        return text;
    };
    EXPECT_NE(codeOf(with), codeOf(without));
}

// The baseline of the same request is made again when a kernel was tuned since.
TEST_F(TuningsTest, makeABaselineOld)
{
    compile(m_program);
    EXPECT_FALSE(isTuned(m_explorer.compileBaseline(m_program, {})));
    EXPECT_FALSE(m_explorer.partingPoint(m_program, {}).point);
    keepAnother();
    EXPECT_TRUE(m_explorer.partingPoint(m_program, {}).point);
}

TEST_F(TuningsTest, needAFolderAndATime)
{
    const KernelTuning tuning = tuned();
    const Instruments nowhere(m_registry, findResourceFolder());
    EXPECT_NE(nowhere.keep(tuning, anotherOf(tuning), 1).find("no folder"), std::string::npos);
    EXPECT_NE(nowhere.forget(tuning.key).find("no folder"), std::string::npos);
    KernelTuning refused = tuning;
    refused.search.candidates.at(1).time = 0;
    EXPECT_NE(m_instruments.keep(refused, 1, 1).find("has no time"), std::string::npos);
}

} // namespace
} // namespace sw
