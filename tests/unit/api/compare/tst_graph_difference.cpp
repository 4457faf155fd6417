#include "engine/api/compare/graph_difference.h"

#include "engine/api/compare/item_pairs.h"
#include "engine/api/describe.h"
#include "tests/unit/api/compare/compare_fixture.h"

namespace sw {
namespace {

class GraphDifferenceTest : public test::CompareTest {
protected:
    GraphDifference ofPrograms(const std::string &before, const std::string &after)
    {
        return graphDifferenceOf(*documentOf(before), *documentOf(after));
    }
    StageDocumentPtr documentOf(const std::string &text)
    {
        const Compilation compilation = compiled(text);
        return describeGraph(*compilation.graph, compilation.schedule.get());
    }
    static std::vector<std::string> labels(const GraphDifference &difference, ItemKind kind)
    {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < difference.items.size(); ++i)
            if (difference.items[i].kind == kind)
                found.push_back(difference.both->items[i].label);
        return found;
    }
};

// Every item of both stands in the drawing once; what it says of them is true; edges end at items.
void expectSound(const GraphDifference &difference, const StageDocument &before, const StageDocument &after)
{
    ASSERT_EQ(difference.items.size(), difference.both->items.size());
    ASSERT_EQ(difference.edges.size(), difference.both->edges.size());
    std::vector<int> seenBefore(before.items.size(), 0);
    std::vector<int> seenAfter(after.items.size(), 0);
    for (std::size_t i = 0; i < difference.items.size(); ++i) {
        const ItemDifference &item = difference.items[i];
        ASSERT_EQ(item.kind == ItemKind::Added, item.before == kNoIndex);
        ASSERT_EQ(item.kind == ItemKind::Removed, item.after == kNoIndex);
        if (item.before != kNoIndex)
            ++seenBefore[item.before];
        if (item.after != kNoIndex)
            ++seenAfter[item.after];
        if (item.kind == ItemKind::Same) {
            ASSERT_EQ(labelKey(before.items[item.before]), labelKey(after.items[item.after]));
        }
    }
    ASSERT_TRUE(std::ranges::all_of(seenBefore, [](int times) { return times == 1; }));
    ASSERT_TRUE(std::ranges::all_of(seenAfter, [](int times) { return times == 1; }));
    std::size_t edgesBefore = 0;
    std::size_t edgesAfter = 0;
    for (std::size_t i = 0; i < difference.edges.size(); ++i) {
        ASSERT_LT(difference.both->edges[i].from, difference.items.size());
        ASSERT_LT(difference.both->edges[i].to, difference.items.size());
        edgesBefore += difference.edges[i] != ItemKind::Added ? 1 : 0;
        edgesAfter += difference.edges[i] != ItemKind::Removed ? 1 : 0;
    }
    ASSERT_EQ(edgesBefore, before.edges.size());
    ASSERT_EQ(edgesAfter, after.edges.size());
}

TEST_F(GraphDifferenceTest, findsNoneInEqualPrograms)
{
    for (const std::string &file : exampleFiles()) {
        const Compilation compilation = compiled(requestOfFile(file));
        for (const Stage &stage : {Stage(compilation.graph), Stage(compilation.schedule), Stage(compilation.loops)}) {
            const StageDocumentPtr document = describeStage(stage);
            const GraphDifference difference = graphDifferenceOf(*document, *document);
            EXPECT_FALSE(difference.isDifferent()) << file;
            for (std::size_t i = 0; i < difference.items.size(); ++i)
                EXPECT_EQ(difference.items[i].before, difference.items[i].after) << file;
        }
    }
}

TEST_F(GraphDifferenceTest, tellsWhatWasAddedAndWhatReadsItNow)
{
    const GraphDifference difference =
        ofPrograms("input x: f32[8, 16]\ny = exp(x)\noutput y + x\n", "input x: f32[8, 16]\ny = sqrt(exp(x))\noutput y + x\n");
    EXPECT_EQ(labels(difference, ItemKind::Added), (std::vector<std::string>{"sqrt"}));
    EXPECT_TRUE(labels(difference, ItemKind::Removed).empty());
    const auto changed = labels(difference, ItemKind::Changed);
    ASSERT_EQ(changed, (std::vector<std::string>{"add"}));
    const auto add = std::ranges::find(difference.both->items, "add", &DocumentItem::label) - difference.both->items.begin();
    EXPECT_TRUE(difference.items[static_cast<std::size_t>(add)].operandsChanged);
    EXPECT_FALSE(difference.items[static_cast<std::size_t>(add)].typeChanged);
    EXPECT_EQ(std::ranges::count(difference.edges, ItemKind::Added), 2);
    EXPECT_EQ(std::ranges::count(difference.edges, ItemKind::Removed), 1);
}

TEST_F(GraphDifferenceTest, pairsByWhatItemsAreAndNotByIndex)
{
    // Another value in front shifts every index.
    const GraphDifference difference =
        ofPrograms("input x: f32[8, 16]\noutput softmax(x)\n",
                   "input x: f32[8, 16]\ninput z: f32[4]\noutput first = sqrt(z)\noutput softmax(x)\n");
    EXPECT_EQ(labels(difference, ItemKind::Added), (std::vector<std::string>{"z", "sqrt"}));
    EXPECT_TRUE(labels(difference, ItemKind::Removed).empty());
    for (const std::string &label : labels(difference, ItemKind::Changed))
        EXPECT_EQ(label, "sink");
}

TEST_F(GraphDifferenceTest, tellsTypesAndAttributes)
{
    const GraphDifference types = ofPrograms("input x: f32[8, 16]\noutput exp(x)\n", "input x: f32[8, 32]\noutput exp(x)\n");
    ASSERT_EQ(types.count(ItemKind::Added), 0U);
    EXPECT_EQ(types.count(ItemKind::Removed), 0U);
    EXPECT_TRUE(types.items[0].typeChanged);
    const GraphDifference axes = ofPrograms("input x: f32[8, 8]\noutput permute(x, [0, 1]) + flip(x, [0])\n",
                                            "input x: f32[8, 8]\noutput permute(x, [0, 1]) + flip(x, [1])\n");
    const auto changed = std::ranges::find(axes.items, ItemKind::Changed, &ItemDifference::kind);
    ASSERT_NE(changed, axes.items.end());
    ASSERT_EQ(changed->fields.size(), 1U);
    EXPECT_EQ(changed->fields[0].name, "attributes");
    EXPECT_EQ(changed->fields[0].before, "{axes = [0]}");
    EXPECT_EQ(changed->fields[0].after, "{axes = [1]}");
}

TEST_F(GraphDifferenceTest, takesARenamedValueForARenaming)
{
    const GraphDifference difference = ofPrograms("input x: f32[8, 16]\ninside = exp(x)\noutput out = inside + x\n",
                                                  "input x: f32[8, 16]\npowers = exp(x)\noutput out = powers + x\n");
    EXPECT_FALSE(difference.isDifferent());
    EXPECT_EQ(labels(difference, ItemKind::Renamed), (std::vector<std::string>{"exp"}));
}

// One constant in place of two shifts the numbers after which buffers without a name are called.
TEST_F(GraphDifferenceTest, takesBuffersByWhatTheyHoldAndNotByTheirMadeUpNames)
{
    const auto scheduleOf = [&](const std::string &text) { return describeSchedule(*compiled(text).schedule, nullptr, {}); };
    const std::string weights = "input x: f32[32, 64]\nparam wq: f32[64, 64] = random(1)\nparam wk: f32[64, 64] = random(2)\n"
                                "param wv: f32[64, 64] = random(3)\nparam wo: f32[64, 64] = random(4)\n";
    const std::string attention = "output multi_head_attention(scaled, wq, wk, wv, wo, heads = 4, causal = true)\n";
    const StageDocumentPtr before = scheduleOf(weights + "scaled = x * 0.25\n" + attention);
    const StageDocumentPtr after = scheduleOf(weights + "scaled = x * 0.125\n" + attention);
    const auto namesOf = [](const StageDocument &document) {
        std::vector<std::string> names;
        for (const DocumentItem &item : document.items)
            names.push_back(item.label);
        return names;
    };
    ASSERT_NE(namesOf(*before), namesOf(*after)); // they are shifted
    const GraphDifference difference = graphDifferenceOf(*before, *after);
    EXPECT_EQ(labels(difference, ItemKind::Added), std::vector<std::string>());
    EXPECT_EQ(labels(difference, ItemKind::Removed), std::vector<std::string>());
    EXPECT_EQ(labels(difference, ItemKind::Changed), std::vector<std::string>());
}

TEST_F(GraphDifferenceTest, drawsBothCompilationsOfEveryExample)
{
    for (const std::string &file : exampleFiles()) {
        CompileRequest request = requestOfFile(file);
        const Compilation fused = compiled(request);
        request.options.fuse = false;
        const Compilation unfused = compiled(request);
        for (const auto &[one, other] :
             {std::pair(Stage(fused.graph), Stage(unfused.graph)), std::pair(Stage(fused.schedule), Stage(unfused.schedule)),
              std::pair(Stage(fused.loops), Stage(unfused.loops)), std::pair(Stage(fused.lowered), Stage(unfused.lowered))}) {
            const StageDocumentPtr before = describeStage(one);
            const StageDocumentPtr after = describeStage(other);
            ASSERT_NO_FATAL_FAILURE(expectSound(graphDifferenceOf(*before, *after), *before, *after)) << file;
        }
        // Which kernel a node is in is no change of the graph.
        const GraphDifference graphs =
            graphDifferenceOf(*describeGraph(*fused.graph, fused.schedule.get()), *describeGraph(*fused.graph, nullptr));
        EXPECT_FALSE(graphs.isDifferent()) << file;
    }
}

} // namespace
} // namespace sw
