#pragma once
// Executes prepared kernels: the steps of work items, and the order in which the items take their turns. The interpreter and the
// stepper both run kernels with this and differ in what watches the run. Private to them.
//
// A watch may have any of the functions below; the ones that it lacks cost nothing.

#include "engine/base/assert.h"
#include "engine/lowered/interpreter_program.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <optional>
#include <utility>

namespace sw {

// Scratch memory is first filled with this byte: NaN as floats and far out of range as an index, so that reads of unwritten
// memory show.
inline constexpr auto kUnwritten = std::byte{0xff};

struct Memory {
    std::byte *bytes = nullptr;
    std::int64_t elements = 0;
};

struct WorkItem {
    std::byte *frame = nullptr;
    std::byte *scratch = nullptr;
    std::vector<Memory> memories;
    std::size_t next = 0; // step
    std::array<std::int64_t, 3> global{};
    std::array<std::int64_t, 3> local{};
    std::array<std::int64_t, 3> group{};
};

enum class Pause : std::uint8_t { Finished, Barrier, Stopped, Failed };

// Called before a step of an item; false stops the run in front of it.
template <class Watch>
concept WatchesSteps = requires(Watch watch, const WorkItem &item, std::size_t step) {
    { watch.begins(item, step) } -> std::same_as<bool>;
};

// Called when a step made a value. The step that opens a loop makes the loop's counter, on every round.
template <class Watch>
concept WatchesValues = requires(Watch watch, const WorkItem &item, std::size_t step) { watch.makes(item, step); };

// Called before memory is changed or read: by an access to its elements, by a failed check, or when memory is reset. An
// item that takes its turn changes its frame.
template <class Watch>
concept WatchesMemory =
    requires(Watch watch, const WorkItem &item, const Step &step, IndexFault &fault, std::span<std::byte> bytes) {
        watch.touches(step, std::int64_t{}, std::uint32_t{}, bytes.data());
        watch.fails(fault);
        watch.clears(bytes);
        watch.resumes(item);
    };

struct Unwatched {};

// The memory that work items compute with, except the buffers: one block of bytes.
struct MachineLayout {
    std::size_t frameBytes = 0;   // per item
    std::size_t scratchBytes = 0; // per item
    std::size_t sharedBytes = 0;
    std::size_t items = 1; // how many have a frame of their own at the same time

    [[nodiscard]] std::size_t bytes() const { return sharedBytes + items * (frameBytes + scratchBytes); }
};
// The alignment of the block, and of every part of it.
inline constexpr std::size_t kBlockAlignment = 64;
[[nodiscard]] std::byte *alignedBlock(std::byte *bytes);

struct MachineRequest {
    std::vector<std::span<std::byte>> buffers; // by argument position
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
    std::stop_token stop = {};
};
[[nodiscard]] Result<Done> checkRequest(const InterpreterProgram &program, const MachineRequest &request);
[[nodiscard]] MachineLayout layoutOf(const InterpreterProgram &program, const std::array<std::int64_t, 3> &localSize);

// Whose turn it is.
struct MachineCursor {
    std::array<std::int64_t, 3> group{};
    std::uint32_t item = 0;    // of the group
    std::uint32_t waiting = 0; // items that have come to their barrier in this phase
    bool isOver = false;
    bool operator==(const MachineCursor &) const = default;
};

// The state of a machine, except its bytes.
struct MachineState {
    MachineCursor cursor;
    std::vector<std::size_t> next; // by item that has a frame
    std::vector<IndexFault> faults;
};

template <class T>
T &at(std::byte *frame, std::uint32_t place)
{
    return *reinterpret_cast<T *>(frame + place);
}

class KernelMachine {
public:
    // request: already checked. block: zeros, as many as the layout says; it must live as long as the machine.
    KernelMachine(const InterpreterProgram &program, MachineRequest request, std::byte *block);

    // Runs to the end, or until the watch wants to stop. When a step fails, problem() says why, and the state is left in the
    // middle of the step.
    template <class Watch>
    Pause advance(Watch &watch)
    {
        while (!m_cursor.isOver) {
            if (m_request.stop.stop_requested())
                return Pause::Stopped;
            WorkItem &item = currentItem();
            if constexpr (WatchesMemory<Watch>)
                watch.resumes(item);
            const Pause pause = runSteps(item, watch);
            if (pause == Pause::Stopped || pause == Pause::Failed)
                return pause;
            if (!moveOn(pause, watch))
                return Pause::Failed;
        }
        return Pause::Finished;
    }

    [[nodiscard]] static std::int64_t specialOf(const WorkItem &item, SpecialIndex index);
    [[nodiscard]] const InterpreterProgram &program() const { return m_program; }
    [[nodiscard]] const MachineCursor &cursor() const { return m_cursor; }
    [[nodiscard]] const WorkItem &item() const { return m_items[m_program.hasBarriers ? m_cursor.item : 0]; }
    [[nodiscard]] const WorkItem &itemAt(std::uint32_t item) const { return m_items[m_program.hasBarriers ? item : 0]; }
    [[nodiscard]] const std::vector<IndexFault> &faults() const { return m_faults; }
    [[nodiscard]] const std::optional<Diagnostic> &problem() const { return m_problem; }

    [[nodiscard]] MachineState save() const;
    void restore(const MachineState &state);
    // Puts the cursor back, with its item in front of step `next`. The caller restores the bytes.
    void rewind(const MachineCursor &before, std::size_t next);

private:
    [[nodiscard]] WorkItem &currentItem() { return m_items[m_program.hasBarriers ? m_cursor.item : 0]; }
    void bindMemory(WorkItem &item);
    void locate(WorkItem &item, std::int64_t flatLocal) const;
    void locateItems();
    void stepGroup();
    bool waitTogether();
    void noteAccess(const Step &step, std::int64_t index, std::int64_t lanes);

    template <class Watch>
    static void clear(std::byte *bytes, std::size_t count, Watch &watch)
    {
        if constexpr (WatchesMemory<Watch>)
            if (count != 0)
                watch.clears({bytes, count});
        std::fill_n(bytes, count, kUnwritten);
    }

    template <class Watch>
    void place(WorkItem &item, std::int64_t flatLocal, Watch &watch)
    {
        item.next = 0;
        locate(item, flatLocal);
        clear(item.scratch, m_layout.scratchBytes, watch);
    }

    template <class Watch>
    void beginGroup(Watch &watch)
    {
        clear(m_shared, m_layout.sharedBytes, watch);
        for (std::size_t i = 0; i < m_items.size(); ++i)
            place(m_items[i], static_cast<std::int64_t>(i), watch);
    }

    // Moves to the item that runs next: the work items of a group run one after the other; with barriers, each runs to its next
    // barrier until all are finished.
    template <class Watch>
    bool moveOn(Pause pause, Watch &watch)
    {
        m_cursor.waiting += pause == Pause::Barrier ? 1 : 0;
        ++m_cursor.item;
        if (m_cursor.item < m_groupItems) {
            if (!m_program.hasBarriers)
                place(m_items.front(), m_cursor.item, watch);
            return true;
        }
        if (!waitTogether())
            return false;
        m_cursor.item = 0;
        if (std::exchange(m_cursor.waiting, 0) != 0)
            return true;
        stepGroup();
        if (!m_cursor.isOver)
            beginGroup(watch);
        return true;
    }

    template <class Watch>
    Pause runSteps(WorkItem &item, Watch &watch)
    {
        const Step *const steps = m_program.steps.data();
        const std::size_t count = m_program.steps.size();
        std::byte *const frame = item.frame;
        std::size_t next = item.next;
        while (next < count) {
            if constexpr (WatchesSteps<Watch>) {
                if (!watch.begins(item, next)) {
                    item.next = next;
                    return Pause::Stopped;
                }
            }
            const Step &step = steps[next];
            ++next;
            switch (step.kind) {
            case StepKind::Compute:
                step.compute(step.lanes, frame);
                break;
            case StepKind::Special:
                at<std::int64_t>(frame, step.lanes.result) = specialOf(item, step.special);
                break;
            case StepKind::LoopBegin:
                at<std::int64_t>(frame, step.counter) = 0;
                at<std::int64_t>(frame, step.counter + 8) = at<std::int64_t>(frame, step.lanes.operands[0]);
                if (at<std::int64_t>(frame, step.counter + 8) <= 0) {
                    next = step.target;
                    continue;
                }
                break;
            case StepKind::LoopEnd:
                if (++m_ticks % kStepsBetweenStopChecks == 0 && m_request.stop.stop_requested())
                    return Pause::Stopped;
                if (++at<std::int64_t>(frame, step.counter) < at<std::int64_t>(frame, step.counter + 8)) {
                    next = step.target;
                    if constexpr (WatchesValues<Watch>)
                        watch.makes(item, step.target - 1); // the counter's next value
                }
                break;
            case StepKind::If:
                if (!at<bool>(frame, step.lanes.operands[0]))
                    next = step.target;
                break;
            case StepKind::Load:
                if (!load(item, step, watch))
                    return Pause::Failed;
                break;
            case StepKind::MaskedLoad:
                if (!maskedLoad(item, step, watch))
                    return Pause::Failed;
                break;
            case StepKind::Store:
                if (!store(item, step, watch))
                    return Pause::Failed;
                break;
            case StepKind::IndexCheck:
                checkIndex(frame, step, watch);
                break;
            case StepKind::Barrier:
                item.next = next;
                return Pause::Barrier;
            }
            if constexpr (WatchesValues<Watch>)
                if (step.isTraced)
                    watch.makes(item, static_cast<std::size_t>(&step - steps));
        }
        item.next = next;
        return Pause::Finished;
    }

    // Null when the access leaves its memory; then the problem is noted.
    template <class Watch>
    std::byte *accessed(WorkItem &item, const Step &step, std::int64_t index, std::uint32_t lanes, Watch &watch)
    {
        const Memory &memory = item.memories[step.memory];
        if (index < 0 || index > memory.elements - std::int64_t{lanes}) [[unlikely]] {
            noteAccess(step, index, lanes);
            return nullptr;
        }
        std::byte *const bytes = memory.bytes + index * static_cast<std::int64_t>(bytesOf(step.lanes.dtype));
        if constexpr (WatchesMemory<Watch>)
            watch.touches(step, index, lanes, bytes);
        return bytes;
    }

    static void copyIn(const Step &step, std::byte *to, const std::byte *from, std::uint32_t lanes)
    {
        std::memcpy(to, from, std::size_t{lanes} * bytesOf(step.lanes.dtype));
        if (step.lanes.dtype == DType::Bool)
            for (std::uint32_t lane = 0; lane < lanes; ++lane)
                to[lane] = to[lane] == std::byte{0} ? std::byte{0} : std::byte{1};
    }

    template <class Watch>
    bool load(WorkItem &item, const Step &step, Watch &watch)
    {
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        const std::byte *const from = accessed(item, step, index, step.lanes.lanes, watch);
        if (from != nullptr)
            copyIn(step, item.frame + step.lanes.result, from, step.lanes.lanes);
        return from != nullptr;
    }

    template <class Watch>
    bool maskedLoad(WorkItem &item, const Step &step, Watch &watch)
    {
        const bool *const valid = &at<bool>(item.frame, step.lanes.operands[1]);
        std::byte *const result = item.frame + step.lanes.result;
        if (!step.hasLaneMask && *valid)
            return load(item, step, watch);
        std::memcpy(result, item.frame + step.lanes.operands[2], std::size_t{step.lanes.lanes} * bytesOf(step.lanes.dtype));
        if (!step.hasLaneMask)
            return true;
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        for (std::uint32_t lane = 0; lane < step.lanes.lanes; ++lane) {
            if (!valid[lane])
                continue;
            const std::byte *const from = accessed(item, step, index + lane, 1, watch);
            if (from == nullptr)
                return false;
            copyIn(step, result + std::size_t{lane} * bytesOf(step.lanes.dtype), from, 1);
        }
        return true;
    }

    template <class Watch>
    bool store(WorkItem &item, const Step &step, Watch &watch)
    {
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        std::byte *const to = accessed(item, step, index, step.lanes.lanes, watch);
        if (to != nullptr)
            std::memcpy(to, item.frame + step.lanes.operands[1], std::size_t{step.lanes.lanes} * bytesOf(step.lanes.dtype));
        return to != nullptr;
    }

    template <class Watch>
    void checkIndex(std::byte *frame, const Step &step, Watch &watch)
    {
        for (std::uint32_t lane = 0; lane < step.lanes.lanes; ++lane) {
            const std::int64_t index = (&at<std::int64_t>(frame, step.lanes.operands[0]))[lane];
            const bool isInside = index >= 0 && index < step.bound;
            (&at<bool>(frame, step.lanes.result))[lane] = isInside;
            if (isInside)
                continue;
            IndexFault &fault = m_faults[step.fault];
            if constexpr (WatchesMemory<Watch>)
                watch.fails(fault);
            if (fault.count++ == 0)
                fault.index = index;
        }
    }

    static constexpr std::uint32_t kStepsBetweenStopChecks = 4096;

    const InterpreterProgram &m_program;
    MachineRequest m_request;
    MachineLayout m_layout;
    std::array<std::int64_t, 3> m_groups{};
    std::uint32_t m_groupItems = 1;
    std::byte *m_shared = nullptr;
    std::vector<WorkItem> m_items;
    MachineCursor m_cursor;
    std::vector<IndexFault> m_faults;
    std::optional<Diagnostic> m_problem;
    std::uint32_t m_ticks = 0;
};

} // namespace sw
