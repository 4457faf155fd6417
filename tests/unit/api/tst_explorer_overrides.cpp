// Overrides through Explorer: what became of them, what they changed, and what a card says of them.

#include "engine/api/effect.h"
#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

namespace sw {
namespace {

constexpr const char *kSoftmax = "input scores: f32[128, 256]\noutput probabilities = softmax(scores, axis = -1)\n";

class ExplorerOverrides : public testing::Test {
protected:
    ExplorerOverrides() { addNativeBackends(m_registry); }

    ReportPtr compile(const std::string &overrides, const std::string &program = kSoftmax, bool optimize = true)
    {
        ExploreRequest request;
        request.fileName = "softmax.sw";
        request.text = program;
        if (!overrides.empty())
            request.overrides = "stepwell overrides 1\n" + overrides;
        request.overridesName = "softmax.overrides";
        request.optimize = optimize;
        return m_explorer.compile(request, {}, {});
    }
    ReportPtr run(std::uint64_t seed = 1)
    {
        RunRequest request;
        request.seed = seed;
        request.repeats = 3;
        return m_explorer.run(request, {});
    }
    static std::uint32_t decisionOf(const Report &report, std::string_view override)
    {
        const auto &items = report.schedule->items;
        const auto found = std::ranges::find_if(items, [&](const DocumentItem &item) {
            return std::ranges::any_of(
                item.fields, [&](const DocumentField &field) { return field.name == "to override" && field.value == override; });
        });
        return found == items.end() ? kNoIndex : static_cast<std::uint32_t>(found - items.begin());
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

// Compiled and run in turn, beside the compilation that is shown.
TEST_F(ExplorerOverrides, measuresBeforeAndAfterInTurn)
{
    const ReportPtr shown = compile("");
    ChangeRequest change;
    change.before.fileName = "softmax.sw";
    change.before.text = kSoftmax;
    change.after = change.before;
    change.after.overrides = "stepwell overrides 1\napart softmax/max -> softmax/shifted\n";
    change.after.overridesName = "softmax.overrides";
    change.budgetMilliseconds = 60;
    std::uint64_t last = 0;
    change.onProgress = [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_LE(last, done);
        EXPECT_LE(done, all);
        last = done;
    };
    const Effect effect = m_explorer.measureChange(change, {});
    EXPECT_EQ(effect.error, "");
    ASSERT_EQ(effect.changes.front().name, "kernels");
    EXPECT_EQ(effect.changes.front().amountBefore, 1);
    EXPECT_EQ(effect.changes.front().amountAfter, 2);
    EXPECT_EQ(effect.changes.back().name, "measured time");
    EXPECT_GT(effect.changes.back().amountBefore, 0);
    EXPECT_NE(effect.changes.back().note.find("runs each in turn"), std::string::npos) << effect.changes.back().note;
    EXPECT_NE(effect.values, ValuesAgree::Unknown);
    EXPECT_NE(effect.values, ValuesAgree::Different) << effect.valuesText;
    EXPECT_GT(last, 0U);
    EXPECT_EQ(run()->kernels.size(), 1U); // of what is shown
    EXPECT_EQ(shown->kernels.size(), 1U);

    change.after.overrides = "stepwell overrides 1\nmelt softmax/max\n";
    EXPECT_NE(m_explorer.measureChange(change, {}).error.find("melt"), std::string::npos);
    change.after.overrides.clear();
    change.after.text = "output oops oops\n";
    const Effect broken = m_explorer.measureChange(change, {});
    EXPECT_FALSE(broken.error.empty());
    EXPECT_TRUE(broken.changes.empty());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(m_explorer.measureChange(change, stop.get_token()).error.empty());
}

TEST_F(ExplorerOverrides, saysWhatBecameOfEach)
{
    const ReportPtr report = compile("apart softmax/max -> softmax/shifted  # to see it\n"
                                     "store nothing\n"
                                     "off store softmax/powers\n"
                                     "loops softmax/probabilities: split i9 2\n");
    ASSERT_TRUE(report->succeeded);
    ASSERT_EQ(report->overrides.size(), 4U);
    const OverrideEntry &apart = report->overrides[0];
    EXPECT_EQ(apart.text, "apart softmax/max -> softmax/shifted");
    EXPECT_EQ(apart.kind, "apart");
    EXPECT_EQ(apart.note, "to see it");
    EXPECT_EQ(apart.state, "applied");
    EXPECT_EQ(apart.line, 2U);
    EXPECT_EQ(apart.where, report->kernels[0].name + ", " + report->kernels[1].name);
    ASSERT_EQ(apart.nodes.size(), 2U);
    EXPECT_EQ(report->graph->items.at(apart.nodes[0]).label, "reduce_axis max");
    EXPECT_EQ(report->overrides[1].state, "unknown value");
    EXPECT_FALSE(report->overrides[1].reason.empty());
    EXPECT_EQ(report->overrides[2].state, "off");
    EXPECT_FALSE(report->overrides[2].isOn);
    EXPECT_EQ(report->overrides[3].state, "refused");
    EXPECT_NE(report->overrides[3].reason.find("has no axis"), std::string::npos) << report->overrides[3].reason;
    const auto isAt = [&](std::uint32_t line) {
        return std::ranges::any_of(report->messages, [&](const Message &message) {
            return message.file == "softmax.overrides" && message.line == line && message.severity == MessageSeverity::Warning;
        });
    };
    EXPECT_TRUE(isAt(3));
    EXPECT_TRUE(isAt(5));
    EXPECT_EQ(report->kernels.size(), 2U);
    EXPECT_EQ(report->figures->kernels, 2);
    EXPECT_TRUE(compile("")->overrides.empty());
}

TEST_F(ExplorerOverrides, aTextThatCannotBeReadIsAnError)
{
    const ReportPtr report = compile("melt softmax/max\n");
    EXPECT_FALSE(report->succeeded);
    ASSERT_EQ(report->messages.size(), 1U);
    EXPECT_EQ(report->messages[0].file, "softmax.overrides");
    EXPECT_EQ(report->messages[0].line, 2U);
    EXPECT_EQ(report->schedule, nullptr);
    EXPECT_FALSE(m_explorer.why(StageKind::Schedule, 0, {}).has_value());
    EXPECT_TRUE(compile("")->succeeded);
}

TEST_F(ExplorerOverrides, aCardLeadsToAnOverrideAndBack)
{
    const ReportPtr plain = compile("");
    const std::uint32_t item = decisionOf(*plain, "apart softmax/max -> softmax/shifted");
    ASSERT_NE(item, kNoIndex);
    const std::optional<WhyCard> card = m_explorer.why(StageKind::Schedule, item, {});
    ASSERT_TRUE(card.has_value());
    EXPECT_EQ(card->title, "softmax/max -> softmax/shifted");
    EXPECT_EQ(card->decision, "in one kernel");
    EXPECT_EQ(card->rule, "row");
    EXPECT_TRUE(card->obstacles.empty());
    ASSERT_FALSE(card->tries.empty());
    const ReportPtr apart = compile(card->tries.front().override + "\n");
    EXPECT_EQ(apart->overrides.front().state, "applied");
    const std::vector<FigureChange> changes = changesBetween(*plain->figures, *apart->figures);
    ASSERT_EQ(card->changes.size(), changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        EXPECT_EQ(card->changes[i].name, changes[i].name);
        EXPECT_EQ(card->changes[i].amountBefore, changes[i].amountBefore);
        EXPECT_EQ(card->changes[i].amountAfter, changes[i].amountAfter);
        EXPECT_EQ(card->changes[i].after, changes[i].after);
    }
    const std::uint32_t now = decisionOf(*apart, "fuse softmax/max -> softmax/shifted");
    ASSERT_NE(now, kNoIndex);
    const std::optional<WhyCard> decided = m_explorer.why(StageKind::Schedule, now, {});
    EXPECT_EQ(decided->rule, "override");
    ASSERT_FALSE(decided->tries.empty());
    EXPECT_TRUE(decided->tries.front().isRemoval);
    EXPECT_EQ(decided->tries.front().override, "apart softmax/max -> softmax/shifted");
}

// What cannot be done says why, before it is tried.
TEST_F(ExplorerOverrides, aCardNamesTheObstacle)
{
    const ReportPtr report = compile("", "input x: f32[40]\ninput i: i64[3]\ne = exp(x)\noutput y = gather(e, i, axis = 0)\n");
    const std::uint32_t item = decisionOf(*report, "fuse e -> y");
    ASSERT_NE(item, kNoIndex);
    const std::optional<WhyCard> card = m_explorer.why(StageKind::Schedule, item, {});
    ASSERT_EQ(card->obstacles.size(), 1U);
    EXPECT_NE(card->obstacles.front().find("must be in memory"), std::string::npos) << card->obstacles.front();
    EXPECT_TRUE(card->changes.empty());
}

TEST_F(ExplorerOverrides, everyItemOfEveryStageIsExplained)
{
    const ReportPtr report = compile("", "input x: f32[64, 32]\nparam w: f32[32, 48] = random(1)\n"
                                         "output y = softmax(relu(x @ w).permute([1, 0]), axis = -1)\n");
    ASSERT_TRUE(report->succeeded);
    for (const StageDocumentPtr &document : {report->graph, report->schedule, report->loops, report->lowered, report->code})
        for (ItemIndex i = 0; i < document->items.size(); i += document->items.size() > 200 ? 37 : 1) {
            const std::optional<WhyCard> card = m_explorer.why(document->kind, i, {});
            const DocumentItem &item = document->items[i];
            const bool isStep = std::ranges::find(item.tags, "step") != item.tags.end();
            ASSERT_EQ(card.has_value(), !isStep && (item.node != kNoIndex || item.kernel != kNoIndex)) << item.label;
            if (card) {
                EXPECT_FALSE(card->title.empty() || toText(*card).empty()) << item.label;
            }
        }
    // A view has no decision of its own, but stands between two values that have one.
    const auto isView = [&](const DocumentEdge &edge) {
        const std::vector<std::string> &tags = report->graph->items[edge.from].tags;
        return edge.decision != kNoIndex && std::ranges::find(tags, "view") != tags.end();
    };
    const auto through = std::ranges::find_if(report->graph->edges, isView);
    ASSERT_NE(through, report->graph->edges.end());
    const std::optional<WhyCard> card = m_explorer.why(StageKind::Graph, through->from, {});
    ASSERT_FALSE(card->parts.empty());
    EXPECT_EQ(card->parts.front().heading, "is read through it");
    EXPECT_EQ(card->parts.front().item, through->decision);
}

TEST_F(ExplorerOverrides, theEffectHasTimesAndValuesOnceBothRan)
{
    const ReportPtr before = compile("");
    const ReportPtr ranBefore = run();
    const ReportPtr after = compile("store softmax/powers\n");
    const Effect estimated = effectOf(*ranBefore, *after);
    EXPECT_EQ(estimated.values, ValuesAgree::Unknown);
    EXPECT_EQ(estimated.changes.size(), 4U);
    const ReportPtr ranAfter = run();
    const Effect measured = effectOf(*ranBefore, *ranAfter);
    ASSERT_EQ(measured.changes.size(), 5U);
    EXPECT_EQ(measured.changes[0].amountBefore, 1);
    EXPECT_EQ(measured.changes[0].amountAfter, static_cast<double>(ranAfter->kernels.size()));
    EXPECT_EQ(measured.changes.back().name, "measured time");
    EXPECT_NE(measured.changes.back().note.find(" before, "), std::string::npos);
    EXPECT_EQ(measured.changes.back().amountBefore, static_cast<double>(*ranBefore->totalMedianNanoseconds));
    EXPECT_TRUE(measured.values == ValuesAgree::Same || measured.values == ValuesAgree::Close) << measured.valuesText;
    EXPECT_EQ(effectOf(*ranBefore, *before).values, ValuesAgree::Unknown);
    // Other inputs say nothing about the override.
    EXPECT_EQ(effectOf(*ranBefore, *run(2)).values, ValuesAgree::Unknown);
}

TEST_F(ExplorerOverrides, timesThatOverlapAreWithinTheNoise)
{
    static_cast<void>(compile(""));
    Report before = *run();
    Report after = before;
    const auto isNoise = [&](std::int64_t least, std::int64_t most) {
        before.figures->minNanoseconds = 100;
        before.figures->maxNanoseconds = 200;
        after.figures->minNanoseconds = least;
        after.figures->maxNanoseconds = most;
        const FigureChange change = effectOf(before, after).changes.back();
        EXPECT_EQ(change.note.ends_with(": within the noise"), change.isWithinNoise);
        return change.isWithinNoise;
    };
    EXPECT_TRUE(isNoise(150, 300));
    EXPECT_TRUE(isNoise(200, 300));
    EXPECT_TRUE(isNoise(120, 130));
    EXPECT_FALSE(isNoise(201, 300));
    EXPECT_FALSE(isNoise(50, 99));
}

TEST_F(ExplorerOverrides, theEffectCountsTheStepsBetweenResults)
{
    const char *const kProgram = "input x: f32[8, 4096]\noutput s = sum(x, axis = 1)\n";
    static_cast<void>(compile("", kProgram));
    const ReportPtr vectors = run();
    static_cast<void>(compile("loops s:\n", kProgram));
    const ReportPtr plain = run();
    const Effect effect = effectOf(*vectors, *plain);
    // Another order of adding rounds differently, within what rounding may do.
    EXPECT_EQ(effect.values, ValuesAgree::Close) << effect.valuesText;
    std::uint64_t worst = 0;
    const NamedTensor &a = vectors->runOutputs->outputs.front();
    const NamedTensor &b = plain->runOutputs->outputs.front();
    for (std::int64_t i = 0; i < a.value.elements(); ++i) {
        const auto bits = [](const NamedTensor &of, std::int64_t at) {
            return std::bit_cast<std::int32_t>(static_cast<float>(of.value.at(at).asDouble()));
        };
        worst = std::max(worst, static_cast<std::uint64_t>(std::abs(std::int64_t{bits(a, i)} - bits(b, i))));
    }
    EXPECT_EQ(effect.maxUlp, worst);
    EXPECT_GT(worst, 0U);
}

} // namespace
} // namespace sw
