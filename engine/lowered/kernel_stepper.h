#pragma once
// Steps through the run of a kernel, forward and backward, over all its work items in the order in which the interpreter runs
// them. A position is a number of steps: so many instructions were run, and the next one is about to be. Instructions that do
// nothing when they run (constants, memory, blocks, the end of an if) are no steps.
//
// What was run is not kept. Checkpoints keep the state at some positions, and any other is reached by running on from one before
// it; the last steps are also in a log that takes them back. When checkpoints have no more room, every second one goes.

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
    std::optional<std::uint64_t> steps; // of the whole run, when the end was seen
    InstructionId next;                 // invalid at the end
    StepPlace item;                     // whose turn it is
    InstructionId last;                 // the step that led here; invalid at the beginning, and when it was too large to keep
    std::vector<StepCounter> counters;  // of the loops around the next instruction, outermost first
    // That can be seen by the next instruction, and what the last one made; no counters and no constants.
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
    std::size_t loggedSteps = 0; // that can be taken back at once
};

enum class Direction : std::uint8_t { Forward, Backward };
enum class StartsAt : std::uint8_t { Next, Here }; // Here: where the run is counts, too

struct StepSearch {
    bool isFound = false;    // else the position is as before
    std::uint64_t steps = 0; // that were looked at
};

struct PastValue {
    std::uint64_t position = 0; // behind the step that made it
    std::array<std::int64_t, 3> workItem{};
    std::vector<Scalar> lanes;
};

class KernelStepper {
public:
    // The kernel must have passed the verifier. Errors: what the interpreter does not run, buffers that do not fit the kernel, a
    // limit that does not hold its state twice.
    [[nodiscard]] static Result<KernelStepper> open(const LoweredKernel &kernel, const StepperRequest &request);
    ~KernelStepper();
    KernelStepper(KernelStepper &&) noexcept;
    KernelStepper &operator=(KernelStepper &&) noexcept;

    [[nodiscard]] const LoweredKernel &kernel() const;
    [[nodiscard]] std::uint64_t position() const;
    [[nodiscard]] StepState state() const;
    // Of a DefineGlobal, Buffer (of the item whose turn it is) or Local; empty when it is none.
    [[nodiscard]] std::span<const std::byte> bytesOf(InstructionId memory) const;
    [[nodiscard]] StepperMemory memory() const;

    // Everything below leaves the position as it was when it fails or is stopped.

    // False: there is no step in that direction.
    [[nodiscard]] bool stepForward();
    [[nodiscard]] bool stepBackward();
    // Error: a position behind the end.
    [[nodiscard]] Result<Done> goTo(std::uint64_t position, std::stop_token stop = {});
    // Runs to the end, however far that is, and comes back. How many steps there are.
    [[nodiscard]] Result<std::uint64_t> findEnd(std::stop_token stop = {});

    [[nodiscard]] Result<StepSearch> run(Direction direction, const StopCondition &condition, std::stop_token stop = {},
                                         StartsAt start = StartsAt::Next);
    // A step; or over the whole loop that is to begin, or that has just ended.
    [[nodiscard]] Result<StepSearch> stepOver(Direction direction, std::stop_token stop = {});
    // Behind the innermost loop around the next instruction, or in front of it; without one, to the end or the beginning of the
    // work item's turn at it.
    [[nodiscard]] Result<StepSearch> stepOut(Direction direction, std::stop_token stop = {});

    // The last values of an instruction up to here, of all work items, the newest first.
    [[nodiscard]] Result<std::vector<PastValue>> history(InstructionId value, std::size_t count, std::stop_token stop = {});

private:
    class Implementation;
    explicit KernelStepper(std::unique_ptr<Implementation> implementation);

    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
