#pragma once
// Long loops of control flow, as scans of the graph: the body is there once, not once per step.

#include "engine/onnx/node_call.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sw::onnx {

// Up to this many steps a body is written out: then all that is known of a step is known (its number, a first state), shapes may
// change from step to step, and gradients go through it.
inline constexpr std::int64_t kMostWrittenSteps = 64;
// Up to this many it is written out when it does not fit a scan. More would make graphs that nobody can read.
inline constexpr std::int64_t kMostSteps = 4096;
// Up to this many steps their numbers are a sequence that is read step by step; more stand for "as long as the condition holds".
inline constexpr std::int64_t kMostNumberedSteps = std::int64_t{1} << 20U;

// Tensors that a Scan reads step by step, or writes.
struct ScannedAxis {
    std::int64_t axis = 0;
    bool isBackward = false;
};

struct BodyScan {
    const ModelGraph &body;
    std::int64_t steps = 0;              // at most; kUnboundedSteps: the condition ends it
    std::vector<Value *> states = {};    // what the first step begins with
    std::vector<Value *> sequences = {}; // read step by step
    std::vector<ScannedAxis> read = {};  // of the sequences, in range
    std::vector<ScannedAxis> rows = {};  // of what is collected
    // Of a Loop: its body is called with the number of the step and a condition, and begins its results with the next condition.
    bool isLoop = false;
    Value *condition = nullptr; // of the first step; null: it is made
    Value *tripCount = nullptr; // one integer that is computed when the model runs; null: there is none
};

struct ScanAttempt {
    std::vector<Value *> results = {}; // the last states, then what was collected
    bool isMade = false;               // else nothing is left of it, and it has to be written out
    bool isReported = false;           // a node of the body failed, and was reported: nothing is left to do
};
// Errors: it does not fit a scan, and has too many steps to be written out.
[[nodiscard]] Result<ScanAttempt> asScan(NodeCall &call, const BodyScan &scan);

} // namespace sw::onnx
