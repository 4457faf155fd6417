// The search over products that tensor instructions do: the compiler's own choice can be searched from, what is drawn and edited
// is legal, differs, and computes what the graph does.

#include "engine/api/explanation.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/opened_device.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/value_path.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/contraction_price.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "engine/tune/search.h"
#include "tests/support/graph_of_text.h"
#include "tests/support/one_kernel.h"
#include "tests/unit/tensor/run_tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <variant>

namespace sw {
namespace {

constexpr std::uint64_t kSeed = 5;

std::string productOf(TensorInstruction one, std::int64_t rows, std::int64_t columns, std::int64_t depth)
{
    const TensorInstructionInfo &info = infoOf(one);
    return format("input a: {}[{}, {}]\ninput b: {}[{}, {}]\noutput cast(a, {}) @ cast(b, {})\n", nameOf(info.a), rows, depth,
                  nameOf(info.b), depth, columns, nameOf(info.sum), nameOf(info.sum));
}

// One kernel, on a device that has the instruction.
class Product {
public:
    Product(const std::string &text, std::uint32_t instructions)
        : m_graph(test::graphOfText(text)), m_target{test::vectorDevice(2), TargetLanguage::Llvm, {}}
    {
        m_target.device.tensorInstructions = instructions;
        test::setCaches(m_target.device, 2 << 20);
        const PipelineRun run = runPipeline(m_graph, standardPipeline(), m_target, {});
        EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
        for (const PassStep &step : run.steps)
            if (step.pass->id == "choose-transforms") {
                m_plain = std::get<LoopProgramPtr>(step.before);
                m_chosen = std::get<LoopProgramPtr>(step.after);
            }
        m_space.emplace(*m_plain->schedule, plain(), m_target.device);
    }

    [[nodiscard]] const LoopNest &plain() const { return *m_plain->nests.front(); }
    [[nodiscard]] const SearchSpace &space() const { return *m_space; }
    [[nodiscard]] const Schedule &schedule() const { return *m_plain->schedule; }
    [[nodiscard]] const CompileTarget &target() const { return m_target; }
    [[nodiscard]] TransformList model() const
    {
        const std::vector<Transform> &all = m_chosen->nests.front()->transforms;
        return {all.begin() + static_cast<std::ptrdiff_t>(plain().transforms.size()), all.end()};
    }

    // Whole numbers, so that the sums of products are exact in any order.
    [[nodiscard]] std::vector<HostTensor> inputs() const
    {
        std::mt19937 random(3);
        std::vector<HostTensor> made;
        for (const NodeId id : m_graph->placeholders()) {
            HostTensor input(m_graph->node(id).dtype, m_graph->node(id).shape);
            for (std::int64_t i = 0; i < input.elements(); ++i)
                input.set(i, Scalar::of(DType::F64, static_cast<double>(random() % 5)).castTo(input.dtype()));
            made.push_back(std::move(input));
        }
        return made;
    }
    [[nodiscard]] HostTensor expected() const { return interpretGraph(*m_graph, inputs())->front(); }

    // The program with this list, as overrides give it to the compiler; null: it is refused.
    [[nodiscard]] LoweredProgramPtr lowered(const TransformList &list) const
    {
        CompileTarget target = m_target;
        const LoopNest nest = *m_space->nestWith(list);
        target.options.overrides.items = {loopsOf(nest, schedule(), ValuePaths(*schedule().graph))};
        const PipelineRun run = runPipeline(m_graph, standardPipeline(), target, {});
        EXPECT_TRUE(run.succeeded && run.diagnostics.empty()) << toText(run.diagnostics);
        return run.succeeded ? std::get<LoweredProgramPtr>(run.last) : nullptr;
    }

private:
    GraphPtr m_graph;
    CompileTarget m_target;
    LoopProgramPtr m_plain;
    LoopProgramPtr m_chosen;
    std::optional<SearchSpace> m_space;
};

Product productFor(TensorInstruction one, std::int64_t rows = 256, std::int64_t columns = 256, std::int64_t depth = 256)
{
    return Product(productOf(one, rows, columns, depth), bitOf(one));
}

bool isEqual(const HostTensor &one, const HostTensor &other)
{
    return one.shape() == other.shape() && std::ranges::equal(one.bytes(), other.bytes());
}

std::optional<TensorInstruction> instructionOf(const LoopNest &nest)
{
    return nest.reductions.front().instruction;
}

std::string nameOfTile(const LoopNest &nest)
{
    const AxisId rows = tileOf(nest, nest.domain.front());
    const AxisId columns = tileOf(nest, nest.domain.back());
    return format("{} x {}", rows.isValid() ? nest.axes[rows.value].extent : 1,
                  columns.isValid() ? nest.axes[columns.value].extent : 1);
}

// The compiler's choice of a product of 512 x 512 has 32 x 32 sums in four tile registers, whose steps are one instruction each.
TEST(TensorSearch, beginsWithTheCompilersChoice)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        SCOPED_TRACE(infoOf(one).name);
        const Product product = productFor(one, 512, 512, 512);
        const std::optional<LoopNest> nest = product.space().nestWith(product.model());
        ASSERT_TRUE(nest);
        EXPECT_EQ(instructionOf(*nest), one);
    }
}

TEST(TensorSearch, drawsAreLegalAndDiffer)
{
    constexpr int kDraws = 200;
    for (const TensorInstruction one : allTensorInstructions()) {
        SCOPED_TRACE(infoOf(one).name);
        const Product product = productFor(one);
        Dice dice(kSeed);
        int legal = 0;
        int tensorized = 0;
        std::set<std::string> lists;
        std::set<std::string> tiles;
        std::set<std::string> places; // of copies
        std::set<std::string> items;
        std::set<std::size_t> copies;
        for (int i = 0; i < kDraws; ++i) {
            const std::optional<TransformList> list = product.space().drawn(dice);
            if (!list)
                continue;
            ++legal;
            lists.insert(textOf(*list));
            const LoopNest nest = *product.space().nestWith(*list);
            if (instructionOf(nest) != one)
                continue;
            ++tensorized;
            tiles.insert(nameOfTile(nest));
            copies.insert(nest.packs.size());
            for (const Pack &pack : nest.packs)
                places.insert(nest.axes[pack.at.value].name);
            for (const AxisId leaf : nest.order)
                if (nest.axes[leaf.value].type == AxisType::Thread)
                    items.insert(nest.axes[unsplitAxis(nest, leaf).value].name);
        }
        RecordProperty(format("legal_{}", infoOf(one).name), legal);
        EXPECT_GE(legal, kDraws * 9 / 10);
        EXPECT_GE(lists.size(), static_cast<std::size_t>(legal * 9 / 10));
        EXPECT_GE(tensorized, legal * 7 / 10);
        EXPECT_LT(tensorized, legal);
        EXPECT_GE(tiles.size(), 6U);
        EXPECT_GE(places.size(), 4U);
        EXPECT_EQ(items, (std::set<std::string>{"i0", "i1"}));
        EXPECT_GE(copies.size(), 2U);
    }
}

// Rows and columns that are no whole panels leave less that is legal.
TEST(TensorSearch, drawsForOtherSizes)
{
    const auto legalOf = [](const Product &product) {
        Dice dice(kSeed);
        int legal = 0;
        for (int i = 0; i < 100; ++i) {
            const std::optional<TransformList> list = product.space().drawn(dice);
            legal += list && instructionOf(*product.space().nestWith(*list)) ? 1 : 0;
        }
        return legal;
    };
    EXPECT_GE(legalOf(productFor(TensorInstruction::AmxBf16, 80, 112, 96)), 70);
    EXPECT_GE(legalOf(productFor(TensorInstruction::DotBf16, 77, 112, 66)), 70);
    EXPECT_GE(legalOf(productFor(TensorInstruction::DotI8, 70, 101, 260)), 50);
    // What an instruction cannot do is not drawn for it.
    EXPECT_EQ(legalOf(productFor(TensorInstruction::AmxBf16, 77, 112, 96)), 0);
    EXPECT_EQ(legalOf(productFor(TensorInstruction::AmxBf16, 80, 100, 96)), 0);
    EXPECT_EQ(legalOf(productFor(TensorInstruction::AmxBf16, 80, 112, 100)), 0);
    EXPECT_EQ(legalOf(Product(productOf(TensorInstruction::AmxBf16, 128, 128, 128), 0)), 0);
}

TEST(TensorSearch, editsKeepTheTilesAndAreMostlyLegal)
{
    constexpr int kEdits = 200;
    for (const TensorInstruction one : {TensorInstruction::AmxBf16, TensorInstruction::AmxI8, TensorInstruction::DotI8}) {
        SCOPED_TRACE(infoOf(one).name);
        const Product product = productFor(one);
        Dice dice(kSeed);
        int legal = 0;
        std::set<std::string> lists;
        std::set<std::string> tiles;
        TransformList from = product.model();
        for (int i = 0; i < kEdits; ++i) {
            if (i % 10 == 0)
                from = product.model();
            const std::optional<TransformList> list = product.space().edited(from, dice);
            if (!list)
                continue;
            ++legal;
            from = *list;
            lists.insert(textOf(*list));
            const LoopNest nest = *product.space().nestWith(*list);
            tiles.insert(nameOfTile(nest));
            EXPECT_EQ(instructionOf(nest), one) << textOf(*list);
        }
        RecordProperty(format("legal_{}", infoOf(one).name), legal);
        EXPECT_GE(legal, kEdits * 8 / 10);
        EXPECT_GE(lists.size(), static_cast<std::size_t>(kEdits / 2));
        EXPECT_GE(tiles.size(), 5U);
    }
}

TEST(TensorSearch, drawnAndEditedListsComputeTheGraphsValues)
{
    for (const TensorInstruction one : {TensorInstruction::AmxBf16, TensorInstruction::DotBf16, TensorInstruction::DotI8}) {
        const Product product = productFor(one, 96, 64, 64);
        const HostTensor expected = product.expected();
        Dice dice(kSeed);
        for (int i = 0; i < 10; ++i) {
            std::optional<TransformList> list = product.space().drawn(dice);
            if (list && i % 2 != 0)
                list = product.space().edited(*list, dice);
            if (!list)
                continue;
            SCOPED_TRACE(textOf(*list));
            const LoweredProgramPtr lowered = product.lowered(*list);
            ASSERT_TRUE(lowered);
            const auto got = test::runLowered(*lowered, product.inputs());
            ASSERT_TRUE(got) << toText(got.error());
            EXPECT_TRUE(isEqual(got->front(), expected));
        }
    }
}

// The processor's own tiles, as far as it has them.
TEST(TensorSearch, drawnListsComputeTheGraphsValuesInMachineCode)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const auto device = OpenedDevice::open(registry, "llvm", {});
    ASSERT_TRUE(device) << toText(device.error());
    const std::uint32_t own = (*device)->info().tensorInstructions;
    if (!hasTensorInstruction(own, TensorInstruction::AmxBf16) || !hasTensorInstruction(own, TensorInstruction::AmxI8))
        GTEST_SKIP() << "this processor has no tiles of AMX: that drawn lists run on it is not tested";
    for (const TensorInstruction one : {TensorInstruction::AmxBf16, TensorInstruction::AmxI8}) {
        const Product product = productFor(one, 96, 128, 128);
        const HostTensor expected = product.expected();
        Dice dice(kSeed);
        for (int i = 0; i < 12; ++i) {
            const std::optional<TransformList> list = product.space().drawn(dice);
            if (!list)
                continue;
            SCOPED_TRACE(textOf(*list));
            const LoweredProgramPtr lowered = product.lowered(*list);
            ASSERT_TRUE(lowered);
            const auto got = test::runTile(*lowered, product.inputs(), expected, product.target().device, true);
            ASSERT_TRUE(got) << toText(got.error());
            EXPECT_TRUE(isEqual(*got, expected));
        }
    }
}

// The planted optimum has three panels of rows in registers, and a share of 4 panels of columns in each work item.
TEST(TensorSearch, findsAPlantedOptimum)
{
    const Product product = productFor(TensorInstruction::AmxBf16, 384, 512, 256);
    std::map<std::uint32_t, double> costs;
    const auto costOf = [](const LoopNest &nest) {
        double cost = instructionOf(nest) ? 1 : 10;
        cost += nameOfTile(nest) == "48 x 16" ? 0 : 2;
        const auto isShare = [&](AxisId leaf) {
            const Axis &axis = nest.axes[leaf.value];
            return axis.type == AxisType::Thread && axis.factor == 4;
        };
        return cost + (std::ranges::any_of(nest.order, isShare) ? 0 : 1);
    };
    const SearchTools tools{.tryOut =
                                [&](const Candidate &candidate, const LoopNest &nest, const Candidate *best) {
                                    costs[candidate.number] = costOf(nest);
                                    CandidateTrial trial;
                                    trial.toBest = best == nullptr ? 1 : costOf(nest) / costs.at(best->number);
                                    trial.isFaster = best != nullptr && trial.toBest < 1;
                                    return trial;
                                },
                            .predict =
                                [&](const LoopNest &nest) {
                                    const PassContext context(product.target().device, TargetLanguage::Llvm, {}, {});
                                    return contractionCycles(product.schedule(), product.plain(), nest, context);
                                },
                            .elapsed = [] { return std::chrono::nanoseconds(0); }};
    const SearchResult result = searchTransforms(product.space(), product.model(), {.seed = kSeed, .candidates = 300}, tools, {});
    EXPECT_EQ(result.end, SearchEnd::Candidates);
    ASSERT_EQ(result.candidates.size(), 301U);
    EXPECT_EQ(result.candidates.front().source, CandidateSource::Model);
    EXPECT_EQ(result.candidates.front().trial.state, TrialState::Timed);
    EXPECT_EQ(costs.at(static_cast<std::uint32_t>(result.best)), 1) << textOf(result.candidates[result.best].transforms);
    EXPECT_GT(std::ranges::count_if(result.candidates, [](const Candidate &one) { return one.predictedCycles.has_value(); }),
              200);
}

// The price in the reason is that of the nest that was made.
TEST(TensorSearch, pricesOfTilesFollowFromTheNest)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        SCOPED_TRACE(infoOf(one).name);
        const Product product = productFor(one, 256, 512, 128);
        const PassContext context(product.target().device, TargetLanguage::Llvm, {}, {});
        const auto cycles =
            contractionCycles(product.schedule(), product.plain(), *product.space().nestWith(product.model()), context);
        ASSERT_TRUE(cycles);
        EXPECT_NE(product.model().front().reason.find(format("about {:.0f} thousand cycles", *cycles / 1000)), std::string::npos)
            << *cycles << ": " << product.model().front().reason;
    }
}

} // namespace
} // namespace sw
