#pragma once
// Tunes the kernels of a program: searches for faster loops by measuring.

#include "engine/api/compilation.h"
#include "engine/api/inputs.h"
#include "engine/passes/tunings.h"
#include "engine/tune/search.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

inline constexpr std::chrono::seconds kTuneBudget{60}; // for all kernels together

struct TunePlan {
    std::string kernel = {};                       // its name; empty: all that take a part of the time that matters
    std::uint64_t seed = 1;                        // of the search
    std::size_t candidates = 0;                    // for each kernel; 0: as many as the budget allows
    std::chrono::nanoseconds budget = kTuneBudget; // 0: no limit
    std::shared_ptr<const Tunings> known = {};     // that were found earlier: they are tried first; null: none
};

struct KernelTuning {
    std::string kernel; // its name
    std::string device; // id
    std::uint32_t id = 0;
    std::string key;          // of tuning_key.h
    double share = 0;         // of the time of all kernels
    TransformList first = {}; // that belong to every choice
    std::string values = {};  // what the values of candidates are compared by
    SearchResult search = {};
    std::optional<double> correlation = {}; // of the model's prices with the times
    std::string value = {};                 // that the kernel stores, by its path
    std::string problem = {};               // why it was not tuned; empty: it was
    bool isKept = false;                    // later compilations use the best list

    // The time with the compiler's choice, divided by the best one.
    [[nodiscard]] double gain() const;
};

// Told after each candidate; the last of the list is the one that is being tuned.
using TuneObserver = std::function<void(const std::vector<KernelTuning> &)>;

// Adds to `tunings`, which keeps what there is when it is stopped or fails; then the error says why. Kernels of one structure are
// tuned once. inputs: of a compilation. The compiler should run
// kernels in processes of their own: a candidate may crash.
[[nodiscard]] Result<Done> runTuning(ProgramCompiler &compiler, const TunePlan &plan, const CompileRequest &request,
                                     const std::function<RunInputs(const Compilation &)> &inputs,
                                     std::vector<KernelTuning> &tunings, const std::stop_token &stop,
                                     const TuneObserver &observer = {});

// "loops y: split i0 8; ...": the override that gives the kernel the list of a candidate.
[[nodiscard]] std::string overrideOf(const KernelTuning &tuning, std::size_t candidate);
// The time of a candidate divided by that of the compiler's choice, "0.81" or "-", and what became of it, as people read it.
[[nodiscard]] std::string relativeTimeText(const Candidate &candidate);
[[nodiscard]] std::string verdictOf(const SearchResult &search, std::size_t candidate);
// What a list has that the model's has not, and the other way round: "- split i0 8, + split i0 16"; "the model's choice".
[[nodiscard]] std::string changesOf(const TransformList &model, const TransformList &list);

} // namespace sw
