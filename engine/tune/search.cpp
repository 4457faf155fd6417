#include "engine/tune/search.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kParents = 8;       // that are changed and crossed
constexpr std::size_t kFirstDraws = 24;   // before the first of them is
constexpr std::size_t kMostMisses = 4000; // in a row that were illegal or tried before: there is nothing new

class Search {
public:
    Search(const SearchSpace &space, const SearchPlan &plan, const SearchTools &tools, const std::stop_token &stop,
           const SearchObserver &observer)
        : m_space(space), m_plan(plan), m_tools(tools), m_stop(stop), m_observer(observer), m_dice(plan.seed)
    {
    }

    SearchResult run(const TransformList &model)
    {
        const std::optional<LoopNest> nest = m_space.nestWith(model);
        if (!nest) {
            m_result.candidates.push_back(
                {.transforms = model,
                 .trial = {.state = TrialState::TooLarge, .told = "the compiler's own choice is too large to be searched from"}});
            m_result.end = SearchEnd::Failed;
            return std::move(m_result);
        }
        tryOut({.transforms = model}, *nest);
        if (m_result.candidates.empty() || m_result.candidates.front().trial.state != TrialState::Timed) {
            m_result.end = m_stop.stop_requested() ? SearchEnd::Stopped : SearchEnd::Failed;
            return std::move(m_result);
        }
        for (const TransformList &kept : m_plan.kept)
            if (const std::optional<LoopNest> made = m_space.nestWith(kept); made && !m_known.contains(textOf(kept)) && !isOver())
                tryOut({.transforms = kept, .source = CandidateSource::Kept}, *made);
        while (!isOver())
            step();
        confirm();
        return std::move(m_result);
    }

private:
    // What is not faster than the compiler's choice after all is not the best. A stop does not wait for this.
    void confirm()
    {
        if (m_result.best == 0 || !m_tools.confirm || m_stop.stop_requested())
            return;
        Candidate &best = m_result.candidates[m_result.best];
        const CandidateTrial trial = m_tools.confirm(*m_space.nestWith(best.transforms));
        if (trial.state == TrialState::Stopped)
            return;
        if (trial.state == TrialState::Timed)
            best.time = trial.toBest;
        if (trial.state != TrialState::Timed || !trial.isFaster)
            m_result.best = 0;
        if (m_observer)
            m_observer(m_result);
    }

    bool isOver()
    {
        if (m_stop.stop_requested())
            m_result.end = SearchEnd::Stopped;
        else if (m_plan.candidates != 0 && m_result.candidates.size() > m_plan.candidates)
            m_result.end = SearchEnd::Candidates;
        else if (m_plan.budget.count() != 0 && m_tools.elapsed() >= m_plan.budget)
            m_result.end = SearchEnd::Budget;
        else if (m_misses >= kMostMisses)
            m_result.end = SearchEnd::Exhausted;
        else
            return false;
        return true;
    }

    void step()
    {
        Candidate next;
        std::optional<TransformList> list = propose(next.source);
        std::optional<LoopNest> nest = list ? m_space.nestWith(*list) : std::nullopt;
        if (!nest || !m_known.insert(textOf(*list)).second) {
            ++m_misses;
            return;
        }
        m_misses = 0;
        next.transforms = std::move(*list);
        tryOut(std::move(next), *nest);
    }

    std::optional<TransformList> propose(CandidateSource &source)
    {
        const bool isEarly = m_result.candidates.size() <= kFirstDraws;
        // The neighbours of the compiler's choice are tried from the beginning.
        const std::size_t chance = m_dice.below(100);
        if (chance < (isEarly ? 60U : 20U)) {
            source = CandidateSource::Drawn;
            return m_space.drawn(m_dice);
        }
        if (chance < 85 || m_parents.size() < 2) {
            source = CandidateSource::Edited;
            return m_space.edited(parent(), m_dice);
        }
        source = CandidateSource::Crossed;
        return m_space.crossed(parent(), parent(), m_dice);
    }

    // One of the best, the better the likelier.
    const TransformList &parent()
    {
        const std::size_t place = std::min(m_dice.below(m_parents.size()), m_dice.below(m_parents.size()));
        return m_result.candidates[m_parents[place]].transforms;
    }

    void tryOut(Candidate candidate, const LoopNest &nest)
    {
        candidate.number = static_cast<std::uint32_t>(m_result.candidates.size());
        candidate.predictedCycles = m_tools.predict ? m_tools.predict(nest) : std::nullopt;
        const Candidate *best = m_result.candidates.empty() ? nullptr : &m_result.candidates[m_result.best];
        candidate.trial = m_tools.tryOut(candidate, nest, best);
        if (candidate.trial.state == TrialState::Stopped)
            return;
        m_known.insert(textOf(candidate.transforms));
        candidate.judged = m_tools.elapsed();
        const std::size_t place = m_result.candidates.size();
        const bool hasTime = candidate.trial.state == TrialState::Timed || candidate.trial.state == TrialState::Slower;
        if (hasTime)
            candidate.time = best == nullptr ? 1 : best->time * candidate.trial.toBest;
        const bool isBest = best != nullptr && candidate.trial.state == TrialState::Timed && candidate.trial.isFaster;
        m_result.candidates.push_back(std::move(candidate));
        if (isBest)
            m_result.best = place;
        if (hasTime)
            addParent(place);
        if (m_observer)
            m_observer(m_result);
    }

    void addParent(std::size_t place)
    {
        const auto timeOf = [&](std::size_t one) { return m_result.candidates[one].time; };
        const auto at = std::ranges::upper_bound(m_parents, timeOf(place), {}, timeOf);
        m_parents.insert(at, place);
        if (m_parents.size() > kParents)
            m_parents.pop_back();
    }

    const SearchSpace &m_space;
    const SearchPlan &m_plan;
    const SearchTools &m_tools;
    const std::stop_token &m_stop;
    const SearchObserver &m_observer;
    Dice m_dice;
    SearchResult m_result;
    std::vector<std::size_t> m_parents; // candidates with times, the fastest first
    std::set<std::string> m_known;
    std::size_t m_misses = 0;
};

// 1 for the smallest; equal ones share the mean of their ranks.
std::vector<double> ranksOf(const std::vector<double> &values)
{
    std::vector<double> ranks;
    for (const double value : values) {
        const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
        const auto equal = std::ranges::count(values, value);
        ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
    }
    return ranks;
}

} // namespace

std::string_view nameOf(SearchEnd end)
{
    switch (end) {
    case SearchEnd::Candidates:
        return "all candidates were tried";
    case SearchEnd::Budget:
        return "the time is over";
    case SearchEnd::Stopped:
        return "it was stopped";
    case SearchEnd::Exhausted:
        return "there is nothing else to try";
    case SearchEnd::Failed:
        return "the compiler's own choice cannot be measured";
    }
    SW_UNREACHABLE();
}

SearchResult searchTransforms(const SearchSpace &space, const TransformList &model, const SearchPlan &plan,
                              const SearchTools &tools, const std::stop_token &stop, const SearchObserver &observer)
{
    return Search(space, plan, tools, stop, observer).run(model);
}

std::optional<double> rankCorrelation(const std::vector<Candidate> &candidates)
{
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const Candidate &candidate : candidates) {
        if (candidate.time <= 0 || !candidate.predictedCycles)
            continue;
        predicted.push_back(*candidate.predictedCycles);
        measured.push_back(candidate.time);
    }
    if (predicted.size() < 3)
        return std::nullopt;
    const std::vector<double> a = ranksOf(predicted);
    const std::vector<double> b = ranksOf(measured);
    const double mean = (static_cast<double>(a.size()) + 1) / 2;
    double product = 0;
    double squaresA = 0;
    double squaresB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += (a[i] - mean) * (b[i] - mean);
        squaresA += (a[i] - mean) * (a[i] - mean);
        squaresB += (b[i] - mean) * (b[i] - mean);
    }
    if (squaresA == 0 || squaresB == 0)
        return std::nullopt;
    return product / std::sqrt(squaresA * squaresB);
}

} // namespace sw
