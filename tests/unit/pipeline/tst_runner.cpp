#include "engine/pipeline/runner.h"

#include "engine/graph/builder.h"
#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/passes/pass.h"
#include "engine/passes/schedule/group_kernels.h"
#include "engine/pipeline/pipeline.h"
#include "tests/support/growing_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sw {
namespace {

constexpr std::string_view kProgram = "stepwell graph 1\n"
                                      "%0 = placeholder {name = \"x\", role = input} : f32[2]\n"
                                      "%1 = neg %0 : f32[2]\n"
                                      "%2 = neg %1 : f32[2]\n"
                                      "sink %2 {names = [\"output\"]}\n";

Stage stageOf(std::string_view text)
{
    auto graph = parseGraph(text, "test.graph");
    return std::make_shared<const Graph>(std::move(graph).value());
}

// Turns every neg into abs, one rewrite each.
Result<std::optional<Graph>> negToAbs(const Graph &graph, PassContext &context)
{
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].kind != NodeKind::Unary || nodes[i].op != Op::Neg || !context.mayRewrite())
            continue;
        nodes[i].op = Op::Abs;
        const auto id = static_cast<std::uint32_t>(i);
        context.record("neg-to-abs", [&] { return RewriteDetail{"neg -> abs", {id}, {id}}; });
    }
    if (context.rewrites().empty())
        return std::optional<Graph>();
    return std::optional<Graph>(Graph(std::move(nodes), graph.sourcesPtr()));
}

Result<std::optional<Graph>> breakTypes(const Graph &graph, PassContext &context)
{
    context.record("break", [] { return RewriteDetail{"f32 -> i32", {1}, {1}}; });
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    nodes[1].dtype = DType::I32;
    return std::optional<Graph>(Graph(std::move(nodes), graph.sourcesPtr()));
}

Result<std::optional<Graph>> refuse(const Graph &, PassContext &)
{
    return Diagnostic::error(Code::Unsupported, {}, "this cannot be done");
}

Result<std::optional<Graph>> assertFalse(const Graph &, PassContext &)
{
    SW_ASSERT(false, "something else");
    return std::optional<Graph>();
}

constexpr PassInfo kNegToAbs = makePass<negToAbs>("neg-to-abs", "Neg to abs", "For tests.");
constexpr PassInfo kBreakTypes = makePass<breakTypes>("break-types", "Break types", "For tests.");
constexpr PassInfo kRefuse = makePass<refuse>("refuse", "Refuse", "For tests.");
constexpr PassInfo kAssertFalse = makePass<assertFalse>("assert-false", "Assert false", "For tests.");
constexpr PassInfo kSchedule = makePass<groupKernels>("schedule", "Schedule", "For tests.");

static_assert(kNegToAbs.input == StageLevel::Graph && kNegToAbs.output == StageLevel::Graph);
static_assert(kSchedule.input == StageLevel::Graph && kSchedule.output == StageLevel::Schedule);
static_assert(isConnected(std::array{kNegToAbs, kSchedule}));
static_assert(!isConnected(std::array{kSchedule, kNegToAbs}));

// A pass from graph to graph, in the form that lists have them.
PassInfo graphPass(std::string_view name, Result<Stage> (*run)(const Stage &, PassContext &))
{
    return {.id = name, .title = name, .doc = "For tests.", .input = StageLevel::Graph, .output = StageLevel::Graph, .run = run};
}

PipelineRun runAll(const std::vector<PassInfo> &passes, const Stage &start)
{
    return runPipeline(start, passes, CompileTarget{}, {});
}

TEST(Runner, recordsEveryPass)
{
    const Stage start = stageOf(kProgram);
    const std::vector<PassInfo> passes{kNegToAbs, kNegToAbs, kSchedule};
    const PipelineRun run = runAll(passes, start);
    EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
    ASSERT_EQ(run.steps.size(), 3U);
    EXPECT_TRUE(run.steps[0].changed);
    EXPECT_EQ(run.steps[0].rewrites.size(), 2U);
    EXPECT_FALSE(run.steps[1].changed);
    EXPECT_EQ(run.steps[1].before, run.steps[1].after);
    EXPECT_EQ(levelOf(run.last), StageLevel::Schedule);
}

TEST(Runner, stopsAtTheFirstFailureAndKeepsTheSteps)
{
    const std::vector<PassInfo> passes{kNegToAbs, kRefuse, kNegToAbs};
    const PipelineRun run = runAll(passes, stageOf(kProgram));
    EXPECT_FALSE(run.succeeded);
    ASSERT_EQ(run.steps.size(), 2U);
    EXPECT_TRUE(run.steps[1].failed);
    ASSERT_EQ(run.diagnostics.size(), 1U);
    EXPECT_EQ(run.diagnostics.front().code, Code::Unsupported);
    EXPECT_EQ(run.last, run.steps[0].after);
}

TEST(Runner, verifiesWhatAPassMade)
{
    const std::vector<PassInfo> passes{kBreakTypes, kNegToAbs};
    const PipelineRun run = runAll(passes, stageOf(kProgram));
    EXPECT_FALSE(run.succeeded);
    ASSERT_EQ(run.steps.size(), 1U);
    EXPECT_EQ(run.steps[0].rewrites.size(), 1U);
    ASSERT_FALSE(run.diagnostics.empty());
    EXPECT_EQ(run.diagnostics.front().code, Code::InvalidIr);
}

// A stage is verified while the next passes run. What they make of a wrong one, and how they fail over it, is nobody's business.
TEST(Runner, endsAtTheStageThatIsWrongWhateverFollows)
{
    for (const PassInfo &next : {kNegToAbs, kRefuse, kAssertFalse, kBreakTypes, kSchedule}) {
        std::vector<std::string_view> told;
        const std::vector<PassInfo> passes{kNegToAbs, kBreakTypes, next, kSchedule};
        const PipelineRun run = runPipeline(stageOf(kProgram), passes, CompileTarget{}, {},
                                            [&](const PassStep &step) { told.push_back(step.pass->id); });
        EXPECT_FALSE(run.succeeded);
        ASSERT_EQ(run.steps.size(), 2U) << next.id;
        EXPECT_FALSE(run.steps[0].failed);
        EXPECT_TRUE(run.steps[1].failed);
        EXPECT_FALSE(run.steps[1].changed);
        EXPECT_EQ(run.steps[1].after, run.steps[0].after);
        EXPECT_EQ(run.last, run.steps[0].after);
        for (const Diagnostic &diagnostic : run.diagnostics)
            EXPECT_EQ(diagnostic.code, Code::InvalidIr);
        EXPECT_FALSE(run.diagnostics.empty());
        EXPECT_EQ(told, (std::vector<std::string_view>{"neg-to-abs", "break-types"}));
    }
}

TEST(Runner, tellsStepsInOrderOnceTheyAreVerified)
{
    std::vector<const PassInfo *> told;
    const std::span<const PassInfo> passes = standardPipeline();
    const PipelineRun run = runPipeline(stageOf(kProgram), passes, CompileTarget{}, {}, [&](const PassStep &step) {
        told.push_back(step.pass);
        EXPECT_EQ(step.changed, step.verifyTime.count() > 0) << step.pass->id;
        if (step.changed) {
            EXPECT_GE(step.verifyBegin, step.begin + step.time) << step.pass->id;
        }
    });
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    ASSERT_EQ(told.size(), passes.size());
    ASSERT_EQ(run.steps.size(), passes.size());
    for (std::size_t i = 0; i < passes.size(); ++i) {
        EXPECT_EQ(told[i], &passes[i]);
        EXPECT_EQ(run.steps[i].pass, &passes[i]);
        if (i == 0)
            continue;
        EXPECT_EQ(run.steps[i].before, run.steps[i - 1].after);
        if (passes[i].output != passes[i - 1].output) { // a level is checked before the next one begins
            for (std::size_t earlier = 0; earlier < i; ++earlier)
                EXPECT_LE(run.steps[earlier].verifyBegin + run.steps[earlier].verifyTime, run.steps[i].begin);
        }
    }
}

TEST(Runner, turnsABrokenAssertionIntoADiagnostic)
{
    const std::vector<PassInfo> passes{kAssertFalse};
    const PipelineRun run = runAll(passes, stageOf(kProgram));
    EXPECT_FALSE(run.succeeded);
    ASSERT_EQ(run.diagnostics.size(), 1U);
    EXPECT_EQ(run.diagnostics.front().code, Code::Internal);
}

TEST(Runner, countsTheRewritesOfARunAndTellsNoneUntilAsked)
{
    const Stage start = stageOf(kProgram);
    const PipelineRun run = runAll({kNegToAbs}, start);
    const PassStep &step = run.steps.front();
    ASSERT_EQ(step.rewrites.size(), 2U);
    EXPECT_EQ(step.rewrites.rules().front(), (RuleCount{"neg-to-abs", 2}));
    EXPECT_EQ(step.rewrites.rule(1), "neg-to-abs");
    EXPECT_TRUE(step.rewrites.events().empty());
    const std::vector<RewriteEvent> second = rewritesOf(step, CompileTarget{}, {1, 1}, {});
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second.front().detail, "neg -> abs");
    EXPECT_EQ(second.front().before, std::vector<std::uint32_t>{2});
}

TEST(RewriteLog, makesTheTextsOfItsWindowOnly)
{
    RewriteLog log({2, 3});
    int told = 0;
    for (int i = 0; i < 10; ++i)
        log.add(i % 2 == 0 ? "even" : "odd", KernelId(static_cast<std::uint32_t>(i)), [&] {
            ++told;
            return RewriteDetail{format("{}", i)};
        });
    EXPECT_EQ(told, 3);
    ASSERT_EQ(log.events().size(), 3U);
    EXPECT_EQ(log.events()[0].detail, "2");
    EXPECT_EQ(log.events()[2].rule, "even");
    ASSERT_EQ(log.size(), 10U);
    EXPECT_EQ(log.rule(9), "odd");
    EXPECT_EQ(log.kernel(9), KernelId(9U));
    EXPECT_EQ(log.countOf("odd"), 5U);
    EXPECT_EQ(log.countOf("none"), 0U);
    log.complete(4, [](RewriteEvent &event) { event.detail = "done"; });
    log.complete(9, [](RewriteEvent &) { FAIL() << "nobody looks at it"; });
    EXPECT_EQ(log.events()[2].detail, "done");
}

// A pass that runs again makes the rewrites that it made before: pages of any size are pieces of the whole list.
TEST(Runner, tellsTheSameRewritesPageByPage)
{
    const Stage start = std::make_shared<const Graph>(test::GrowingGraph::layers(6));
    CompileTarget target;
    const PipelineRun run = runPipeline(start, standardPipeline(), target, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    std::size_t seen = 0;
    for (const PassStep &step : run.steps) {
        const std::vector<RewriteEvent> all = rewritesOf(step, target, kAllRewrites, {});
        ASSERT_EQ(all.size(), step.rewrites.size()) << step.pass->id;
        for (std::uint32_t first = 0; first < all.size(); first += 7) {
            const std::vector<RewriteEvent> page = rewritesOf(step, target, {first, 7}, {});
            ASSERT_EQ(page.size(), std::min<std::size_t>(7, all.size() - first));
            for (std::size_t i = 0; i < page.size(); ++i) {
                EXPECT_EQ(page[i].rule, step.rewrites.rule(first + i));
                EXPECT_EQ(page[i].detail, all[first + i].detail);
                EXPECT_EQ(page[i].after, all[first + i].after);
                ++seen;
            }
        }
    }
    EXPECT_GT(seen, 30U);
}

TEST(Runner, repeatsAPassWithFewerRewrites)
{
    const Stage start = stageOf(kProgram);
    const PassStep one = runPass(start, kNegToAbs, CompileTarget{}, {}, 1);
    ASSERT_EQ(one.rewrites.size(), 1U);
    const Graph &after = *std::get<GraphPtr>(one.after);
    EXPECT_EQ(after.node(NodeId(1U)).op, Op::Abs);
    EXPECT_EQ(after.node(NodeId(2U)).op, Op::Neg);
    EXPECT_FALSE(runPass(start, kNegToAbs, CompileTarget{}, {}, 0).changed);
}

// Verifying takes as long as some passes: who cancels does not wait for it.
TEST(Runner, doesNotVerifyWhatNobodyWants)
{
    std::stop_source stop;
    static std::stop_source *asked = nullptr;
    asked = &stop;
    const PassInfo pass = graphPass("Break and cancel", [](const Stage &before, PassContext &context) -> Result<Stage> {
        asked->request_stop();
        SW_TRY(auto broken, breakTypes(*std::get<GraphPtr>(before), context));
        return Stage(std::make_shared<const Graph>(std::move(*broken)));
    });
    const std::vector<PassInfo> passes{pass};
    const PipelineRun run = runPipeline(stageOf(kProgram), passes, CompileTarget{}, stop.get_token());
    EXPECT_TRUE(run.cancelled);
    ASSERT_EQ(run.diagnostics.size(), 1U);
    EXPECT_EQ(run.diagnostics.front().code, Code::Cancelled);
}

TEST(Runner, stopsWhenItIsCancelled)
{
    std::stop_source stop;
    static std::stop_source *asked = nullptr;
    asked = &stop;
    const PassInfo cancel = graphPass("Cancel", [](const Stage &before, PassContext &) -> Result<Stage> {
        asked->request_stop();
        return Stage(before);
    });
    const std::vector<PassInfo> passes{kNegToAbs, cancel, kNegToAbs};
    const PipelineRun run = runPipeline(stageOf(kProgram), passes, CompileTarget{}, stop.get_token());
    EXPECT_TRUE(run.cancelled);
    EXPECT_FALSE(run.succeeded);
    EXPECT_EQ(run.steps.size(), 2U);
}

TEST(Runner, tellsEachPassBeforeItRuns)
{
    static const WorkProgress *told = nullptr;
    static std::vector<std::string> seen;
    WorkProgress progress;
    told = &progress;
    seen.clear();
    const PassInfo pass = graphPass("Look", [](const Stage &before, PassContext &context) -> Result<Stage> {
        seen.push_back(toText(told->now()));
        context.expectKernels(2);
        context.kernelDone();
        seen.push_back(toText(told->now()));
        return Stage(before);
    });
    const std::vector<PassInfo> passes{pass, pass};
    EXPECT_TRUE(runPipeline(stageOf(kProgram), passes, CompileTarget{}, {}, {}, &progress).succeeded);
    EXPECT_EQ(seen, (std::vector<std::string>{"Look", "Look, 1 of 2 kernels", "Look", "Look, 1 of 2 kernels"}));
    EXPECT_TRUE(runPipeline(stageOf(kProgram), passes, CompileTarget{}, {}).succeeded) << "nobody need wait";
}

TEST(Runner, leavesOutPassesAboveTheStart)
{
    const auto graph = std::get<GraphPtr>(stageOf(kProgram));
    Schedule schedule;
    schedule.graph = graph;
    const std::vector<PassInfo> passes{kNegToAbs, kSchedule};
    const PipelineRun run = runAll(passes, std::make_shared<const Schedule>(std::move(schedule)));
    EXPECT_TRUE(run.succeeded);
    EXPECT_TRUE(run.steps.empty());
}

TEST(Pipeline, passesHaveUniqueIdsAndDocumentation)
{
    std::vector<std::string_view> ids;
    for (const PassInfo &pass : standardPipeline()) {
        EXPECT_FALSE(pass.title.empty());
        EXPECT_TRUE(pass.doc.ends_with('.')) << pass.id;
        EXPECT_EQ(std::ranges::count(ids, pass.id), 0) << pass.id;
        ids.push_back(pass.id);
    }
    EXPECT_TRUE(isConnected(standardPipeline()));
}

} // namespace
} // namespace sw
