#pragma once
// Lists of loop transformations that were found by measuring, by what they were measured for (engine/passes/loops/tuning_key.h).
// They are part of the options of a compilation, which stays a pure function: whoever asks for one reads them from where they are
// kept (engine/tune).

#include "engine/base/text.h"
#include "engine/loops/transform.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sw {

struct Tuning {
    std::vector<Transform> transforms = {}; // after those that every choice begins with
    double gain = 1;                        // the time with the list that the compiler chose, divided by that with this one
    std::string measuredOn = {};            // the date, "2026-11-23"
    std::uint64_t seed = 1;                 // of the search that found it
    bool operator==(const Tuning &) const = default;
};

// "tuned: 1.23 x, 2026-11-23, seed 7"
[[nodiscard]] inline std::string reasonOf(const Tuning &tuning)
{
    return format("tuned: {:.2f} x, {}, seed {}", tuning.gain, tuning.measuredOn, tuning.seed);
}

struct Tunings {
    std::map<std::string, Tuning, std::less<>> byKey = {}; // tuningKeyOf
    std::vector<std::string> notes = {};                   // about those that cannot be read
    bool operator==(const Tunings &) const = default;
};

} // namespace sw
