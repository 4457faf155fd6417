#include "engine/api/document_change.h"
#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <tuple>

namespace sw {
namespace {

class LifeTest : public testing::Test {
protected:
    LifeTest() { addNativeBackends(m_registry); }

    ReportPtr compile(const std::string &fileName, const std::string &text = {})
    {
        ExploreRequest request;
        request.fileName = fileName;
        request.text = text;
        request.isFile = text.empty();
        request.compileMachineCode = false;
        return m_explorer.compile(request, {}, {});
    }

    StageDocumentPtr documentAt(MomentPlace place, StageKind stage)
    {
        const MomentDocuments documents = m_explorer.documentsAt(place, {});
        return stage == StageKind::Graph      ? documents.graph.document
               : stage == StageKind::Schedule ? documents.schedule.document
               : stage == StageKind::Loops    ? documents.loops.document
                                              : documents.lowered.document;
    }

    // The items that the moment's rewrite added to the stage, or took away, say this.
    bool isMadeAt(MomentPlace place, StageKind stage, const DocumentItem &item)
    {
        return isMarked(place, stage, item, &StageMarks::made);
    }
    bool isTakenAwayAt(MomentPlace place, StageKind stage, const DocumentItem &item)
    {
        return isMarked(place, stage, item, &StageMarks::matched);
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};

private:
    static std::string textOf(const DocumentItem &item)
    {
        const std::size_t space = item.label.starts_with('%') ? item.label.find(' ') : std::string::npos;
        return (space == std::string::npos ? item.label : item.label.substr(space)) + " " + item.detail;
    }

    bool isMarked(MomentPlace place, StageKind stage, const DocumentItem &item, std::vector<ItemIndex> StageMarks::*marks)
    {
        const MomentDocuments documents = m_explorer.documentsAt(place, {});
        const MomentStage &shown = stage == StageKind::Graph   ? documents.graph
                                   : stage == StageKind::Loops ? documents.loops
                                                               : documents.lowered;
        return std::ranges::any_of(shown.marks.*marks,
                                   [&](ItemIndex i) { return textOf(shown.document->items[i]) == textOf(item); });
    }
};

TEST_F(LifeTest, theRewriteThatMadeAnItemAddsIt)
{
    std::mt19937 random(20263);
    int found = 0;
    for (const ExampleEntry &example : m_explorer.examples()) {
        const ReportPtr report = compile(example.path);
        ASSERT_TRUE(report->succeeded) << example.name;
        for (const auto &[stage, document] :
             {std::pair{StageKind::Graph, report->graph}, {StageKind::Lowered, report->lowered}}) {
            for (int i = 0; i < 4; ++i) {
                const auto item = static_cast<ItemIndex>(random() % document->items.size());
                const ItemLife life = m_explorer.lifeOf({{kNoIndex}, stage, item}, {});
                ASSERT_TRUE(life.history.has_value()) << example.name;
                EXPECT_FALSE(life.history->ended.has_value()); // it is there at the end
                if (!life.history->made || !life.history->made->rewrite)
                    continue;
                ++found;
                const HistoryEvent &made = *life.history->made;
                EXPECT_EQ(documentAt(made.place, stage)->kind, stage);
                EXPECT_TRUE(isMadeAt(made.place, stage, document->items[item]))
                    << example.name << ": " << document->items[item].label << " by " << made.pass << " " << made.place.rewrites;
                EXPECT_FALSE(made.rewrite->doc.empty());
            }
        }
    }
    EXPECT_GT(found, 20);
}

TEST_F(LifeTest, theRewriteThatEndsAnItemTakesItAway)
{
    std::mt19937 random(20264);
    int found = 0;
    for (const ExampleEntry &example : m_explorer.examples()) {
        ASSERT_TRUE(compile(example.path)->succeeded) << example.name;
        const StageDocumentPtr graph = documentAt({0, 0}, StageKind::Graph);
        for (int i = 0; i < 6; ++i) {
            const auto item = static_cast<ItemIndex>(random() % graph->items.size());
            const ItemLife life = m_explorer.lifeOf({{0, 0}, StageKind::Graph, item}, {});
            ASSERT_TRUE(life.history.has_value());
            EXPECT_FALSE(life.history->made.has_value()); // the program gave it
            if (!life.history->ended || !life.history->ended->rewrite)
                continue;
            ++found;
            EXPECT_TRUE(isTakenAwayAt(life.history->ended->place, StageKind::Graph, graph->items[item]))
                << example.name << ": " << graph->items[item].label << " by " << life.history->ended->pass << " "
                << life.history->ended->place.rewrites;
        }
    }
    EXPECT_GT(found, 10);
}

TEST_F(LifeTest, aGhostWasEndedByTheRewriteThatIsShown)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4]\noutput exp(x * 1.0)\n");
    const auto pass = std::ranges::find(report->passes, "simplify", &PassEntry::id) - report->passes.begin();
    const MomentPlace place{static_cast<std::uint32_t>(pass), 1};
    const MomentDocuments documents = m_explorer.documentsAt(place, {});
    const auto &items = documents.graph.document->items;
    const auto ghost = std::ranges::find_if(
        items, [](const DocumentItem &item) { return std::ranges::find(item.tags, kGoneTag) != item.tags.end(); });
    ASSERT_NE(ghost, items.end());
    const ItemLife life = m_explorer.lifeOf({place, StageKind::Graph, static_cast<ItemIndex>(ghost - items.begin())}, {});
    ASSERT_TRUE(life.history && life.history->ended);
    EXPECT_EQ(life.history->ended->place, place);
    EXPECT_EQ(life.history->ended->rewrite->rule, "drop-neutral");
}

TEST_F(LifeTest, aStoryGoesFromTheProgramToTheCode)
{
    for (const ExampleEntry &example : m_explorer.examples()) {
        const ReportPtr report = compile(example.path);
        ASSERT_TRUE(report->succeeded) << example.name;
        std::mt19937 random(20265);
        for (int i = 0; i < 3; ++i) {
            const auto node = static_cast<ItemIndex>(random() % report->graph->items.size());
            const LifeStory story = m_explorer.lifeOf({{kNoIndex}, StageKind::Graph, node}, {}).story;
            ASSERT_TRUE(story.error.empty()) << example.name << ": " << story.error;
            ASSERT_FALSE(story.steps.empty()) << example.name;
            EXPECT_TRUE(std::ranges::is_sorted(
                story.steps, {},
                [](const LifeStep &step) { return std::tuple(step.stage, step.place.pass, step.place.rewrites); }))
                << example.name << " " << story.name;
            for (const LifeStep &step : story.steps) {
                EXPECT_FALSE(step.title.empty());
                if (step.place.pass == kNoIndex || step.items.empty())
                    continue;
                const StageDocumentPtr document = documentAt(step.place, step.stage);
                ASSERT_NE(document, nullptr) << example.name << ": " << step.title;
                for (const ItemIndex item : step.items)
                    EXPECT_LT(item, document->items.size()) << example.name << ": " << step.title;
            }
        }
    }
}

TEST_F(LifeTest, tellsTheStepsOfAValue)
{
    const ReportPtr report = compile("test.sw", "input x: f32[64]\noutput exp(x * 1.0) + 2.0\n");
    ASSERT_TRUE(report->succeeded);
    const auto &items = report->graph->items;
    const auto exponential = std::ranges::find_if(items, [](const DocumentItem &item) { return item.label == "exp"; });
    ASSERT_NE(exponential, items.end());
    const auto node = static_cast<ItemIndex>(exponential - items.begin());
    const LifeStory story = m_explorer.lifeOf({{kNoIndex}, StageKind::Graph, node}, {}).story;
    const auto has = [&](StageKind stage, std::string_view words) {
        return std::ranges::any_of(story.steps, [&](const LifeStep &step) {
            return step.stage == stage && (step.title + " " + step.text).find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(has(StageKind::Program, "line 2"));
    EXPECT_TRUE(has(StageKind::Graph, "exp"));
    EXPECT_TRUE(has(StageKind::Schedule, report->schedule->items[exponential->kernel].label));
    EXPECT_TRUE(has(StageKind::Loops, "compute"));
    EXPECT_TRUE(has(StageKind::Lowered, "Decompose operations"));
    EXPECT_TRUE(has(StageKind::Code, "lines of source"));
    // From the machine's side the same value is found.
    const auto load = std::ranges::find_if(report->lowered->items, [&](const DocumentItem &item) {
        return std::ranges::includes(item.sources, exponential->sources);
    });
    ASSERT_NE(load, report->lowered->items.end());
    const ItemLife lowered =
        m_explorer.lifeOf({{kNoIndex}, StageKind::Lowered, static_cast<ItemIndex>(load - report->lowered->items.begin())}, {});
    EXPECT_EQ(lowered.story.name, story.name);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(m_explorer.lifeOf({{kNoIndex}, StageKind::Graph, node}, stop.get_token()).story.steps.empty());
}

} // namespace
} // namespace sw
