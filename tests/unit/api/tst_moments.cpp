#include "engine/api/moments.h"

#include "engine/api/describe.h"
#include "engine/api/document_change.h"
#include "engine/api/explorer.h"
#include "engine/api/kernel_documents.h"
#include "engine/api/resources.h"
#include "engine/api/rule_docs.h"
#include "engine/backend/native_backends.h"
#include "engine/passes/graph/simplify.h"
#include "engine/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sw {
namespace {

// Without what a rewrite took away.
std::vector<std::string> linesOf(const StageDocument &document)
{
    std::vector<std::string> lines;
    for (const DocumentLine &line : document.lines)
        if (std::ranges::find(line.tags, kGoneTag) == line.tags.end())
            lines.push_back(line.text);
    return lines;
}

const StageDocumentPtr &workedOn(const MomentDocuments &documents, StageKind kind)
{
    switch (kind) {
    case StageKind::Graph:
        return documents.graph.document;
    case StageKind::Schedule:
        return documents.schedule.document;
    case StageKind::Loops:
        return documents.loops.document;
    case StageKind::Program:
    case StageKind::Lowered:
    case StageKind::Code:
    case StageKind::Machine:
        break;
    }
    return documents.lowered.document;
}

class MomentTest : public testing::Test {
protected:
    MomentTest() { addNativeBackends(m_registry); }

    ReportPtr compile(const std::string &fileName, const std::string &text = {})
    {
        ExploreRequest request;
        request.fileName = fileName;
        request.text = text;
        request.isFile = text.empty();
        request.compileMachineCode = false;
        return m_explorer.compile(request, {}, {});
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

// The pipeline itself, run from its start, and stopped after k rewrites of pass p.
class StoppedPipeline {
public:
    StoppedPipeline(const BackendRegistry &registry, const std::string &path) : m_compiler(registry)
    {
        CompileRequest request;
        request.program.fileName = path;
        request.program.isText = false;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Code;
        m_compilation = m_compiler.compile(request, {});
    }

    [[nodiscard]] const PipelineRun &whole() const { return m_compilation.pipeline; }
    [[nodiscard]] Stage at(std::uint32_t pass, std::uint32_t rewrites) const
    {
        std::vector<PassInfo> passes;
        for (std::uint32_t i = 0; i < pass; ++i)
            passes.push_back(*whole().steps[i].pass);
        const PipelineRun before = runPipeline(whole().steps.front().before, passes, m_compilation.target, {});
        return runPass(before.last, *whole().steps[pass].pass, m_compilation.target, {}, rewrites).after;
    }

private:
    ProgramCompiler m_compiler;
    Compilation m_compilation;
};

TEST_F(MomentTest, isThePipelineStoppedAfterSoManyRewritesOfAPass)
{
    constexpr int kMomentsOfEach = 12;
    std::mt19937 random(20261);
    for (const ExampleEntry &example : m_explorer.examples()) {
        const ReportPtr report = compile(example.path);
        ASSERT_TRUE(report->succeeded) << example.name;
        const StoppedPipeline stopped(m_registry, example.path);
        ASSERT_EQ(stopped.whole().steps.size(), report->passes.size()) << example.name;
        for (int i = 0; i < kMomentsOfEach; ++i) {
            const auto pass = static_cast<std::uint32_t>(random() % report->passes.size());
            const auto rewrites = static_cast<std::uint32_t>(random() % (report->passes[pass].rewrites + 1));
            const MomentDocuments documents = m_explorer.documentsAt({pass, rewrites}, {});
            const StageDocumentPtr &shown = workedOn(documents, report->passes[pass].output);
            ASSERT_NE(shown, nullptr);
            EXPECT_EQ(linesOf(*shown), linesOf(*describeStage(stopped.at(pass, rewrites))))
                << example.name << ": " << report->passes[pass].id << " after " << rewrites;
            EXPECT_EQ(documents.rewrite.has_value(), rewrites > 0);
        }
    }
}

// The passes that work by construction: axis by axis, transformation by transformation, statement by statement, node by node.
constexpr std::array<std::string_view, 5> kSteppedPasses{"pad-dimensions", "split-words", "build-loops", "choose-transforms",
                                                         "lower-loops"};

TEST_F(MomentTest, everyStepOfAConstructionShowsSomethingNew)
{
    constexpr int kMomentsOfEach = 12;
    std::mt19937 random(20262);
    std::set<std::string> seen;
    for (const ExampleEntry &example : m_explorer.examples()) {
        const ReportPtr report = compile(example.path);
        ASSERT_TRUE(report->succeeded) << example.name;
        const StoppedPipeline stopped(m_registry, example.path);
        for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass) {
            const PassEntry &entry = report->passes[pass];
            if (std::ranges::find(kSteppedPasses, entry.id) == kSteppedPasses.end())
                continue;
            if (!entry.changed)
                continue;
            seen.insert(entry.id);
            EXPECT_GT(entry.rewrites, 1U) << example.name << ": " << entry.id;
            for (const RuleEntry &rule : entry.rules)
                EXPECT_FALSE(ruleDoc(entry.id, rule.rule).empty()) << entry.id << " " << rule.rule;
            for (int i = 0; i < kMomentsOfEach; ++i) {
                const auto done = static_cast<std::uint32_t>(1 + random() % entry.rewrites);
                const MomentDocuments documents = m_explorer.documentsAt({pass, done}, {});
                const StageDocumentPtr &shown = workedOn(documents, entry.output);
                ASSERT_NE(shown, nullptr);
                EXPECT_EQ(linesOf(*shown), linesOf(*describeStage(stopped.at(pass, done))))
                    << example.name << ": " << entry.id << " after " << done;
                const MomentDocuments before = m_explorer.documentsAt({pass, done - 1}, {});
                EXPECT_NE(linesOf(*shown), linesOf(*workedOn(before, entry.output)))
                    << example.name << ": " << entry.id << " after " << done << ": " << documents.rewrite->rule << ": "
                    << documents.rewrite->detail;
            }
            EXPECT_EQ(linesOf(*describeStage(stopped.at(pass, entry.rewrites))),
                      linesOf(*describeStage(stopped.whole().steps[pass].after)))
                << example.name << ": " << entry.id;
        }
    }
    EXPECT_EQ(seen.size(), kSteppedPasses.size());
}

TEST_F(MomentTest, theStatementOfAnInstructionIsMarkedInTheLoops)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4, 8]\noutput exp(x) + 1.0\n");
    ASSERT_TRUE(report->succeeded);
    const auto pass = std::ranges::find(report->passes, "lower-loops", &PassEntry::id);
    const auto index = static_cast<std::uint32_t>(pass - report->passes.begin());
    bool isFound = false;
    for (std::uint32_t done = 1; done <= pass->rewrites; ++done) {
        const MomentDocuments documents = m_explorer.documentsAt({index, done}, {});
        ASSERT_TRUE(documents.rewrite.has_value());
        if (documents.rewrite->rule != "store")
            continue;
        isFound = true;
        ASSERT_EQ(documents.loops.marks.matched.size(), 1U);
        EXPECT_TRUE(documents.loops.document->items[documents.loops.marks.matched.front()].label.starts_with("store"));
        ASSERT_FALSE(documents.lowered.marks.made.empty());
        const DocumentItem &made = documents.lowered.document->items[documents.lowered.marks.made.back()];
        EXPECT_NE(made.label.find("store"), std::string::npos) << made.label;
    }
    EXPECT_TRUE(isFound);
}

TEST_F(MomentTest, aFilterFindsTheRewritesThatSayWhatItAsksFor)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4, 8]\ninput y: f32[16]\n"
                                                "output softmax(x * 1.0)\noutput exp(y * 1.0)\n");
    ASSERT_TRUE(report->succeeded);
    std::vector<std::vector<RewriteEntry>> all;
    for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass)
        all.push_back(m_explorer.rewrites(pass, 0, kNoIndex, {}));
    const auto expectMatches = [&](const RewriteFilter &filter, const auto &isWanted) {
        const std::vector<PassMatches> found = m_explorer.matchingRewrites(filter, {});
        ASSERT_EQ(found.size(), all.size());
        std::size_t matches = 0;
        for (std::size_t pass = 0; pass < all.size(); ++pass) {
            PassMatches wanted;
            for (std::size_t i = 0; i < all[pass].size(); ++i)
                if (isWanted(all[pass][i]))
                    wanted.push_back(static_cast<std::uint32_t>(i + 1));
            EXPECT_EQ(found[pass], wanted) << report->passes[pass].id;
            matches += wanted.size();
        }
        EXPECT_GT(matches, 0U);
    };
    expectMatches({}, [](const RewriteEntry &) { return true; });
    expectMatches({.rule = "drop-neutral"}, [](const RewriteEntry &entry) { return entry.rule == "drop-neutral"; });
    expectMatches({.kernel = 1}, [](const RewriteEntry &entry) { return entry.kernel == 1; });
    expectMatches({.rule = "load", .kernel = 0},
                  [](const RewriteEntry &entry) { return entry.rule == "load" && entry.kernel == 0; });
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(m_explorer.matchingRewrites({}, stop.get_token()).empty());
}

TEST_F(MomentTest, aFilterBySourcesFindsWhatTouchesTheItem)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4]\ninput y: f32[16]\noutput exp(x * 1.0)\noutput log(y * 1.0)\n");
    ASSERT_TRUE(report->succeeded);
    ASSERT_EQ(report->kernels.size(), 2U);
    const auto exponential =
        std::ranges::find_if(report->graph->items, [](const DocumentItem &item) { return item.label == "exp"; });
    const auto logarithm =
        std::ranges::find_if(report->graph->items, [](const DocumentItem &item) { return item.label == "log"; });
    ASSERT_NE(exponential, report->graph->items.end());
    ASSERT_NE(logarithm, report->graph->items.end());
    const auto ofExponential = m_explorer.matchingRewrites({.sources = exponential->sources}, {});
    const auto ofLogarithm = m_explorer.matchingRewrites({.sources = logarithm->sources}, {});
    for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass) {
        const auto entries = m_explorer.rewrites(pass, 0, kNoIndex, {});
        // No rewrite is about both, and in the passes below the graph each kernel has its own.
        PassMatches both;
        std::ranges::set_intersection(ofExponential[pass], ofLogarithm[pass], std::back_inserter(both));
        EXPECT_TRUE(both.empty()) << report->passes[pass].id;
        for (const std::uint32_t done : ofExponential[pass])
            if (entries[done - 1].kernel != kNoIndex) {
                EXPECT_EQ(entries[done - 1].kernel, exponential->kernel) << report->passes[pass].id;
            }
    }
    const auto lowering = std::ranges::find(report->passes, "lower-loops", &PassEntry::id) - report->passes.begin();
    EXPECT_FALSE(ofExponential[static_cast<std::size_t>(lowering)].empty());
    EXPECT_FALSE(ofLogarithm[static_cast<std::size_t>(lowering)].empty());
}

TEST_F(MomentTest, hasTheStagesThatExistByThen)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4, 8]\noutput softmax(x * 1.0)\n");
    ASSERT_TRUE(report->succeeded);
    for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass) {
        const MomentDocuments documents = m_explorer.documentsAt({pass}, {});
        const StageKind worked = report->passes[pass].output;
        EXPECT_NE(documents.graph.document, nullptr);
        EXPECT_EQ(documents.schedule.document != nullptr, worked >= StageKind::Schedule);
        EXPECT_EQ(documents.loops.document != nullptr, worked >= StageKind::Loops);
        EXPECT_EQ(documents.lowered.document != nullptr, worked >= StageKind::Lowered);
    }
    // The last moment is the end.
    const MomentDocuments last = m_explorer.documentsAt({static_cast<std::uint32_t>(report->passes.size()) - 1}, {});
    EXPECT_EQ(last.graph.document, report->graph);
    EXPECT_EQ(linesOf(*last.lowered.document), linesOf(*report->lowered));
    EXPECT_TRUE(m_explorer.documentsAt({1000}, {}).isEmpty());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(m_explorer.documentsAt({0, 0}, stop.get_token()).isEmpty());
}

TEST_F(MomentTest, marksWhatARewriteTookAwayAndWhatItMade)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4]\noutput exp(x * 1.0)\n");
    ASSERT_TRUE(report->succeeded);
    const auto pass = std::ranges::find(report->passes, "simplify", &PassEntry::id);
    ASSERT_NE(pass, report->passes.end());
    const auto index = static_cast<std::uint32_t>(pass - report->passes.begin());
    ASSERT_GE(pass->rewrites, 1U);
    bool isFound = false;
    for (std::uint32_t done = 1; done <= pass->rewrites; ++done) {
        const MomentDocuments documents = m_explorer.documentsAt({index, done}, {});
        ASSERT_TRUE(documents.rewrite.has_value());
        if (documents.rewrite->rule != "drop-neutral")
            continue;
        isFound = true;
        EXPECT_FALSE(documents.rewrite->doc.empty());
        const std::vector<DocumentItem> &items = documents.graph.document->items;
        // The constant that it matched is still there, the product is not.
        std::vector<std::string> gone;
        for (const ItemIndex item : documents.graph.marks.matched)
            if (std::ranges::find(items[item].tags, kGoneTag) != items[item].tags.end())
                gone.push_back(items[item].label);
        EXPECT_EQ(gone, std::vector<std::string>{"mul"});
        EXPECT_EQ(documents.graph.marks.matched.size(), 2U);
        ASSERT_EQ(documents.graph.marks.made.size(), 1U);
        EXPECT_EQ(items[documents.graph.marks.made.front()].label, "x");
    }
    EXPECT_TRUE(isFound);
}

TEST_F(MomentTest, tellsTheRewritesPageByPage)
{
    const ReportPtr report = compile("test.sw", "input x: f32[4, 8]\noutput softmax(x * 1.0)\n");
    ASSERT_TRUE(report->succeeded);
    for (std::uint32_t pass = 0; pass < report->passes.size(); ++pass) {
        const PassEntry &entry = report->passes[pass];
        std::vector<RewriteEntry> all;
        for (std::uint32_t first = 0; first < entry.rewrites; first += 3)
            for (RewriteEntry &rewrite : m_explorer.rewrites(pass, first, 3, {}))
                all.push_back(std::move(rewrite));
        ASSERT_EQ(all.size(), entry.rewrites) << entry.id;
        for (const RewriteEntry &rewrite : all)
            EXPECT_FALSE(rewrite.doc.empty()) << rewrite.rule;
        if (!all.empty()) {
            EXPECT_EQ(m_explorer.documentsAt({pass}, {}).rewrite->detail, all.back().detail);
        }
    }
    EXPECT_TRUE(m_explorer.rewrites(1000, 0, 3, {}).empty());
}

// Putting kernels together gives the document that describing the whole stage gives, however little is kept.
TEST_F(MomentTest, documentsMadeKernelByKernelAreThoseOfTheWholeStage)
{
    for (const ExampleEntry &example : m_explorer.examples()) {
        const StoppedPipeline stopped(m_registry, example.path);
        KernelDocuments roomy;
        KernelDocuments tight(1);
        for (const PassStep &step : stopped.whole().steps) {
            if (levelOf(step.after) < StageLevel::Loops)
                continue;
            const StageDocumentPtr whole = describeStage(step.after);
            const KernelDocuments::Parts parts = roomy.partsOf(step.after);
            const StageDocumentPtr joined =
                KernelDocuments::joined(whole->kind, parts, tight.partsOf(step.after), false).document;
            EXPECT_LE(tight.bytes(), roomy.bytes());
            EXPECT_EQ(joined->title, whole->title);
            EXPECT_EQ(linesOf(*joined), linesOf(*whole)) << example.name << ": " << step.pass->id;
            ASSERT_EQ(joined->items.size(), whole->items.size());
            for (std::size_t i = 0; i < whole->items.size(); ++i) {
                const DocumentItem &item = joined->items[i];
                const DocumentItem &wanted = whole->items[i];
                ASSERT_EQ(item.label, wanted.label) << example.name << ": " << step.pass->id;
                ASSERT_EQ(item.detail, wanted.detail);
                ASSERT_EQ(item.sources, wanted.sources);
                ASSERT_EQ(item.kernel, wanted.kernel);
                ASSERT_EQ(item.place.line, wanted.place.line);
                ASSERT_EQ(item.place.endLine, wanted.place.endLine);
            }
            for (std::size_t i = 0; i < whole->lines.size(); ++i)
                ASSERT_EQ(joined->lines[i].item, whole->lines[i].item);
        }
    }
}

TEST(DocumentChange, findsWhatCameAndWentWhereNumbersChange)
{
    const auto documentOf = [](const std::vector<std::string> &labels) {
        StageDocument document;
        for (const std::string &label : labels) {
            document.lines.push_back({label, static_cast<ItemIndex>(document.items.size()), {}});
            document.items.emplace_back().label = label;
        }
        return document;
    };
    const StageDocument before = documentOf({"%0 load", "%1 add", "%2 mul", "%3 store"});
    const StageDocument after = documentOf({"%0 load", "%1 mul", "%2 neg", "%3 store"});
    const DocumentChange change = changeBetween(before, after);
    EXPECT_EQ(change.gone, std::vector<ItemIndex>{1});
    EXPECT_EQ(change.made, std::vector<ItemIndex>{2});
    EXPECT_EQ(change.partner, (std::vector<ItemIndex>{0, kNoIndex, 1, 3}));
    StageMarks marks;
    const StageDocumentPtr both = withGone(before, after, change, marks);
    ASSERT_EQ(both->lines.size(), 5U);
    EXPECT_EQ(both->lines[1].text, "%1 add");
    EXPECT_EQ(both->lines[1].item, marks.matched.front());
    EXPECT_EQ(both->items.size(), 5U);
}

TEST(RuleDocs, areThoseOfTheRows)
{
    for (const std::span<const GraphRule> rules : simplifyRules())
        for (const GraphRule &rule : rules)
            EXPECT_EQ(ruleDoc("simplify", rule.id), rule.doc);
    EXPECT_FALSE(ruleDoc("split-pairs", "mean-and-distances").empty());
    EXPECT_FALSE(ruleDoc("differentiate", "gradient-of-exp").empty());
    EXPECT_TRUE(ruleDoc("remove-dead", "remove-dead").empty());
    EXPECT_TRUE(ruleDoc("simplify", "nothing").empty());
}

} // namespace
} // namespace sw
