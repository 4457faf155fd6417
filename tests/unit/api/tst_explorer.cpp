#include "engine/api/explorer.h"

#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/figures_store.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[4, 8]\n"
                                 "input y: f32[4, 8]\n"
                                 "z = x * y + 1.0\n"
                                 "output sum(z, axis = 1)\n";

class ExplorerTest : public testing::Test {
protected:
    ExplorerTest() { addNativeBackends(m_registry); }

    static ExploreRequest request(std::string text, std::string fileName = "test.sw")
    {
        ExploreRequest made;
        made.fileName = std::move(fileName);
        made.text = std::move(text);
        made.device = "interpreter";
        return made;
    }
    ReportPtr compile(const ExploreRequest &wanted, const ReportCallback &progress = {})
    {
        return m_explorer.compile(wanted, progress, {});
    }
    static bool hasTag(const DocumentItem &item, std::string_view tag)
    {
        return std::ranges::find(item.tags, tag) != item.tags.end();
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

TEST_F(ExplorerTest, makesADocumentOfEveryStage)
{
    const ReportPtr report = compile(request(kProgram));
    ASSERT_NE(report, nullptr);
    ASSERT_TRUE(report->succeeded) << (report->messages.empty() ? "" : report->messages.front().text);
    for (const StageDocumentPtr &document :
         {report->program, report->graph, report->schedule, report->loops, report->lowered, report->code, report->machine}) {
        ASSERT_NE(document, nullptr);
        EXPECT_FALSE(document->lines.empty());
        for (const DocumentItem &item : document->items)
            EXPECT_FALSE(item.sources.empty()) << item.label;
        for (const DocumentLine &line : document->lines)
            EXPECT_TRUE(line.item == kNoIndex || line.item < document->items.size());
        for (const DocumentEdge &edge : document->edges)
            EXPECT_TRUE(edge.from < document->items.size() && edge.to < document->items.size());
    }
    EXPECT_EQ(report->kernels.size(), 1U);
    EXPECT_FALSE(report->passes.empty());
}

TEST_F(ExplorerTest, measuresDevicesAfterRepeatedRunsOnly)
{
    const test::TemporaryFolder folder;
    const FiguresStore store(folder.path());
    Explorer explorer(m_registry, findResourceFolder(), &store);
    const auto source = [](const ReportPtr &report) {
        const auto &fields = report->schedule->items.at(0).fields;
        const std::string text = std::ranges::find(fields, "estimated by", &DocumentField::name)->value;
        return text.substr(0, text.find_first_of(",:"));
    };
    EXPECT_EQ(source(explorer.compile(request(kProgram), {}, {})), "assumed");
    RunRequest run;
    run.repeats = 1;
    EXPECT_EQ(source(explorer.run(run, {})), "assumed");
    EXPECT_FALSE(std::filesystem::exists(folder.path()));
    run.repeats = 2;
    EXPECT_EQ(source(explorer.run(run, {})), "measured on this machine");
    EXPECT_EQ(source(explorer.compile(request(kProgram), {}, {})), "measured on this machine");
    // Without a place to keep them in, nothing is measured.
    EXPECT_EQ(source(compile(request(kProgram))), "assumed");
    EXPECT_EQ(source(m_explorer.run(run, {})), "assumed");
}

TEST_F(ExplorerTest, reportsGrowWhileCompiling)
{
    std::vector<ReportPtr> reports;
    const ReportPtr last = compile(request(kProgram), [&](const ReportPtr &report) { reports.push_back(report); });
    ASSERT_GE(reports.size(), 4U);
    EXPECT_NE(reports.front()->program, nullptr);
    const auto isLoweredAlone = [](const ReportPtr &report) { return report->lowered != nullptr && report->code == nullptr; };
    EXPECT_TRUE(std::ranges::any_of(reports, isLoweredAlone)) << "the lowered text does not wait for the code";
    EXPECT_EQ(reports.back()->program, last->program); // shared, not made again
}

// The stages of a small program follow each other at once: those above the lowered text come with it. Those of a large one do not
// wait for it.
TEST_F(ExplorerTest, showsTheStagesOfLargeProgramsOneByOne)
{
    std::string chain = "input x: f32[16]\nx0 = x\n";
    for (int i = 0; i < 2500; ++i)
        chain += format("x{} = sin(x{})\n", i + 1, i);
    for (const auto &[text, isLarge] : {std::pair{chain + "output x2500\n", true}, {std::string(kProgram), false}}) {
        std::vector<ReportPtr> reports;
        ExploreRequest wanted = request(text);
        wanted.compileMachineCode = false;
        const ReportPtr last = compile(wanted, [&](const ReportPtr &report) { reports.push_back(report); });
        ASSERT_TRUE(last->succeeded);
        const auto hasOnlyGraph = [](const ReportPtr &report) { return report->graph != nullptr && report->lowered == nullptr; };
        EXPECT_EQ(std::ranges::any_of(reports, hasOnlyGraph), isLarge);
        for (const ReportPtr &report : reports) {
            if (report->lowered == nullptr)
                continue;
            EXPECT_EQ(report->graph, last->graph);
            EXPECT_EQ(report->schedule, last->schedule);
            EXPECT_EQ(report->loops, last->loops);
            EXPECT_NE(report->loops, nullptr);
        }
    }
}

TEST_F(ExplorerTest, placesErrorsInTheProgram)
{
    const ReportPtr report = compile(request("input x: f32[2]\noutput x + nothing\n"));
    ASSERT_NE(report, nullptr);
    EXPECT_FALSE(report->succeeded);
    ASSERT_FALSE(report->messages.empty());
    EXPECT_EQ(report->messages.front().line, 2U);
    EXPECT_EQ(report->messages.front().severity, MessageSeverity::Error);
    EXPECT_NE(report->program, nullptr);
    EXPECT_EQ(report->graph, nullptr);
    EXPECT_EQ(m_explorer.run({}, {}), nullptr);
}

TEST_F(ExplorerTest, runsAndTimesEveryKernel)
{
    ASSERT_TRUE(compile(request(kProgram))->succeeded);
    const ReportPtr report = m_explorer.run({.seed = 3, .warmup = 0, .repeats = 2}, {});
    ASSERT_NE(report, nullptr);
    ASSERT_EQ(report->outputs.size(), 1U);
    EXPECT_EQ(report->outputs.front()->type(), "f32[4]");
    ASSERT_TRUE(report->kernels.front().medianNanoseconds.has_value());
    EXPECT_TRUE(report->totalMedianNanoseconds.has_value());
}

TEST_F(ExplorerTest, givesTheValueOfAnyNode)
{
    const ReportPtr report = compile(request(kProgram));
    ASSERT_TRUE(report->succeeded);
    const ReportPtr ran = m_explorer.run({.seed = 3, .warmup = 0, .repeats = 1}, {});
    const auto &items = report->graph->items;
    const auto output = std::ranges::find_if(items, [](const DocumentItem &item) { return hasTag(item, "output"); });
    ASSERT_NE(output, items.end());
    const ValueOpening opening = m_explorer.nodeValue(output->node, ValueSource::Reference, {});
    ASSERT_NE(opening.value, nullptr) << opening.error;
    EXPECT_EQ(opening.value->elements(), 4);
    EXPECT_NEAR(opening.value->statistics({})->mean, ran->outputs.front()->statistics({})->mean, 1e-5);
    EXPECT_EQ(m_explorer.nodeValue(100000, ValueSource::Reference, {}).error, "there is no value %100000");
}

TEST_F(ExplorerTest, showsTheStagesAroundAPass)
{
    const ReportPtr report = compile(request(kProgram));
    ASSERT_TRUE(report->succeeded);
    for (std::uint32_t i = 0; i < report->passes.size(); ++i) {
        const PassDocuments documents = m_explorer.passDocuments(i, kNoIndex);
        ASSERT_NE(documents.before, nullptr);
        ASSERT_NE(documents.after, nullptr);
        EXPECT_EQ(documents.before->kind, report->passes[i].input);
        EXPECT_EQ(documents.after->kind, report->passes[i].output);
        EXPECT_EQ(documents.rewrite.empty(), report->passes[i].rewrites == 0);
        std::uint32_t rewrites = 0;
        for (const RuleEntry &entry : report->passes[i].rules)
            rewrites += entry.rewrites;
        EXPECT_EQ(rewrites, report->passes[i].rewrites);
        EXPECT_TRUE(std::ranges::is_sorted(report->passes[i].rules, std::ranges::greater(), &RuleEntry::rewrites));
        if (rewrites > 1) {
            const PassDocuments first = m_explorer.passDocuments(i, 1);
            const std::string rule = first.rewrite.substr(0, first.rewrite.find(": "));
            EXPECT_NE(std::ranges::find(report->passes[i].rules, rule, &RuleEntry::rule), report->passes[i].rules.end()) << rule;
            EXPECT_TRUE(m_explorer.passDocuments(i, 0).rewrite.empty());
        }
    }
    EXPECT_EQ(m_explorer.passDocuments(1000, kNoIndex).before, nullptr);
}

TEST_F(ExplorerTest, describesEachStageAsItsLastPassLeftIt)
{
    ExploreRequest wanted = request(kProgram);
    wanted.device = "llvm";
    const ReportPtr report = compile(wanted);
    ASSERT_TRUE(report->succeeded);
    const auto textOf = [](const StageDocument &document) {
        std::string text;
        for (const DocumentLine &line : document.lines)
            text += line.text + "\n";
        return text;
    };
    for (const StageDocumentPtr &document : {report->graph, report->schedule, report->loops, report->lowered}) {
        StageDocumentPtr last;
        for (std::uint32_t i = 0; i < report->passes.size(); ++i)
            if (report->passes[i].output == document->kind)
                last = m_explorer.passDocuments(i, kNoIndex).after;
        ASSERT_NE(last, nullptr);
        EXPECT_EQ(textOf(*document), textOf(*last));
    }
}

TEST_F(ExplorerTest, returnsNothingWhenCancelled)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(m_explorer.compile(request(kProgram), {}, stop.get_token()), nullptr);
}

// Wherever it is cancelled; what was there before stays.
TEST_F(ExplorerTest, keepsTheLastResultWhenCancelledOnTheWay)
{
    const ExploreRequest other = request("input a: f32[3]\noutput exp(a)\n");
    std::size_t reports = 0;
    static_cast<void>(compile(other, [&](const ReportPtr &) { ++reports; }));
    EXPECT_GE(reports, 4U);
    const ReportPtr whole = compile(request(kProgram));
    ASSERT_TRUE(whole->succeeded);
    for (std::size_t last = 1; last <= reports; ++last) {
        std::stop_source stop;
        std::size_t seen = 0;
        const auto progress = [&](const ReportPtr &) {
            if (++seen == last)
                stop.request_stop();
        };
        EXPECT_EQ(m_explorer.compile(other, progress, stop.get_token()), nullptr);
        EXPECT_EQ(seen, last); // nothing is told any more
        const std::uint32_t lastPass = static_cast<std::uint32_t>(whole->passes.size()) - 1;
        EXPECT_EQ(m_explorer.passDocuments(lastPass, kNoIndex).after->lines.size(), whole->lowered->lines.size());
    }
}

TEST_F(ExplorerTest, opensGraphAndLoweredTexts)
{
    const std::string graph = "stepwell graph 1\n"
                              "%0 = placeholder {name = \"x\", role = input} : f32[16]\n"
                              "%1 = neg %0 : f32[16]\n"
                              "sink %1 {names = [\"output\"]}\n";
    ASSERT_TRUE(compile(request(graph, "a.graph"))->succeeded);
    const ReportPtr ran = m_explorer.run({.warmup = 0, .repeats = 1}, {});
    ASSERT_NE(ran, nullptr);

    const std::string lowered = "kernel \"k0_neg\" symbol \"neg_16\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1]\n"
                                "  %x = define_global f32[16] argument 0\n"
                                "  %y = define_global f32[16] argument 1 written\n"
                                "  %2 = const i64 16\n"
                                "  %i = range %2\n"
                                "    %4 = load f32 %x[%i]\n"
                                "    %5 = neg f32 %4\n"
                                "    store f32 %y[%i], %5\n"
                                "  end_range %i\n"
                                "end\n";
    const ReportPtr report = compile(request(lowered, "a.lowered"));
    ASSERT_TRUE(report->succeeded) << report->messages.front().text;
    const ReportPtr again = m_explorer.run({.warmup = 0, .repeats = 1}, {});
    ASSERT_NE(again, nullptr);
    ASSERT_EQ(again->outputs.size(), 1U);
    EXPECT_EQ(again->outputs.front()->name(), "y");
    // Both read an input called x, filled from the same seed.
    EXPECT_TRUE(again->outputs.front()->tensor().isIdenticalTo(ran->outputs.front()->tensor()));
}

TEST_F(ExplorerTest, saysWhichFilesItOpens)
{
    const ReportPtr report = compile(request("", "a.txt"));
    ASSERT_FALSE(report->messages.empty());
    EXPECT_NE(report->messages.front().hint.find(".onnx"), std::string::npos);
}

TEST_F(ExplorerTest, namesDevicesThatAreMissing)
{
    ExploreRequest wanted = request(kProgram);
    wanted.device = "abacus";
    const ReportPtr report = compile(wanted);
    EXPECT_FALSE(report->succeeded);
    ASSERT_FALSE(report->messages.empty());
    EXPECT_EQ(report->messages.front().code, "device-unavailable");
}

TEST_F(ExplorerTest, listsTheExamplesWithTheirSummaries)
{
    const std::vector<ExampleEntry> examples = m_explorer.examples();
    ASSERT_FALSE(examples.empty());
    for (const ExampleEntry &example : examples)
        EXPECT_FALSE(example.summary.empty()) << example.name;
}

TEST_F(ExplorerTest, readsMachineCodeOfTheKernelsThatAreLookedAt)
{
    EXPECT_EQ(m_explorer.readMachineCode({0}, {}), nullptr); // nothing is compiled yet
    ExploreRequest wanted = request("input x: f32[8, 8]\noutput y = exp(x)\noutput z = sum(x, axis = 0)\n");
    wanted.device = "llvm";
    const ReportPtr compiled = compile(wanted);
    ASSERT_TRUE(compiled != nullptr && compiled->succeeded);
    ASSERT_EQ(compiled->machine->parts.size(), 2U);
    EXPECT_FALSE(compiled->machine->parts[0].isRead);
    EXPECT_TRUE(compiled->machine->items.empty());

    const ReportPtr second = m_explorer.readMachineCode({1, 7}, {}); // there is no kernel 7
    ASSERT_NE(second, nullptr);
    EXPECT_FALSE(second->machine->parts[0].isRead);
    EXPECT_TRUE(second->machine->parts[1].isRead);
    ASSERT_FALSE(second->machine->items.empty());
    for (const DocumentItem &item : second->machine->items)
        EXPECT_EQ(item.kernel, 1U);
    EXPECT_EQ(second->machine->lines.at(second->machine->parts[1].line).text, second->kernels[1].name + ":");

    // What was read before stays, also in the report of a run.
    const ReportPtr both = m_explorer.readMachineCode({0}, {});
    EXPECT_TRUE(both->machine->parts[0].isRead && both->machine->parts[1].isRead);
    const ReportPtr ran = m_explorer.run({}, {});
    ASSERT_NE(ran, nullptr);
    EXPECT_EQ(ran->machine, both->machine);
}

// What the compiler says of a line and what was found out about it are told apart.
TEST_F(ExplorerTest, tagsInferredLinesOfMachineCode)
{
    ExploreRequest wanted = request({}, findResourceFolder() + "/examples/softmax.sw");
    wanted.isFile = true;
    wanted.device = "llvm";
    const ReportPtr compiled = compile(wanted);
    ASSERT_TRUE(compiled != nullptr && compiled->machine != nullptr);
    const ReportPtr report = m_explorer.readMachineCode({0, 1, 2, 3}, {});
    ASSERT_NE(report, nullptr);
    std::size_t inferred = 0;
    for (const DocumentItem &item : report->machine->items)
        inferred += hasTag(item, kInferredTag) ? 1U : 0U;
    EXPECT_GT(inferred, 0U);
    EXPECT_LT(inferred, report->machine->items.size() / 2);
}

} // namespace
} // namespace sw
