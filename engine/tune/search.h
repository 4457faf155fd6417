#pragma once
// Searches the transformations of one kernel: first some that are drawn at random, then edits and crossings of the best ones so
// far, with a draw now and then. The search neither compiles nor measures: it is told what a candidate gives, so the same seed
// and the same answers make the same search.

#include "engine/tune/search_space.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace sw {

struct SearchPlan {
    std::uint64_t seed = 1;
    std::size_t candidates = 0;           // to try besides the compiler's choice; 0: as many as the budget allows
    std::chrono::nanoseconds budget{0};   // no candidate begins when it is spent; 0: as many as are to be tried
    std::vector<TransformList> kept = {}; // that were found earlier: they are tried first
};

struct SearchTools {
    // Compares the values of a candidate with those of the compiler's choice and times it in turn with the best so far, which is
    // null for the compiler's choice itself.
    std::function<CandidateTrial(const Candidate &candidate, const LoopNest &nest, const Candidate *best)> tryOut;
    // Times the best one once more, in turn with the compiler's choice: of many candidates, the best looks better than it is.
    // Null: that is not asked.
    std::function<CandidateTrial(const LoopNest &nest)> confirm = {};
    // What the compiler's model says of the nest; nothing: it has no price for it.
    std::function<std::optional<double>(const LoopNest &nest)> predict;
    // Since the search began.
    std::function<std::chrono::nanoseconds()> elapsed;
};

enum class SearchEnd : std::uint8_t { Candidates, Budget, Stopped, Exhausted, Failed };
[[nodiscard]] std::string_view nameOf(SearchEnd end);

struct SearchResult {
    std::vector<Candidate> candidates = {}; // in the order in which they were tried; the first is the compiler's choice
    std::size_t best = 0;
    SearchEnd end = SearchEnd::Candidates; // Failed: the compiler's own choice cannot be measured, and its trial says why
};

// Told after each candidate.
using SearchObserver = std::function<void(const SearchResult &)>;

// model: the list that the compiler chose, after the transformations that the space's nest has.
[[nodiscard]] SearchResult searchTransforms(const SearchSpace &space, const TransformList &model, const SearchPlan &plan,
                                            const SearchTools &tools, const std::stop_token &stop,
                                            const SearchObserver &observer = {});

// How well the predicted cycles put the timed candidates in the order of their times: Spearman's rank correlation, -1 to 1, with
// the mean rank for equal ones. Nothing: fewer than three of them have both, or all are equal.
[[nodiscard]] std::optional<double> rankCorrelation(const std::vector<Candidate> &candidates);

} // namespace sw
