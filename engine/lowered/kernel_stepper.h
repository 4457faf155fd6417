#pragma once
// Steps through the run of a kernel, forward and backward, over all its work items in the order in which the interpreter runs
// them. A position is the number of instructions that were run; the next one is about to run. Instructions that do
// nothing when they run (constants, memory, blocks, the end of an if) are not steps.
//
// Past states are not all kept. Checkpoints keep the state at some positions; any other is reached by running on from an earlier
// one. A log can also take back the last steps. When checkpoints run out of room, every second one is dropped.

#include "engine/lowered/access_counts.h"
#include "engine/lowered/line_counts.h"
#include "engine/lowered/stop_condition.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>

namespace sw {

struct StepperRequest {
    // By argument position; their contents are copied. Spans of the same bytes are one buffer.
    std::vector<std::span<const std::byte>> buffers = {};
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
    std::size_t memoryLimitBytes = std::size_t{256} << 20; // of everything that the stepper keeps
    std::uint64_t stepsBetweenCheckpoints = 1 << 16;       // at first
};

struct StepCounter {
    InstructionId loop;
    std::string name;
    std::int64_t value = 0;
    std::int64_t extent = 0;
    bool isChanged = false; // by the last step
};

struct StepRegister {
    InstructionId instruction;
    std::string name;
    DType dtype = DType::F32;
    std::vector<Scalar> lanes;
    bool isChanged = false; // by the last step
};

// Of the last step.
struct StepAccess {
    AccessKind kind = AccessKind::Load;
    InstructionId memory;
    std::int64_t first = 0; // element
    std::uint32_t count = 0;
};

struct StepPlace {
    std::array<std::int64_t, 3> global{};
    std::array<std::int64_t, 3> local{};
    std::array<std::int64_t, 3> group{};
};

struct StepState {
    std::uint64_t position = 0;
    std::optional<std::uint64_t> steps; // of the whole run, once its end was seen
    InstructionId next;                 // invalid at the end
    StepPlace item;                     // whose turn it is
    InstructionId last;                 // the step that led here; invalid at the beginning, and when it was too large to keep
    std::vector<StepCounter> counters;  // of the loops around the next instruction, outermost first
    // Values that the next instruction can see, and the one that the last step made; no counters and no constants.
    std::vector<StepRegister> registers;
    std::vector<StepAccess> accesses;
    std::vector<IndexFault> faults;    // so far
    std::optional<Diagnostic> problem; // why the run ends here
};

struct StepperMemory {
    std::size_t limitBytes = 0;
    std::size_t bytes = 0;
    std::size_t checkpoints = 0;
    std::uint64_t stepsBetweenCheckpoints = 0;
    std::size_t loggedSteps = 0; // steps that can be taken back at once
};

enum class Direction : std::uint8_t { Forward, Backward };
enum class StartsAt : std::uint8_t { Next, Here }; // Here: the current position counts, too

struct StepSearch {
    bool isFound = false;    // else the position is unchanged
    std::uint64_t steps = 0; // how many were looked at
};

struct PastValue {
    std::uint64_t position = 0; // after the step that made it
    std::array<std::int64_t, 3> workItem{};
    std::vector<Scalar> lanes;
};

class KernelStepper {
public:
    // The kernel must have passed the verifier. Errors: a kernel that the interpreter cannot run, buffers that do not fit it, a
    // memory limit too small to hold its state twice.
    [[nodiscard]] static Result<KernelStepper> open(const LoweredKernel &kernel, const StepperRequest &request);
    ~KernelStepper();
    KernelStepper(KernelStepper &&) noexcept;
    KernelStepper &operator=(KernelStepper &&) noexcept;

    [[nodiscard]] const LoweredKernel &kernel() const;
    [[nodiscard]] std::uint64_t position() const;
    // How far a function below has come by now. For any thread.
    [[nodiscard]] std::uint64_t reached() const;
    [[nodiscard]] StepState state() const;
    // The bytes of a DefineGlobal, Buffer (of the item whose turn it is) or Local; empty for anything else.
    [[nodiscard]] std::span<const std::byte> bytesOf(InstructionId memory) const;
    [[nodiscard]] StepperMemory memory() const;

    // A function below that fails or is stopped leaves the position unchanged.

    // False: there is no step in that direction.
    [[nodiscard]] bool stepForward();
    [[nodiscard]] bool stepBackward();
    // Error: a position past the end.
    [[nodiscard]] Result<Done> goTo(std::uint64_t position, std::stop_token stop = {});
    // Runs to the end, however far that is, and comes back. Returns the number of steps.
    [[nodiscard]] Result<std::uint64_t> findEnd(std::stop_token stop = {});

    [[nodiscard]] Result<StepSearch> run(Direction direction, const StopCondition &condition, std::stop_token stop = {},
                                         StartsAt start = StartsAt::Next);
    // To the nearest position at which any of them begins to hold; without conditions, nowhere.
    [[nodiscard]] Result<StepSearch> run(Direction direction, std::span<const StopCondition> conditions,
                                         std::stop_token stop = {}, StartsAt start = StartsAt::Next);
    // Takes one step, or passes over the whole loop that is about to begin, or that has just ended.
    [[nodiscard]] Result<StepSearch> stepOver(Direction direction, std::stop_token stop = {});
    // Moves behind the innermost loop around the next instruction, or in front of it; without a loop, to the end or the beginning
    // of the work item's turn.
    [[nodiscard]] Result<StepSearch> stepOut(Direction direction, std::stop_token stop = {});

    // The last values that an instruction made up to here, in all work items, newest first.
    [[nodiscard]] Result<std::vector<PastValue>> history(InstructionId value, std::size_t count, std::stop_token stop = {});
    // The last accesses up to here, newest first.
    [[nodiscard]] Result<std::vector<PastAccess>> lastAccesses(std::size_t count, std::stop_token stop = {});
    // What the run touches from its beginning on, as far as the limits go.
    [[nodiscard]] Result<AccessCounts> countAccesses(const AccessLimits &limits, std::stop_token stop = {});

    // How the run uses cache lines from its beginning on, as far as the limits go.
    [[nodiscard]] Result<LineCounts> countLines(const LineLimits &limits, std::stop_token stop = {});
    // Runs to the end, however far that is, and comes back. memories: DefineGlobals.
    [[nodiscard]] Result<std::vector<WrittenMemory>> writtenAtEnd(std::span<const InstructionId> memories,
                                                                  std::stop_token stop = {});

private:
    class Implementation;
    explicit KernelStepper(std::unique_ptr<Implementation> implementation);

    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
