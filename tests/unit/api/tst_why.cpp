// Why things are as they are: every number of a card follows from the schedule, every rule has a row in the documentation, and
// what a card says of the alternative is what becomes of the program.

#include "engine/api/describe.h"
#include "engine/api/device_figures.h"
#include "engine/api/explanation.h"
#include "engine/api/explorer.h"
#include "engine/api/front_end.h"
#include "engine/api/loop_check.h"
#include "engine/api/override_list.h"
#include "engine/api/resources.h"
#include "engine/api/trial.h"
#include "engine/backend/native_backends.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sw {
namespace {

class Why : public testing::Test {
protected:
    Why() { addNativeBackends(m_registry); }

    // "softmax" of the examples, for the CPU.
    Compilation example(const std::string &name, Overrides overrides = {}, bool strict = false)
    {
        CompileRequest request;
        request.program.fileName = findResourceFolder() + "/examples/" + name + ".sw";
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        request.options.overrides = std::move(overrides);
        request.options.strict = strict;
        return m_compiler.compile(request, {});
    }
    std::vector<Compilation> examples()
    {
        std::vector<Compilation> all;
        for (const char *name :
             {"softmax", "mlp", "attention", "layer_norm", "conv", "reductions", "views", "random", "train_mlp"})
            all.push_back(example(name));
        all.push_back(loaded());
        all.push_back(joined());
        return all;
    }
    // What is computed when loading, because it is slow, or because the run would compute it for many points.
    Compilation loaded()
    {
        return ofText("loaded.sw", "input x: f32[64, 48]\nparam v: f32[48] = random(1)\nparam m: f32[64, 48] = random(2)\n"
                                   "output x / sqrt(v + 1)\noutput x + (m * m + m)\n");
    }
    // Some devices have instructions for tiles of it.
    Compilation narrow() { return ofText("narrow.sw", "input x: bf16[512, 512]\ninput y: bf16[512, 512]\noutput exp(x @ y)\n"); }
    // No kernel computes what is joined.
    Compilation joined()
    {
        return ofText("joined.sw",
                      "input x: f32[32, 64]\ninput v: f32[64, 64]\noutput cat([x @ v, relu(x @ v)], axis = 0) @ v\n");
    }
    Compilation ofText(const std::string &name, const std::string &text)
    {
        CompileRequest request;
        request.program.fileName = name;
        request.program.isText = true;
        request.program.text = text;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        return m_compiler.compile(request, {});
    }
    static double amountOf(const WhyCard &card, std::string_view name)
    {
        const auto found = std::ranges::find(card.numbers, name, &WhyNumber::name);
        return found == card.numbers.end() ? -1 : found->amount;
    }
    // Of all arithmetic that the card tells, in nanoseconds.
    static double arithmeticOf(const WhyCard &card, const RooflineFigures &rates)
    {
        constexpr std::string_view kTensor = "products by ";
        double time = amountOf(card, "priced work") / rates.operationsPerNanosecond;
        for (const WhyNumber &number : card.numbers)
            if (number.name.starts_with(kTensor)) {
                const auto instruction = tensorInstructionNamed(std::string_view(number.name).substr(kTensor.size()));
                EXPECT_TRUE(instruction.has_value()) << number.name;
                time += instruction ? number.amount / tensorRate(rates, *instruction) : 0;
            }
        return time;
    }
    static bool has(const WhyCard &card, std::string_view name)
    {
        return std::ranges::find(card.numbers, name, &WhyNumber::name) != card.numbers.end();
    }
    static std::string docs(const std::string &name)
    {
        const Result<std::string> text = readTextFile(findResourceFolder() + "/docs/" + name);
        return text ? *text : std::string();
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

std::int64_t bytesOfNode(const Graph &graph, NodeId id)
{
    return graph.node(id).shape.elements() * static_cast<std::int64_t>(bytesOf(graph.node(id).dtype));
}

TEST_F(Why, numbersOfEdgesFollowFromTheSchedule)
{
    std::set<std::string> seen;
    for (const Compilation &compilation : examples()) {
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const Schedule &schedule = *compilation.schedule;
        const Graph &graph = *schedule.graph;
        const ValuePaths paths(graph);
        const std::vector<DeviceFigures> figures = figuresOf(compilation.target, nullptr);
        const Explained of{schedule, paths, compilation.loops.get(), figures};
        for (std::uint32_t i = 0; i < schedule.decisions.size(); ++i) {
            const FusionDecision &decision = schedule.decisions[i];
            const WhyCard card = edgeCard(of, i);
            SCOPED_TRACE(toText(card));
            const std::int64_t elements = graph.node(decision.producer).shape.elements();
            if (decision.rule != "sibling") {
                const bool isStored = schedule.bufferOf(decision.producer).isValid();
                const std::int64_t once = bytesOfNode(graph, decision.producer);
                const bool isInPlace = decision.rule == "join" && schedule.buffer(schedule.bufferOf(decision.producer)).partOf;
                const std::int64_t bytes = isInPlace ? 0 : decision.isFused && !isStored ? 2 * once : once;
                EXPECT_EQ(amountOf(card, "traffic"), static_cast<double>(bytes));
            }
            EXPECT_EQ(amountOf(card, "its time"),
                      std::round(amountOf(card, "traffic") / figures.front().rates.memoryBytesPerNanosecond));
            for (const WhyNumber &number : card.numbers) {
                seen.insert(number.name);
                EXPECT_FALSE(number.origin.empty()) << number.name;
                EXPECT_FALSE(number.value.empty()) << number.name;
            }
            for (const char *name : {"rows", "elements"}) {
                if (has(card, name)) {
                    EXPECT_EQ(amountOf(card, name), static_cast<double>(elements));
                }
            }
            if (has(card, "operations per point")) {
                const double work = amountOf(card, "evaluations") * amountOf(card, "operations per element");
                EXPECT_DOUBLE_EQ(amountOf(card, "operations per point"), work / amountOf(card, "points"));
                EXPECT_GE(amountOf(card, "evaluations"), amountOf(card, "elements"));
            }
            if (has(card, "made of")) {
                EXPECT_EQ(decision.rule, "load");
                EXPECT_EQ(amountOf(card, "value"), static_cast<double>(bytesOfNode(graph, decision.producer)));
                std::int64_t leaves = 0;
                const ScheduledKernel &kernel = schedule.kernel(schedule.kernelOf(decision.producer));
                for (const BufferId read : kernel.reads)
                    leaves += schedule.buffer(read).bytes();
                EXPECT_GE(amountOf(card, "made of"), static_cast<double>(leaves)) << "a leaf counts as often as it is read";
            }
            if (has(card, "extra operations per element")) {
                const double repeats = amountOf(card, "evaluations") / amountOf(card, "elements");
                EXPECT_NEAR(amountOf(card, "extra operations per element"),
                            (repeats - 1) * amountOf(card, "operations per element"), 1e-9);
            }
        }
    }
    for (const char *name : {"rows", "points", "evaluations", "elements", "operations per point", "made of"})
        EXPECT_TRUE(seen.contains(name)) << name;
}

// The limit decides: a value on the one side of it is fused, on the other side it is not.
TEST_F(Why, limitsSayWhenItIsFused)
{
    int decided = 0;
    for (const Compilation &compilation : examples())
        for (const FusionDecision &decision : compilation.schedule->decisions) {
            const bool isOfLoad = decision.rule == "load" && !decision.numbers.empty();
            if (decision.rule != "row" && decision.rule != "recompute" && !isOfLoad)
                continue;
            const bool keepsOne = std::ranges::any_of(decision.numbers, [](const DecisionNumber &number) {
                return number.limitKind != LimitKind::None && number.keepsLimit();
            });
            EXPECT_EQ(decision.isFused, keepsOne) << decision.reason;
            EXPECT_EQ(missOf(decision).has_value(), !decision.isFused);
            ++decided;
        }
    EXPECT_GT(decided, 3);
    // 31 rows of 32 wanted, in a kernel that is too large to run in one thread: a near miss.
    CompileRequest request;
    request.program.fileName = "near.sw";
    request.program.text = "input x: f32[31, 2000]\noutput y = x - sum(x, axis = 1, keepdims = true)\n";
    request.program.isText = true;
    request.program.resourceFolder = findResourceFolder();
    request.until = CompileUntil::Lowered;
    const Compilation near = m_compiler.compile(request, {});
    const auto &decisions = near.schedule->decisions;
    const auto found = std::ranges::find(decisions, "row", &FusionDecision::rule);
    ASSERT_NE(found, decisions.end());
    EXPECT_FALSE(found->isFused);
    ASSERT_TRUE(missOf(*found).has_value());
    EXPECT_DOUBLE_EQ(*missOf(*found), 1.0 / 32);
    const StageDocumentPtr document = describeSchedule(*near.schedule, near.loops.get(), {});
    const DocumentItem &item =
        document->items.at(ScheduleItems(*near.schedule).decision(static_cast<std::size_t>(found - decisions.begin())));
    EXPECT_NE(std::ranges::find(item.tags, "near-miss"), item.tags.end());
    EXPECT_NE(std::ranges::find(item.fields, "3 %", &DocumentField::value), item.fields.end());
}

TEST_F(Why, numbersOfKernelsAndBuffersFollowFromTheSchedule)
{
    std::vector<Compilation> all = examples();
    all.push_back(narrow());
    for (const Compilation &compilation : all) {
        const Schedule &schedule = *compilation.schedule;
        const ValuePaths paths(*schedule.graph);
        const std::vector<DeviceFigures> figures = figuresOf(compilation.target, nullptr);
        const Explained of{schedule, paths, compilation.loops.get(), figures};
        for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
            const WhyCard card = kernelCard(of, KernelId(i));
            SCOPED_TRACE(toText(card));
            std::int64_t reads = 0;
            std::int64_t writes = 0;
            for (const BufferId id : schedule.kernels[i].reads)
                reads += schedule.buffer(id).bytes();
            for (const BufferId id : schedule.kernels[i].writes)
                writes += schedule.buffer(id).bytes();
            EXPECT_LE(amountOf(card, "reads"), static_cast<double>(reads)); // a part of a buffer may do
            EXPECT_EQ(amountOf(card, "writes"), static_cast<double>(writes));
            const RooflineFigures &rates = figures.front().rates;
            const double traffic = (amountOf(card, "reads") + amountOf(card, "writes")) / rates.memoryBytesPerNanosecond;
            EXPECT_EQ(amountOf(card, "estimated time"),
                      std::round(rates.launchNanoseconds + std::max(traffic, arithmeticOf(card, rates))));
            const auto estimate = std::ranges::find(card.numbers, "estimated time", &WhyNumber::name);
            ASSERT_NE(estimate, card.numbers.end());
            EXPECT_EQ(estimate->origin, formulaText(schedule.kernels[i].estimate, rates) + ", assumed");
        }
        for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
            const ScheduledBuffer &buffer = schedule.buffers[i];
            const WhyCard card = bufferCard(of, BufferId(i));
            SCOPED_TRACE(toText(card));
            EXPECT_EQ(amountOf(card, "size"),
                      static_cast<double>(buffer.shape.elements() * static_cast<std::int64_t>(bytesOf(buffer.dtype))));
            EXPECT_EQ(amountOf(card, "lies at byte"), static_cast<double>(buffer.arenaOffset));
            EXPECT_LE(amountOf(card, "lies at byte") + amountOf(card, "size"), amountOf(card, "memory in all"));
            EXPECT_LE(amountOf(card, "peak"), amountOf(card, "memory in all"));
        }
    }
}

TEST_F(Why, numbersOfTransformationsFollowFromTheLoops)
{
    int splits = 0;
    for (const Compilation &compilation : examples()) {
        const ValuePaths paths(*compilation.schedule->graph);
        const Explained of{*compilation.schedule, paths, compilation.loops.get(), {}};
        for (const auto &nest : compilation.loops->nests)
            for (std::uint32_t i = 0; i < nest->transforms.size(); ++i) {
                const Transform &transform = nest->transforms[i];
                const WhyCard card = transformCard(of, nest->kernel, i);
                SCOPED_TRACE(toText(card));
                if (transform.kind != TransformKind::Split)
                    continue;
                ++splits;
                const std::string &axis = transform.axes.front();
                const double extent = amountOf(card, "extent of " + axis);
                EXPECT_EQ(extent, static_cast<double>(nest->axes[axisNamed(*nest, axis)->value].extent));
                EXPECT_EQ(amountOf(card, "rounds") * amountOf(card, "factor") + amountOf(card, "rest"), extent);
                EXPECT_EQ(amountOf(card, "rounds"), static_cast<double>(nest->axes[axisNamed(*nest, axis + ".o")->value].extent));
            }
    }
    EXPECT_GT(splits, 10);
}

TEST_F(Why, everyRuleOfACardHasItsRow)
{
    const std::string policy = docs("fusion-policy.md");
    const std::string loops = docs("loops.md");
    ASSERT_FALSE(policy.empty() || loops.empty());
    for (const Compilation &compilation : examples()) {
        const Schedule &schedule = *compilation.schedule;
        const ValuePaths paths(*schedule.graph);
        const Explained of{schedule, paths, compilation.loops.get(), {}};
        for (std::uint32_t i = 0; i < schedule.decisions.size(); ++i) {
            const WhyCard card = edgeCard(of, i);
            EXPECT_NE(policy.find("| `" + card.rule + "` |"), std::string::npos) << card.rule;
            EXPECT_FALSE(card.ruleDoc.empty() || card.ruleTitle.empty()) << card.rule;
        }
        for (const auto &nest : compilation.loops->nests)
            for (std::uint32_t i = 0; i < nest->transforms.size(); ++i) {
                const WhyCard card = transformCard(of, nest->kernel, i);
                EXPECT_NE(loops.find("| `" + card.rule + " "), std::string::npos) << card.rule;
                EXPECT_FALSE(card.ruleDoc.empty()) << card.rule;
            }
    }
}

// What a trial foretells is what the program becomes.
TEST_F(Why, alternativesAreWhatTheProgramBecomes)
{
    const Compilation plain = example("softmax");
    const ValuePaths paths(*plain.schedule->graph);
    const std::vector<DeviceFigures> figures = figuresOf(plain.target, nullptr);
    std::set<OverrideState> states;
    for (const FusionDecision &decision : plain.schedule->decisions) {
        const Override item = oppositeOf(decision, paths);
        const std::optional<Trial> trial = tryOverride(plain, item, figures, {});
        ASSERT_TRUE(trial.has_value());
        const Compilation other = example("softmax", {{}, {item}});
        EXPECT_EQ(trial->outcome, other.schedule->overrides.front());
        ASSERT_TRUE(trial->figures.has_value());
        EXPECT_EQ(*trial->figures, programFigures(*other.schedule, other.lowered.get(), figures));
        states.insert(trial->outcome.state);
    }
    EXPECT_TRUE(states.contains(OverrideState::Applied));
}

// The list that was chosen is legal; a line that is not says why, and what is.
TEST_F(Why, transformationsAreCheckedLineByLine)
{
    const Compilation compilation = example("softmax");
    const Schedule &schedule = *compilation.schedule;
    std::shared_ptr<const LoopNest> before;
    for (const PassStep &step : compilation.pipeline.steps)
        if (step.pass->id == "choose-transforms")
            before = std::get<LoopProgramPtr>(step.before)->nests.front();
    ASSERT_NE(before, nullptr);
    const LoopNest &plain = *before;
    std::vector<std::string> lines;
    for (const Transform &transform : compilation.loops->nests.front()->transforms)
        lines.push_back(toText(transform));
    const LoopCheck chosen = checkLoops(plain, schedule, lines);
    EXPECT_EQ(chosen.problem, "");
    ASSERT_EQ(chosen.lines.size(), lines.size());
    const auto axisNames = [](const std::vector<LoopAxis> &axes) {
        return join(axes, " ", [](const LoopAxis &axis) { return axis.name; });
    };
    EXPECT_EQ(axisNames(chosen.lines.front().axes), "i0 i1 r2 r3");
    EXPECT_EQ(axisNames(chosen.axes), "i0.o i0.i i1.o i1.i r2.o r2.i.o r2.i.i r3.o r3.i");
    // Whatever is offered can be done.
    const LoopCheck none = checkLoops(plain, schedule, {});
    EXPECT_FALSE(possibleTransforms(none.axes).empty());
    for (const std::string &text : possibleTransforms(none.axes)) {
        const LoopCheck one = checkLoops(plain, schedule, {text});
        EXPECT_EQ(one.lines.front().problem, "") << text;
    }
    struct Row {
        const char *line;
        const char *problem;
        const char *legal; // after i1 was split
    };
    for (const Row &row :
         {Row{"split i9 2", "no axis \"i9\"", "the extent of i0 (128), i1.o (16), i1.i (16), r2 (256), r3 (256)"},
          Row{"split i0 1000", "between 1 and the extent 128", "split AXIS FACTOR"},
          Row{"set_type i0 unroll", "belongs to the domain", "of the domain: loop, thread, "},
          Row{"reorder i0", "each leaf", "reorder i0 i1.o i1.i, or reorder r2"},
          Row{"divide i0 5", "a number from 2 on", "divide AXIS NUMBER"},
          Row{"pad i1.o 3", "a part of an axis", "pad AXIS MULTIPLE"},
          Row{"share v0 i0 i1.i 0", "no axis is local", "share LOAD LOOP AXES APART"},
          Row{"merge i0 i1 r2", "it takes 2", "two neighbours"}, Row{"melt i0", "melt", "split, reorder, set_type"}}) {
        const std::vector<std::string> wrong{"split i1 16", row.line, "split i0 8"};
        const LoopCheck check = checkLoops(plain, schedule, wrong);
        EXPECT_EQ(check.lines[0].problem, "") << row.line;
        EXPECT_NE(check.lines[1].problem.find(row.problem), std::string::npos) << check.lines[1].problem;
        EXPECT_EQ(check.problem, check.lines[1].problem);
        EXPECT_EQ(check.lines[2].problem, "") << "judged after an illegal one";
        EXPECT_NE(check.lines[1].legal.find(row.legal), std::string::npos) << check.lines[1].legal;
    }
}

TEST_F(Why, anOverrideTakesThePlaceOfOneAboutTheSame)
{
    std::vector<OverrideLine> lines = withOverride({}, "apart a -> b").lines;
    lines = withOverride(lines, "store a").lines;
    const OverridesWith with = withOverride(lines, "fuse a -> b");
    EXPECT_EQ(with.index, 0U);
    EXPECT_EQ(with.lines, (std::vector<OverrideLine>{{"fuse a -> b"}, {"store a"}}));
    EXPECT_EQ(overridesText({{"fuse a -> b", false, "later"}}), "stepwell overrides 1\noff fuse a -> b  # later\n");
    const OverrideFile read = readOverrides("stepwell overrides 1\noff fuse a -> b  # later\n", "o");
    EXPECT_EQ(read.lines, (std::vector<OverrideLine>{{"fuse a -> b", false, "later"}}));
    // What people write between the lines stays.
    const std::string written = "stepwell overrides 1\n# first\n\napart a -> b\n# and\noff store c  # no\n\n# last\n";
    const OverrideFile kept = readOverrides(written, "o");
    ASSERT_EQ(kept.lines.size(), 2U);
    EXPECT_EQ(kept.lines[0].above, "# first\n\n");
    EXPECT_EQ(overridesText(kept.lines), written);
    EXPECT_EQ(readOverrides("stepwell overrides 1\nmelt a\n", "o").messages.front().line, 2U);
    EXPECT_EQ(canonicalOverride("  apart   a ->  b"), "apart a -> b");
    EXPECT_FALSE(problemOf("loops y: split i0 8").has_value());
    EXPECT_TRUE(problemOf("loops y: melt i0").has_value());
    EXPECT_TRUE(problemOf("store a\nstore b").has_value());
}

} // namespace
} // namespace sw
