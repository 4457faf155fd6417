#pragma once
// The run of one kernel, opened for stepping: a KernelStepper that speaks in lines, names and texts.

#include "engine/base/result.h"
#include "engine/lowered/line_counts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct TraceCounter {
    std::string name;
    std::int64_t value = 0;
    std::int64_t extent = 0;
    bool isChanged = false; // by the last step
};

// A loop of the kernel's text, whether or not the run is in it.
struct TraceLoop {
    std::string name;  // as in the kernel's text, without '%': for runTo, and as in TraceCounter
    std::string label; // what the loop stage calls it: "r2.o"; else its name
    std::uint32_t line = 0;
    std::uint32_t endLine = 0;
    std::uint32_t depth = 0;            // loops around it
    std::optional<std::int64_t> extent; // if it is a constant
};

struct TraceValue {
    std::uint32_t instruction = 0;
    std::string name;               // as in the kernel's text, without '%'
    std::string label;              // what an accumulator is called: "acc"; may be empty
    std::string type;               // "f32x4"
    std::vector<std::string> lanes; // texts of scalars
    bool isChanged = false;         // by the last step
};

struct TraceAccess {
    bool isStore = false;
    std::uint32_t memory = 0; // instruction
    std::string name;
    std::int64_t first = 0; // element
    std::uint32_t count = 0;
    std::vector<std::string> values; // as they are now
};

struct TraceMemory {
    std::uint32_t instruction = 0;
    std::string name;
    std::string type;
    std::int64_t elements = 0;
    std::vector<std::int64_t> shape; // row-major; of memory inside the kernel, its number of elements
    std::uint32_t elementBytes = 0;
    bool isBuffer = false;  // of the program, not memory inside the kernel
    bool isWritten = false; // by the kernel
};

// An element of a buffer that is further off from the reference interpreter's value than its error bound allows.
struct TraceDifference {
    std::uint32_t memory = 0; // instruction
    std::string name;
    std::int64_t element = 0;
    std::string actual;
    std::string expected;
    double allowed = 0;
};
[[nodiscard]] std::string toText(const TraceDifference &difference);

// A memory that the kernel writes, at the end of the run.
struct TraceCompared {
    std::uint32_t memory = 0; // instruction
    std::string name;
    std::string value;          // of the graph, that it holds: "value %12 (softmax/exp)"
    std::string reason;         // why it was not compared; empty: it was
    std::int64_t stored = 0;    // elements that the run writes
    std::int64_t different = 0; // of them
};

struct TraceComparison {
    std::vector<TraceCompared> memories;
    std::string missingBounds; // why there are no error bounds, so that a tolerance judges; empty: there are
};
[[nodiscard]] std::string toText(const TraceComparison &comparison);

struct TracePosition {
    std::uint64_t position = 0;         // steps that were run
    std::optional<std::uint64_t> steps; // of the whole run, when that is known
    std::uint32_t line = 0;             // of the kernel's text, from 1; 0: the run is at its end
    std::string text;                   // of the line
    std::uint32_t lastLine = 0;         // of the step that was run last; 0: there is none
    std::string lastText;
    std::array<std::int64_t, 3> workItem{}; // global
    std::vector<TraceCounter> counters;     // outermost first
    std::vector<TraceValue> values;
    std::vector<TraceAccess> accesses;        // of the last step
    std::vector<TraceDifference> differences; // that the last step stored, once they were looked for
    std::vector<std::string> faults;          // indices out of range so far
    std::string problem;                      // why the run ends here, when it fails
};

enum class TraceDirection : std::uint8_t { Forward, Backward };

struct TraceSearch {
    bool isFound = false; // else the position is as before
    std::uint64_t steps = 0;
};

struct TracePast {
    std::uint64_t position = 0;
    std::array<std::int64_t, 3> workItem{};
    std::vector<std::string> lanes;
};

// An access of the past, at the position behind its step.
struct TracePastAccess {
    std::uint64_t position = 0;
    bool isStore = false;
    std::uint32_t memory = 0;
    std::int64_t first = 0; // element
    std::uint32_t count = 0;
};

// How often the run touches an element. Positions are those behind the first and the last step that does; 0: none.
struct TraceTouches {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

struct TraceMemoryTouches {
    std::uint32_t memory = 0;
    std::vector<TraceTouches> elements; // empty: too many to count
};

struct TraceTotals {
    std::uint64_t steps = 0; // that were counted, from the beginning on
    bool isWhole = false;    // the run has no more
    std::vector<TraceMemoryTouches> memories;
};

struct TraceBytes {
    std::size_t limit = 0;
    std::size_t held = 0;
    std::size_t checkpoints = 0;
    std::uint64_t stepsBetweenCheckpoints = 0;
};

class KernelTrace {
public:
    struct Parts;
    explicit KernelTrace(std::unique_ptr<Parts> parts);
    ~KernelTrace();
    KernelTrace(const KernelTrace &) = delete;
    KernelTrace &operator=(const KernelTrace &) = delete;

    [[nodiscard]] const std::string &kernelName() const;
    [[nodiscard]] const std::vector<std::string> &lines() const; // of the kernel's text
    [[nodiscard]] std::vector<TraceMemory> memories() const;
    [[nodiscard]] std::vector<TraceLoop> loops() const;                  // in the order of the text
    [[nodiscard]] const std::array<std::int64_t, 3> &globalSize() const; // work items
    // The line of the text with each instruction, from 1; 0: it has no line.
    [[nodiscard]] const std::vector<std::uint32_t> &instructionLines() const;

    [[nodiscard]] TracePosition where() const;
    // The current elements of a memory; fewer than asked for at its end.
    [[nodiscard]] std::vector<std::string> elements(std::uint32_t memory, std::int64_t first, std::size_t count) const;
    [[nodiscard]] TraceBytes bytes() const;

    // The step that a function below has come to by now. For any thread.
    [[nodiscard]] std::uint64_t reached() const;

    // A function below that fails or is stopped leaves the position unchanged.
    [[nodiscard]] bool step(TraceDirection direction); // false: there is no step in that direction
    [[nodiscard]] Result<Done> goTo(std::uint64_t position, std::stop_token stop);
    [[nodiscard]] Result<std::uint64_t> findEnd(std::stop_token stop);
    [[nodiscard]] Result<TraceSearch> stepOver(TraceDirection direction, std::stop_token stop);
    [[nodiscard]] Result<TraceSearch> stepOut(TraceDirection direction, std::stop_token stop);
    // condition: "nan", "inf", "load", "store" or "fault" (an index out of range) in the last step; "difference": the last step
    // stored an element whose final value differs from the reference's; "line:N", a line of the text;
    // "value:NAME", a value of that name or number was made; "element:NAME[N]", it was read or written. A line or a value may be
    // followed by a comparison with a number: "line:7 if acc > 0.5", "value:acc >= 2".
    [[nodiscard]] Result<TraceSearch> run(TraceDirection direction, std::string_view condition, std::stop_token stop);
    // To the nearest position at which one of the conditions begins to hold.
    [[nodiscard]] Result<TraceSearch> runToAny(TraceDirection direction, std::span<const std::string> conditions,
                                               std::stop_token stop);
    // place: "i=3,j=0", values of loop counters and work-item indices ("global_x"). The current position may match, too.
    [[nodiscard]] Result<TraceSearch> runTo(TraceDirection direction, std::string_view place, std::stop_token stop);
    // What the kernel writes, compared with the values of the reference interpreter. The first call runs both to the end.
    [[nodiscard]] Result<TraceComparison> comparison(std::stop_token stop);
    // The last values of that name or number, newest first.
    [[nodiscard]] Result<std::vector<TracePast>> history(std::string_view value, std::size_t count, std::stop_token stop);
    // The last accesses up to here, newest first.
    [[nodiscard]] Result<std::vector<TracePastAccess>> lastAccesses(std::size_t count, std::stop_token stop);
    // What the run touches, in at most so many steps from its beginning (below 2^32), and of so many elements.
    [[nodiscard]] Result<TraceTotals> totals(std::uint64_t steps, std::int64_t elements, std::stop_token stop);

    // How the run uses cache lines of the program's buffers.
    [[nodiscard]] Result<LineCounts> countLines(const LineLimits &limits, std::stop_token stop);

private:
    std::unique_ptr<Parts> m_parts;
};

} // namespace sw
