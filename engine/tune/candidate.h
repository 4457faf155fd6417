#pragma once
// A list of loop transformations that the tuner tries for one kernel, and what came of it.

#include "engine/loops/transform.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

using TransformList = std::vector<Transform>;

// "split i0 8; set_type i0.i vector"
[[nodiscard]] std::string textOf(const TransformList &list);

enum class CandidateSource : std::uint8_t {
    Model,   // the compiler's own choice
    Kept,    // what an earlier search found
    Drawn,   // at random
    Edited,  // a good one, changed at one place
    Crossed, // the parts of two good ones
};
[[nodiscard]] std::string_view nameOf(CandidateSource source);

enum class TrialState : std::uint8_t {
    Timed,    // it has a time
    Slower,   // clearly slower than the best, so that it was not measured to the end
    Wrong,    // it computes other values
    Failed,   // it could not be compiled or run
    TooLarge, // more code or memory than a kernel may have; it was not compiled
    Stopped,  // nobody waits for it any more
};
[[nodiscard]] std::string_view nameOf(TrialState state);

// The band of a time, in nanoseconds.
struct TimeBand {
    double low = 0;
    double median = 0;
    double high = 0;
};

struct CandidateTrial {
    TrialState state = TrialState::Timed;
    TimeBand nanoseconds = {}; // Timed, Slower
    double toBest = 1;         // its time divided by that of the best so far, measured in turn; Timed, Slower
    bool isFaster = false;     // than the best so far, beyond noise
    std::string told = {};     // why it was refused, or how its values differ
    std::uint64_t maxUlp = 0;  // how far its values are from those of the compiler's choice
};

struct Candidate {
    std::uint32_t number = 0; // from 0, which is the compiler's own choice
    TransformList transforms = {};
    CandidateSource source = CandidateSource::Model;
    std::optional<double> predictedCycles = {}; // by the model that the compiler chooses with; nothing: it has no price for it
    CandidateTrial trial = {};
    double time = 0;                    // divided by that of candidate 0; 0: it has none
    std::chrono::nanoseconds judged{0}; // when, since the search began
};

} // namespace sw
