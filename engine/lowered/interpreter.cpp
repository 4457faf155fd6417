#include "engine/lowered/interpreter.h"

#include "engine/base/assert.h"
#include "engine/lowered/interpreter_program.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace sw {

namespace {

constexpr std::uint32_t kStepsBetweenStopChecks = 4096;
constexpr std::int64_t kMaxGroupItems = 1 << 16;

// Scratch memory starts as this byte everywhere: NaN as floats and far out of range as an index, so that reading what was
// never written shows.
constexpr auto kUnwritten = std::byte{0xff};

struct Memory {
    std::byte *bytes = nullptr;
    std::int64_t elements = 0;
};

struct WorkItem {
    std::vector<std::byte> frameStorage;
    std::byte *frame = nullptr;
    std::vector<std::byte> scratch;
    std::vector<Memory> memories;
    std::size_t next = 0; // step
    std::array<std::int64_t, 3> global{};
    std::array<std::int64_t, 3> local{};
    std::array<std::int64_t, 3> group{};
};

enum class Pause : std::uint8_t { Finished, Barrier, Stopped, Failed };

template <class T>
T &at(std::byte *frame, std::uint32_t place)
{
    return *reinterpret_cast<T *>(frame + place);
}

std::int64_t specialOf(const WorkItem &item, SpecialIndex index)
{
    switch (index) {
    case SpecialIndex::GlobalX:
        return item.global[0];
    case SpecialIndex::GlobalY:
        return item.global[1];
    case SpecialIndex::GlobalZ:
        return item.global[2];
    case SpecialIndex::LocalX:
        return item.local[0];
    case SpecialIndex::LocalY:
        return item.local[1];
    case SpecialIndex::LocalZ:
        return item.local[2];
    case SpecialIndex::GroupX:
        return item.group[0];
    case SpecialIndex::GroupY:
        return item.group[1];
    case SpecialIndex::GroupZ:
        return item.group[2];
    }
    SW_UNREACHABLE();
}

class Run {
public:
    Run(const InterpreterProgram &program, const InterpretRequest &request) : m_program(program), m_request(request)
    {
        for (const InstructionId check : program.checks)
            m_faults.push_back({check, 0, 0});
        m_shared.resize(program.sharedBytes + 64);
    }

    [[nodiscard]] Result<std::vector<IndexFault>> run()
    {
        SW_CHECK(checkRequest());
        std::array<std::int64_t, 3> groups{};
        for (std::size_t d = 0; d < 3; ++d)
            groups[d] = m_request.globalSize[d] / m_request.localSize[d];
        makeItems();
        for (std::int64_t z = 0; z < groups[2]; ++z)
            for (std::int64_t y = 0; y < groups[1]; ++y)
                for (std::int64_t x = 0; x < groups[0]; ++x)
                    SW_CHECK(runGroup({x, y, z}));
        std::erase_if(m_faults, [](const IndexFault &fault) { return fault.count == 0; });
        return std::move(m_faults);
    }

private:
    [[nodiscard]] Result<Done> checkRequest() const
    {
        if (m_request.buffers.size() != m_program.argumentCount)
            return Diagnostic::error(Code::Run, {}, "kernel {} takes {} buffers, but {} are given", m_program.name,
                                     m_program.argumentCount, m_request.buffers.size());
        for (const MemoryPlan &plan : m_program.memories) {
            if (plan.kind != MemoryKind::Argument)
                continue;
            const std::size_t bytes = m_request.buffers[plan.position].size();
            if (static_cast<std::int64_t>(bytes / bytesOf(plan.dtype)) < plan.elements)
                return Diagnostic::error(Code::Run, {},
                                         "kernel {} needs {} elements of {} as argument {}, but the buffer has {} bytes",
                                         m_program.name, plan.elements, nameOf(plan.dtype), plan.position, bytes);
        }
        for (std::size_t d = 0; d < 3; ++d) {
            const std::int64_t local = m_request.localSize[d];
            if (local < 1 || m_request.globalSize[d] < 0 || m_request.globalSize[d] % local != 0)
                return Diagnostic::error(Code::Run, {}, "kernel {}: local size {} does not divide global size {}", m_program.name,
                                         local, m_request.globalSize[d]);
        }
        const std::array<std::int64_t, 3> size = m_request.localSize;
        if (size[0] > kMaxGroupItems || size[1] > kMaxGroupItems / size[0] || size[2] > kMaxGroupItems / size[0] / size[1])
            return Diagnostic::error(Code::Limit, {}, "kernel {}: groups of [{}] work items; at most {} are supported",
                                     m_program.name, join(size, ", "), kMaxGroupItems);
        return Done{};
    }

    // With barriers every work item of a group needs a frame of its own, else they take turns with one.
    void makeItems()
    {
        const std::array<std::int64_t, 3> local = m_request.localSize;
        m_groupItems = local[0] * local[1] * local[2];
        m_items.resize(m_program.hasBarriers ? static_cast<std::size_t>(m_groupItems) : 1);
        for (WorkItem &item : m_items) {
            item.frameStorage.resize(m_program.frame.size() + 64);
            item.frame = aligned(item.frameStorage.data());
            std::ranges::copy(m_program.frame, item.frame); // which may be empty
            item.scratch.resize(m_program.scratchBytes + 64);
            bindMemory(item);
        }
    }

    static std::byte *aligned(std::byte *bytes)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes);
        return bytes + ((64 - address % 64) % 64);
    }

    void bindMemory(WorkItem &item)
    {
        for (const MemoryPlan &plan : m_program.memories) {
            std::byte *bytes = nullptr;
            if (plan.kind == MemoryKind::Argument)
                bytes = m_request.buffers[plan.position].data();
            else
                bytes = aligned(plan.kind == MemoryKind::Scratch ? item.scratch.data() : m_shared.data()) + plan.position;
            item.memories.push_back({bytes, plan.elements});
        }
    }

    void place(WorkItem &item, const std::array<std::int64_t, 3> &group, std::int64_t flatLocal) const
    {
        item.next = 0;
        item.group = group;
        for (std::size_t d = 0; d < 3; ++d) {
            item.local[d] = flatLocal % m_request.localSize[d];
            flatLocal /= m_request.localSize[d];
            item.global[d] = group[d] * m_request.localSize[d] + item.local[d];
        }
        std::fill(item.scratch.begin(), item.scratch.end(), kUnwritten);
    }

    [[nodiscard]] Result<Done> runGroup(const std::array<std::int64_t, 3> &group)
    {
        std::fill(m_shared.begin(), m_shared.end(), kUnwritten);
        if (!m_program.hasBarriers) {
            for (std::int64_t i = 0; i < m_groupItems; ++i) {
                place(m_items.front(), group, i);
                SW_CHECK(outcomeOf(runItem(m_items.front())));
            }
            return Done{};
        }
        for (std::int64_t i = 0; i < m_groupItems; ++i)
            place(m_items[static_cast<std::size_t>(i)], group, i);
        return runInPhases();
    }

    // Runs every item of the group to its next barrier, until all are through.
    [[nodiscard]] Result<Done> runInPhases()
    {
        bool atBarrier = true;
        while (atBarrier) {
            std::size_t waiting = 0;
            for (WorkItem &item : m_items) {
                const Pause pause = runItem(item);
                SW_CHECK(outcomeOf(pause));
                waiting += pause == Pause::Barrier ? 1 : 0;
            }
            atBarrier = waiting != 0;
            for (const WorkItem &item : m_items)
                if (item.next != m_items.front().next)
                    return Diagnostic::error(Code::Run, {}, "kernel {}: work items of one group wait at different barriers",
                                             m_program.name);
        }
        return Done{};
    }

    [[nodiscard]] Result<Done> outcomeOf(Pause pause)
    {
        if (pause == Pause::Failed)
            return std::move(*m_problem);
        if (pause == Pause::Stopped)
            return Diagnostic::error(Code::Cancelled, {}, "kernel {} was cancelled", m_program.name);
        return Done{};
    }

    Pause runItem(WorkItem &item)
    {
        if (m_request.stop.stop_requested())
            return Pause::Stopped;
        return m_request.trace ? runSteps<true>(item) : runSteps<false>(item);
    }

    template <bool Traced>
    Pause runSteps(WorkItem &item)
    {
        const Step *const steps = m_program.steps.data();
        const std::size_t count = m_program.steps.size();
        std::byte *const frame = item.frame;
        std::size_t next = item.next;
        while (next < count) {
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
                    if constexpr (Traced)
                        trace(item, step.target - 1); // the counter's next value
                }
                break;
            case StepKind::If:
                if (!at<bool>(frame, step.lanes.operands[0]))
                    next = step.target;
                break;
            case StepKind::Load:
                if (!load(item, step))
                    return Pause::Failed;
                break;
            case StepKind::MaskedLoad:
                if (!maskedLoad(item, step))
                    return Pause::Failed;
                break;
            case StepKind::Store:
                if (!store(item, step))
                    return Pause::Failed;
                break;
            case StepKind::IndexCheck:
                checkIndex(frame, step);
                break;
            case StepKind::Barrier:
                item.next = next;
                return Pause::Barrier;
            }
            if constexpr (Traced)
                if (step.isTraced)
                    trace(item, static_cast<std::size_t>(&step - steps));
        }
        item.next = next;
        return Pause::Finished;
    }

    // Null when the access leaves its memory; then the problem is noted.
    std::byte *accessed(WorkItem &item, const Step &step, std::int64_t index, std::int64_t lanes)
    {
        const Memory &memory = item.memories[step.memory];
        if (index < 0 || index > memory.elements - lanes) [[unlikely]] {
            const MemoryPlan &plan = m_program.memories[step.memory];
            m_problem =
                Diagnostic::error(Code::Run, {}, "kernel {}: %{} ({}) accesses {} elements of {} at index {}, but it has {}",
                                  m_program.name, step.instruction.value, step.kind == StepKind::Store ? "store" : "load", lanes,
                                  plan.name.empty() ? "its memory" : plan.name, index, plan.elements);
            return nullptr;
        }
        return memory.bytes + index * static_cast<std::int64_t>(bytesOf(step.lanes.dtype));
    }

    static void copyIn(const Step &step, std::byte *to, const std::byte *from, std::uint32_t lanes)
    {
        std::memcpy(to, from, std::size_t{lanes} * bytesOf(step.lanes.dtype));
        if (step.lanes.dtype == DType::Bool)
            for (std::uint32_t lane = 0; lane < lanes; ++lane)
                to[lane] = to[lane] == std::byte{0} ? std::byte{0} : std::byte{1};
    }

    bool load(WorkItem &item, const Step &step)
    {
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        const std::byte *const from = accessed(item, step, index, step.lanes.lanes);
        if (from != nullptr)
            copyIn(step, item.frame + step.lanes.result, from, step.lanes.lanes);
        return from != nullptr;
    }

    bool maskedLoad(WorkItem &item, const Step &step)
    {
        const bool *const valid = &at<bool>(item.frame, step.lanes.operands[1]);
        std::byte *const result = item.frame + step.lanes.result;
        if (!step.hasLaneMask && *valid)
            return load(item, step);
        std::memcpy(result, item.frame + step.lanes.operands[2], std::size_t{step.lanes.lanes} * bytesOf(step.lanes.dtype));
        if (!step.hasLaneMask)
            return true;
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        for (std::uint32_t lane = 0; lane < step.lanes.lanes; ++lane) {
            if (!valid[lane])
                continue;
            const std::byte *const from = accessed(item, step, index + lane, 1);
            if (from == nullptr)
                return false;
            copyIn(step, result + std::size_t{lane} * bytesOf(step.lanes.dtype), from, 1);
        }
        return true;
    }

    bool store(WorkItem &item, const Step &step)
    {
        const std::int64_t index = at<std::int64_t>(item.frame, step.lanes.operands[0]);
        std::byte *const to = accessed(item, step, index, step.lanes.lanes);
        if (to != nullptr)
            std::memcpy(to, item.frame + step.lanes.operands[1], std::size_t{step.lanes.lanes} * bytesOf(step.lanes.dtype));
        return to != nullptr;
    }

    void checkIndex(std::byte *frame, const Step &step)
    {
        for (std::uint32_t lane = 0; lane < step.lanes.lanes; ++lane) {
            const std::int64_t index = (&at<std::int64_t>(frame, step.lanes.operands[0]))[lane];
            const bool isInside = index >= 0 && index < step.bound;
            (&at<bool>(frame, step.lanes.result))[lane] = isInside;
            if (isInside)
                continue;
            IndexFault &fault = m_faults[step.fault];
            if (fault.count++ == 0)
                fault.index = index;
        }
    }

    void trace(const WorkItem &item, std::size_t stepIndex)
    {
        const Step &step = m_program.steps[stepIndex];
        m_counters.clear();
        for (const std::uint32_t place : m_program.openCounters[stepIndex])
            m_counters.push_back(at<std::int64_t>(item.frame, place));
        m_lanes.clear();
        for (std::uint32_t lane = 0; lane < step.traceLanes; ++lane)
            m_lanes.push_back(Scalar::load(step.lanes.dtype, item.frame + step.traceResult + lane * bytesOf(step.lanes.dtype)));
        m_request.trace({step.instruction, item.global, m_counters, m_lanes});
    }

    const InterpreterProgram &m_program;
    const InterpretRequest &m_request;
    std::vector<WorkItem> m_items;
    std::int64_t m_groupItems = 1;
    std::vector<std::byte> m_shared;
    std::vector<IndexFault> m_faults;
    std::optional<Diagnostic> m_problem;
    std::uint32_t m_ticks = 0;
    std::vector<std::int64_t> m_counters;
    std::vector<Scalar> m_lanes;
};

} // namespace

PreparedKernel::PreparedKernel(std::unique_ptr<const InterpreterProgram> program) : m_program(std::move(program)) {}
PreparedKernel::~PreparedKernel() = default;
PreparedKernel::PreparedKernel(PreparedKernel &&) noexcept = default;
PreparedKernel &PreparedKernel::operator=(PreparedKernel &&) noexcept = default;

Result<std::vector<IndexFault>> PreparedKernel::run(const InterpretRequest &request) const
{
    return Run(*m_program, request).run();
}

} // namespace sw
