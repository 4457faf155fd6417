// The search over transformations, on the loops of a matrix product, with costs that are told instead of measured.

#include "engine/tune/search.h"

#include "engine/api/compilation.h"
#include "engine/api/kernel_variant.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/loops/queries.h"
#include "engine/loops/verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sw {
namespace {

class SearchTest : public testing::Test {
protected:
    SearchTest()
    {
        addNativeBackends(m_registry);
        ProgramCompiler compiler(m_registry);
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = "input a: f32[96, 80]\ninput b: f32[80, 64]\noutput c = a @ b\n";
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        request.threads = 2;
        m_compilation = compiler.compile(request, {});
        EXPECT_TRUE(m_compilation.succeeded) << toText(m_compilation.diagnostics);
        m_plain = plainNest(m_compilation, KernelId(0U));
        const std::vector<Transform> &all = m_compilation.loops->nests.front()->transforms;
        m_model.assign(all.begin() + static_cast<std::ptrdiff_t>(m_plain->transforms.size()), all.end());
        m_device = m_compilation.target.device;
        m_space.emplace(*m_compilation.schedule, *m_plain, m_device);
    }

    // What a candidate costs: the best has 5 rows in registers, a copy, and its reduction in no blocks.
    double costOf(const LoopNest &nest) const
    {
        double rows = 1;
        for (const AxisId leaf : nest.order)
            if (unsplitAxis(nest, leaf) == m_plain->domain.front() && isRepeated(nest.axes[leaf.value].type))
                rows *= static_cast<double>(nest.axes[leaf.value].extent);
        return 1 + std::abs(rows - 5) + (nest.packs.empty() ? 3 : 0) + (blockLoopOf(nest) ? 2 : 0);
    }

    SearchTools tools()
    {
        return {.tryOut =
                    [this](const Candidate &candidate, const LoopNest &nest, const Candidate *best) {
                        m_tried.push_back(textOf(candidate.transforms));
                        EXPECT_TRUE(verifyLoops(nest, *m_compilation.schedule));
                        const double cost = costOf(nest);
                        m_costs[candidate.number] = cost;
                        CandidateTrial trial;
                        trial.nanoseconds = {cost, cost, cost};
                        trial.toBest = best == nullptr ? 1 : cost / m_costs.at(best->number);
                        trial.isFaster = best != nullptr && trial.toBest < 1;
                        return trial;
                    },
                .predict = {},
                .elapsed = [this] { return std::chrono::nanoseconds(static_cast<std::int64_t>(m_tried.size())); }};
    }
    SearchResult search(const SearchPlan &plan, const SearchTools &tools, const std::stop_token &stop = {})
    {
        m_tried.clear();
        m_costs.clear();
        return searchTransforms(*m_space, m_model, plan, tools, stop);
    }

    BackendRegistry m_registry;
    Compilation m_compilation;
    const LoopNest *m_plain = nullptr;
    TransformList m_model;
    DeviceInfo m_device;
    std::optional<SearchSpace> m_space;
    std::vector<std::string> m_tried;
    std::map<std::uint32_t, double> m_costs;
};

TEST_F(SearchTest, findsThePlantedOptimum)
{
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const SearchResult result = search({.seed = seed, .candidates = 300}, tools());
        const Candidate &best = result.candidates[result.best];
        EXPECT_EQ(costOf(*m_space->nestWith(best.transforms)), 1) << seed << ": " << textOf(best.transforms);
        EXPECT_GT(costOf(*m_space->nestWith(m_model)), 1);
        EXPECT_EQ(result.end, SearchEnd::Candidates);
        EXPECT_EQ(result.candidates.size(), 301U);
        EXPECT_NEAR(best.time, 1 / costOf(*m_space->nestWith(m_model)), 1e-9); // by the chain of ratios
    }
}

TEST_F(SearchTest, isTheSameForASeed)
{
    const SearchPlan plan{.seed = 7, .candidates = 120};
    (void)search(plan, tools());
    const std::vector<std::string> first = m_tried;
    (void)search(plan, tools());
    EXPECT_EQ(m_tried, first);
    (void)search({.seed = 8, .candidates = 120}, tools());
    EXPECT_NE(m_tried, first);
}

// That they are legal is checked with each trial.
TEST_F(SearchTest, triesEveryListOnceAndAllKindsOfThem)
{
    const SearchResult result = search({.seed = 3, .candidates = 400}, tools());
    EXPECT_EQ(std::set<std::string>(m_tried.begin(), m_tried.end()).size(), m_tried.size());
    std::map<CandidateSource, int> sources;
    int packed = 0;
    int inBlocks = 0;
    int unrolled = 0;
    int streamed = 0;
    int fetched = 0;
    int fetchedInParts = 0;
    int threads = 0;
    for (const Candidate &candidate : result.candidates) {
        ++sources[candidate.source];
        const LoopNest nest = *m_space->nestWith(candidate.transforms);
        packed += nest.packs.empty() ? 0 : 1;
        inBlocks += blockLoopOf(nest) ? 1 : 0;
        fetched += nest.prefetches.empty() ? 0 : 1;
        fetchedInParts += nest.streams.empty() ? 0 : 1;
        streamed += nest.stores.front().policy == MemoryPolicy::NonTemporal ? 1 : 0;
        unrolled +=
            candidate.transforms.end() != std::ranges::find(candidate.transforms, TransformKind::Unroll, &Transform::kind);
        threads += std::ranges::any_of(nest.axes, [](const Axis &axis) { return axis.type == AxisType::Thread; }) ? 1 : 0;
    }
    EXPECT_EQ(sources[CandidateSource::Model], 1);
    EXPECT_GT(sources[CandidateSource::Drawn], 20);
    EXPECT_GT(sources[CandidateSource::Edited], 20);
    EXPECT_GT(sources[CandidateSource::Crossed], 2); // the lists that there are to cross depend on the machine
    EXPECT_GT(fetched, 0);
    // Few lists leave a load that reads a dense region in each round of a loop; how many depends on the lanes of a vector.
    for (std::uint64_t seed = 4; fetchedInParts == 0 && seed < 12; ++seed)
        for (const Candidate &candidate : search({.seed = seed, .candidates = 3000}, tools()).candidates)
            fetchedInParts += m_space->nestWith(candidate.transforms)->streams.empty() ? 0 : 1;
    EXPECT_GT(fetchedInParts, 0);
    for (const int count : {packed, inBlocks, unrolled, streamed, threads})
        EXPECT_GT(count, 5);
}

TEST_F(SearchTest, neverChoosesWhatIsWrongOrFails)
{
    SearchTools wrong = tools();
    int refused = 0;
    wrong.tryOut = [&, right = wrong.tryOut](const Candidate &candidate, const LoopNest &nest, const Candidate *best) {
        CandidateTrial trial = right(candidate, nest, best);
        if (best != nullptr && !nest.packs.empty()) {
            ++refused;
            trial = {.state = refused % 2 == 0 ? TrialState::Wrong : TrialState::Failed, .told = "on purpose"};
        }
        return trial;
    };
    const SearchResult result = search({.seed = 1, .candidates = 200}, wrong);
    EXPECT_GT(refused, 10);
    EXPECT_TRUE(m_space->nestWith(result.candidates[result.best].transforms)->packs.empty());
    EXPECT_EQ(costOf(*m_space->nestWith(result.candidates[result.best].transforms)), 4);
    for (const Candidate &candidate : result.candidates)
        EXPECT_EQ(candidate.time > 0, candidate.trial.state == TrialState::Timed);
}

TEST_F(SearchTest, stopsAtOnceAndKeepsWhatItHas)
{
    std::stop_source stop;
    SearchTools stopping = tools();
    stopping.tryOut = [&, right = stopping.tryOut](const Candidate &candidate, const LoopNest &nest, const Candidate *best) {
        if (candidate.number == 5) {
            stop.request_stop();
            return CandidateTrial{.state = TrialState::Stopped};
        }
        return right(candidate, nest, best);
    };
    const SearchResult result = search({.seed = 1, .candidates = 200}, stopping, stop.get_token());
    EXPECT_EQ(result.end, SearchEnd::Stopped);
    EXPECT_EQ(result.candidates.size(), 5U);
    // A search that is stopped before it begins tries nothing but asks for the first time, which nobody waits for.
    EXPECT_LE(search({.seed = 1, .candidates = 9}, tools(), stop.get_token()).candidates.size(), 1U);
}

TEST_F(SearchTest, theBestIsComparedOnceMore)
{
    SearchTools confirming = tools();
    confirming.confirm = [&](const LoopNest &nest) {
        EXPECT_EQ(costOf(nest), 1);
        return CandidateTrial{.toBest = 0.75, .isFaster = true};
    };
    const SearchResult kept = search({.seed = 1, .candidates = 300}, confirming);
    EXPECT_NE(kept.best, 0U);
    EXPECT_EQ(kept.candidates[kept.best].time, 0.75);
    confirming.confirm = [](const LoopNest &) { return CandidateTrial{.toBest = 0.99, .isFaster = false}; };
    EXPECT_EQ(search({.seed = 1, .candidates = 300}, confirming).best, 0U);
}

TEST_F(SearchTest, endsWithTheBudget)
{
    const SearchResult result = search({.seed = 1, .budget = std::chrono::nanoseconds(40)}, tools());
    EXPECT_EQ(result.end, SearchEnd::Budget);
    EXPECT_EQ(result.candidates.size(), 40U);
}

TEST_F(SearchTest, endsWhenTheCompilersChoiceCannotBeMeasured)
{
    SearchTools failing = tools();
    failing.tryOut = [](const Candidate &, const LoopNest &, const Candidate *) {
        return CandidateTrial{.state = TrialState::Failed, .told = "no device"};
    };
    const SearchResult result = search({.seed = 1, .candidates = 9}, failing);
    EXPECT_EQ(result.end, SearchEnd::Failed);
    ASSERT_EQ(result.candidates.size(), 1U);
    EXPECT_EQ(result.candidates.front().trial.told, "no device");
}

TEST_F(SearchTest, beginsWithWhatWasFoundEarlier)
{
    const SearchResult first = search({.seed = 1, .candidates = 300}, tools());
    const TransformList best = first.candidates[first.best].transforms;
    const SearchResult second = search({.seed = 2, .candidates = 1, .kept = {best}}, tools());
    ASSERT_EQ(second.candidates.size(), 2U);
    EXPECT_EQ(second.candidates[1].source, CandidateSource::Kept);
    EXPECT_EQ(second.best, 1U);
    // One that is no longer legal is left out.
    TransformList broken = best;
    broken.insert(broken.begin(), Transform{.kind = TransformKind::Split, .axes = {"gone"}, .factor = 2});
    const SearchResult third = search({.seed = 2, .candidates = 1, .kept = {broken}}, tools());
    EXPECT_NE(third.candidates[1].source, CandidateSource::Kept);
}

TEST(RankCorrelation, comparesOrdersOnly)
{
    const auto candidates = [](const std::vector<std::pair<double, double>> &pairs) {
        std::vector<Candidate> made;
        for (const auto &[predicted, time] : pairs)
            made.push_back({.predictedCycles = predicted, .time = time});
        return made;
    };
    EXPECT_NEAR(*rankCorrelation(candidates({{1, 10}, {2, 100}, {3, 101}})), 1, 1e-12);
    EXPECT_NEAR(*rankCorrelation(candidates({{1, 3}, {2, 2}, {3, 1}})), -1, 1e-12);
    EXPECT_NEAR(*rankCorrelation(candidates({{1, 1}, {2, 3}, {3, 2}, {4, 4}})), 0.8, 1e-12);     // 1 - 6 * 2 / (4 * 15)
    EXPECT_NEAR(*rankCorrelation(candidates({{1, 1}, {1, 2}, {3, 3}})), std::sqrt(0.75), 1e-12); // ranks 1.5, 1.5, 3
    EXPECT_FALSE(rankCorrelation(candidates({{1, 1}, {2, 2}})));
    EXPECT_FALSE(rankCorrelation(candidates({{1, 1}, {1, 2}, {1, 3}})));
    EXPECT_FALSE(rankCorrelation(candidates({{1, 0}, {2, 0}, {3, 0}}))); // none has a time
}

} // namespace
} // namespace sw
