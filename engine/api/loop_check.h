#pragma once
// Checks a list of loop transformations that a person edits: which of them is illegal, why, and what would be legal there.

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

struct LoopNest;
struct Schedule;

struct LoopAxis {
    std::string name;
    std::int64_t extent = 1;
    std::string type; // "loop", "reduce", "thread" ...
    bool isReduce = false;
    bool operator==(const LoopAxis &) const = default;
};

struct CheckedTransform {
    std::string text;
    std::string problem;        // empty: it is legal
    std::string legal;          // what could stand here instead; empty unless there is a problem
    std::vector<LoopAxis> axes; // the loops before it, outermost first
};

struct LoopCheck {
    std::vector<CheckedTransform> lines;
    std::vector<LoopAxis> axes; // the loops after the last line
    std::string problem;        // of the list as a whole; of the first illegal line, if there is one
    std::string error;          // why nothing can be checked
};

// nest: of the kernel, before the heuristic chose anything; the list may begin with the transformations that it has by then.
// After an illegal line, later lines are not judged.
[[nodiscard]] LoopCheck checkLoops(const LoopNest &nest, const Schedule &schedule, const std::vector<std::string> &lines);

// What can stand in a list after these loops, as texts that begin alike: "split i0 ", "set_type i0 vector". For completion.
[[nodiscard]] std::vector<std::string> possibleTransforms(const std::vector<LoopAxis> &axes);

} // namespace sw
