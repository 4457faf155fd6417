// A second compilation beside the last one, and reports that share documents.

#include "engine/api/describe.h"
#include "engine/api/document_sharing.h"
#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[4, 8]\nh = exp(x * 1.0)\noutput softmax(h)\n";

class BaselineTest : public testing::Test {
protected:
    BaselineTest() { addNativeBackends(m_registry); }

    static ExploreRequest request(std::string text = kProgram)
    {
        ExploreRequest made;
        made.fileName = "test.sw";
        made.text = std::move(text);
        made.device = "interpreter";
        return made;
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

TEST_F(BaselineTest, leavesTheLastCompilationAsItIs)
{
    const ReportPtr last = m_explorer.compile(request(), {}, {});
    ExploreRequest unfused = request();
    unfused.fuse = false;
    const ReportPtr baseline = m_explorer.compileBaseline(unfused, {});
    ASSERT_NE(baseline, nullptr);
    EXPECT_TRUE(baseline->succeeded);
    EXPECT_GT(baseline->kernels.size(), last->kernels.size());
    // What is asked of the engine is still about the last one.
    EXPECT_EQ(m_explorer.documentsAt({static_cast<std::uint32_t>(last->passes.size()) - 1}, {}).lowered.document->items.size(),
              last->lowered->items.size());
    const ReportPtr run = m_explorer.run({.repeats = 1}, {});
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(run->kernels.size(), last->kernels.size());
}

TEST_F(BaselineTest, tellsErrorsAndStops)
{
    static_cast<void>(m_explorer.compile(request(), {}, {}));
    const ReportPtr broken = m_explorer.compileBaseline(request("input x: f32[4\n"), {});
    ASSERT_NE(broken, nullptr);
    EXPECT_FALSE(broken->succeeded);
    EXPECT_FALSE(broken->messages.empty());
    EXPECT_FALSE(m_explorer.partingPoint(request("input x: f32[4\n"), {}).error.empty());
    ExploreRequest other = request();
    other.overrides = "no override\n";
    EXPECT_FALSE(m_explorer.compileBaseline(other, {})->succeeded);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(m_explorer.compileBaseline(request(), stop.get_token()), nullptr);
    EXPECT_EQ(m_explorer.baselineCode(request(), stop.get_token()), nullptr);
}

TEST_F(BaselineTest, findsWhereItParts)
{
    static_cast<void>(m_explorer.compile(request(), {}, {}));
    ExploreRequest unfused = request();
    unfused.fuse = false;
    const PartingAnswer answer = m_explorer.partingPoint(unfused, {}); // compiles it first
    EXPECT_EQ(answer.error, "");
    ASSERT_TRUE(answer.point.has_value());
    EXPECT_EQ(answer.point->passId, "group-kernels");
    const PartingAnswer same = m_explorer.partingPoint(request(), {});
    EXPECT_EQ(same.error, "");
    EXPECT_FALSE(same.point.has_value());
}

TEST_F(BaselineTest, readsTheMachineCodeOfAllItsKernels)
{
    ExploreRequest native = request();
    native.device = "llvm";
    native.fuse = false;
    const ReportPtr compiled = m_explorer.compileBaseline(native, {});
    ASSERT_NE(compiled, nullptr);
    const ReportPtr read = m_explorer.baselineCode(native, {});
    ASSERT_NE(read, nullptr);
    ASSERT_FALSE(read->machine->parts.empty());
    for (const DocumentPart &part : read->machine->parts)
        EXPECT_TRUE(part.isRead);
    EXPECT_EQ(read->lowered, compiled->lowered); // the rest is shared
    EXPECT_EQ(m_explorer.baselineCode(native, {}), read);
}

TEST_F(BaselineTest, isRunInTurnWithTheProgram)
{
    ExploreRequest unfused = request();
    unfused.fuse = false;
    EXPECT_EQ(m_explorer.runBoth(unfused, {}, {}).now, nullptr); // nothing is compiled yet
    const ReportPtr last = m_explorer.compile(request(), {}, {});
    std::uint64_t done = 0;
    int told = 0;
    RunRequest wanted;
    wanted.onProgress = [&](std::uint64_t now, std::uint64_t all) {
        ++told;
        EXPECT_GE(now, done);
        EXPECT_LE(now, all);
        done = now;
    };
    const BothRuns both = m_explorer.runBoth(unfused, wanted, {}); // compiles it first
    EXPECT_EQ(both.error, "");
    ASSERT_NE(both.now, nullptr);
    ASSERT_NE(both.baseline, nullptr);
    EXPECT_GT(told, 0);
    EXPECT_NE(both.difference, "");
    EXPECT_EQ(both.now->graph, last->graph); // the documents stay
    for (const ReportPtr &report : {both.now, both.baseline}) {
        EXPECT_TRUE(report->totalMedianNanoseconds.has_value());
        ASSERT_EQ(report->outputs.size(), 1U);
        for (const KernelEntry &kernel : report->kernels) {
            EXPECT_TRUE(kernel.medianNanoseconds.has_value());
            EXPECT_LE(kernel.lowNanoseconds, kernel.highNanoseconds);
        }
    }
    EXPECT_GT(both.baseline->kernels.size(), both.now->kernels.size());
    // The same inputs give the same results.
    for (std::int64_t i = 0; i < both.now->outputs[0]->elements(); ++i)
        EXPECT_NEAR(both.now->outputs[0]->number(i), both.baseline->outputs[0]->number(i), 1e-6);
    std::stop_source stop;
    stop.request_stop();
    const BothRuns stopped = m_explorer.runBoth(unfused, {}, stop.get_token());
    EXPECT_EQ(stopped.now, nullptr);
    EXPECT_EQ(stopped.baseline, nullptr);
}

TEST_F(BaselineTest, thatCannotRunDoesNotKeepTheProgramFromRunning)
{
    static_cast<void>(m_explorer.compile(request(), {}, {}));
    const BothRuns broken = m_explorer.runBoth(request("input x: f32[4\n"), {}, {});
    EXPECT_NE(broken.error, "");
    EXPECT_EQ(broken.baseline, nullptr);
    ASSERT_NE(broken.now, nullptr);
    EXPECT_TRUE(broken.now->totalMedianNanoseconds.has_value());
    // A value is chosen that is none for the input of the baseline.
    RunRequest wanted;
    InputChoice choice;
    choice.name = "x";
    choice.fill = InputFill::Tensor;
    choice.tensor = broken.now->outputs.front();
    wanted.inputs.push_back(choice);
    const BothRuns other = m_explorer.runBoth(request("input x: f32[2, 8]\noutput x + 1.0\n"), wanted, {});
    EXPECT_NE(other.error, "");
    ASSERT_NE(other.now, nullptr);
    EXPECT_TRUE(other.now->totalMedianNanoseconds.has_value());
    EXPECT_EQ(other.baseline, nullptr);
}

TEST_F(BaselineTest, hasValuesOfItsOwn)
{
    const ReportPtr last = m_explorer.compile(request(), {}, {});
    const ExploreRequest other = request("input x: f32[4, 8]\nh = exp(x * 2.0)\noutput softmax(h)\n");
    const ReportPtr baseline = m_explorer.compileBaseline(other, {});
    const auto nodeOf = [](const Report &report) {
        for (const DocumentItem &item : report.graph->items)
            if (item.label == "exp")
                return item.node;
        return kNoIndex;
    };
    const ValueOpening now = m_explorer.nodeValue(nodeOf(*last), ValueSource::Reference, {});
    const ValueOpening before = m_explorer.baselineValue(other, nodeOf(*baseline), ValueSource::Reference, {});
    ASSERT_NE(now.value, nullptr) << now.error;
    ASSERT_NE(before.value, nullptr) << before.error;
    for (std::int64_t i = 0; i < now.value->elements(); ++i)
        EXPECT_NEAR(before.value->number(i), now.value->number(i) * now.value->number(i), 1e-4);
    EXPECT_NE(m_explorer.baselineValue(other, 10'000, ValueSource::Reference, {}).error, "");
    EXPECT_NE(m_explorer.baselineValue(request("input x: f32[4\n"), 0, ValueSource::Reference, {}).error, "");
}

TEST_F(BaselineTest, sharesTheDocumentsThatAreEqual)
{
    const ReportPtr first = m_explorer.compile(request(), {}, {});
    const ReportPtr again = m_explorer.compile(request(), {}, {});
    EXPECT_NE(again->graph, first->graph);
    const ReportPtr shared = sharedWith(again, *first);
    for (const auto document :
         {&Report::program, &Report::graph, &Report::schedule, &Report::loops, &Report::lowered, &Report::code})
        EXPECT_EQ((*shared).*document, (*first).*document);
    EXPECT_EQ(bytesOf(std::vector{first, shared}), bytesOf(std::vector{first}));
    EXPECT_EQ(bytesOf(std::vector{first, again}), 2 * bytesOf(std::vector{first}));
    const ReportPtr other = m_explorer.compile(request("input x: f32[4, 8]\nh = exp(x + 1.0)\noutput softmax(h)\n"), {}, {});
    const ReportPtr unlike = sharedWith(other, *first);
    EXPECT_EQ(unlike->program, other->program);
    EXPECT_EQ(unlike->lowered, other->lowered);
    EXPECT_FALSE(areEqual(*other->graph, *first->graph));
}

// Fields that are not made would hold on to the stages that they are made from, for as long as the report is kept.
TEST_F(BaselineTest, makesTheFieldsOfWhatIsKept)
{
    const ReportPtr first = m_explorer.compile(request(), {}, {});
    const ReportPtr other = m_explorer.compile(request("input x: f32[4, 8]\nh = exp(x + 1.0)\noutput softmax(h)\n"), {}, {});
    const auto areMade = [](const StageDocument &document) {
        return std::ranges::all_of(document.items, [](const DocumentItem &item) { return item.fields.isMade(); });
    };
    constexpr std::array kDocuments{&Report::graph, &Report::schedule, &Report::loops};
    for (const auto document : kDocuments)
        EXPECT_FALSE(areMade(*((*other).*document))) << nameOf(((*other).*document)->kind);
    const std::size_t unread = bytesOf(std::vector{other});
    const ReportPtr kept = sharedWith(other, *first);
    for (const auto document : kDocuments)
        for (const Report *report : {kept.get(), first.get()})
            EXPECT_TRUE(areMade(*(report->*document))) << nameOf((report->*document)->kind);
    EXPECT_GT(bytesOf(std::vector{kept}), unread);
}

} // namespace
} // namespace sw
