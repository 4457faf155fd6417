#include "engine/api/lowered_schedule.h"

#include "engine/passes/schedule/joins.h"
#include "engine/passes/schedule/plan_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace sw {

namespace {

// Bytes. Kernels from a text are for no particular device, and this is a multiple of what any device wants.
constexpr std::int64_t kAlignmentForAny = 4096;

// Makes buffers, kernels and steps around a frame.
class ScheduleMaker {
public:
    explicit ScheduleMaker(KernelFrame frame) : m_graph(std::make_shared<const Graph>(std::move(frame.graph)))
    {
        m_schedule.graph = m_graph;
        m_schedule.nodeBuffers.resize(m_graph->size());
        m_schedule.nodeKernels.resize(m_graph->size());
        for (const auto &[number, node] : frame.nodes)
            m_numbers.emplace(node, number);
    }

    void addBuffers(const std::vector<LoweredKernel> &kernels, std::span<const JoinLine> joins)
    {
        std::set<BufferId> written = writtenBy(kernels);
        for (const JoinLine &join : joins)
            written.insert(join.whole);
        std::map<NodeId, std::string> outputs;
        for (std::size_t i = 0; i < m_graph->outputs().size(); ++i)
            outputs.emplace(storedIn(m_graph->outputs()[i]), m_graph->outputNames()[i]);
        for (std::size_t i = 0; i < m_graph->size(); ++i)
            if (const auto number = m_numbers.find(NodeId(i)); number != m_numbers.end())
                addBuffer(NodeId(i), number->second, written.contains(number->second), outputs);
        for (const NodeId output : m_graph->outputs())
            m_schedule.outputs.push_back(m_schedule.bufferOf(storedIn(output)));
    }

    // Gives the kernel its place in the order and its arguments their new numbers.
    void addKernel(LoweredKernel &kernel)
    {
        kernel.kernel = KernelId(m_schedule.kernels.size());
        ScheduledKernel scheduled = {kernel.name, kernel.symbol, m_graph->sink(), {}, {}, {}, {}, {}, kernel.origin};
        for (BufferId &argument : kernel.arguments)
            argument = m_renumbered.at(argument);
        for (const Instruction &instruction : kernel.instructions) {
            if (instruction.kind != InstructionKind::DefineGlobal)
                continue;
            // A kernel may also read what it writes.
            const BufferId argument = kernel.arguments.at(instruction.argument);
            scheduled.reads.push_back(argument);
            if (instruction.isWritten)
                scheduled.writes.push_back(argument);
        }
        m_schedule.kernels.push_back(std::move(scheduled));
    }

    // Gives the parts their places, those of the last whole first: it may have the other ones inside. The kernels are there.
    Result<Done> addJoins(std::span<const JoinLine> lines)
    {
        Joins joins;
        for (std::size_t i = lines.size(); i-- > 0;) {
            SW_TRY(const ReadJoin read, readJoin(lines[i]));
            if (!joins.join(read.whole, read.parts, read.offsets))
                return Diagnostic::error(Code::InvalidIr, lines[i].place,
                                         "a part of %{} has its place in another buffer already, or is joined further below",
                                         lines[i].whole.value);
            m_joins.insert(m_joins.begin(), {m_schedule.bufferOf(read.whole), buffersOf(read.parts)});
        }
        for (ScheduledBuffer &buffer : m_schedule.buffers)
            if (const std::optional<JoinedPlace> place = joins.placeOf(buffer.node))
                buffer.partOf = {m_schedule.bufferOf(place->whole), place->offset};
        return checkUses(lines);
    }

    Result<SchedulePtr> schedule() &&
    {
        m_schedule.devices.push_back({.id = std::string(kAnyDevice), .alignment = kAlignmentForAny});
        SW_CHECK(planSteps(m_schedule, steps(), {}));
        return std::make_shared<const Schedule>(std::move(m_schedule));
    }

private:
    struct ReadJoin {
        NodeId whole;
        std::vector<NodeId> parts;
        std::vector<std::int64_t> offsets;
    };

    [[nodiscard]] std::vector<BufferId> buffersOf(const std::vector<NodeId> &nodes) const
    {
        std::vector<BufferId> buffers;
        for (const NodeId node : nodes)
            buffers.push_back(m_schedule.bufferOf(node));
        return buffers;
    }

    Result<ReadJoin> readJoin(const JoinLine &line) const
    {
        const auto bufferOf = [&](BufferId number) -> Result<const ScheduledBuffer *> {
            const auto found = m_renumbered.find(number);
            if (found == m_renumbered.end() || m_graph->node(m_schedule.buffer(found->second).node).kind != NodeKind::Buffer)
                return Diagnostic::error(Code::InvalidIr, line.place, "%{} is no buffer that kernels write", number.value);
            return &m_schedule.buffer(found->second);
        };
        SW_TRY(const ScheduledBuffer *const whole, bufferOf(line.whole));
        ReadJoin read{whole->node, {}, {}};
        std::int64_t bytes = 0;
        for (const BufferId number : line.parts) {
            SW_TRY(const ScheduledBuffer *const part, bufferOf(number));
            if (part->dtype != whole->dtype)
                return Diagnostic::error(Code::InvalidIr, line.place, "%{} is {} and its part %{} is {}", line.whole.value,
                                         nameOf(whole->dtype), number.value, nameOf(part->dtype));
            if (part == whole || std::ranges::find(read.parts, part->node) != read.parts.end())
                return Diagnostic::error(Code::InvalidIr, line.place, "%{} is joined twice", number.value);
            read.parts.push_back(part->node);
            read.offsets.push_back(bytes);
            bytes += part->bytes();
        }
        if (bytes != whole->bytes())
            return Diagnostic::error(Code::InvalidIr, line.place, "the parts of %{} have {} bytes together, and it has {}",
                                     line.whole.value, bytes, whole->bytes());
        return read;
    }

    // What is joined is there only after its parts, which nothing writes any more then.
    Result<Done> checkUses(std::span<const JoinLine> lines) const
    {
        std::map<BufferId, std::size_t> thereAfter = joinedAfter();
        for (std::size_t i = 0; i < m_joins.size(); ++i)
            for (std::size_t k = 0; k < m_schedule.kernels.size(); ++k) {
                const ScheduledKernel &kernel = m_schedule.kernels[k];
                const auto has = [&](const std::vector<BufferId> &uses) {
                    return std::ranges::find(uses, m_joins[i].whole) != uses.end();
                };
                if (has(kernel.writes))
                    return Diagnostic::error(Code::InvalidIr, lines[i].place,
                                             "kernel {} writes %{}, which is joined of its parts", quoted(kernel.name),
                                             lines[i].whole.value);
                if (has(kernel.reads) && k < thereAfter.at(m_joins[i].whole))
                    return Diagnostic::error(Code::InvalidIr, lines[i].place,
                                             "kernel {} reads %{} before all of its parts are written", quoted(kernel.name),
                                             lines[i].whole.value);
            }
        return Done{};
    }

    // By whole: how many kernels have run when the last of its parts is written.
    [[nodiscard]] std::map<BufferId, std::size_t> joinedAfter() const
    {
        std::map<BufferId, std::size_t> thereAfter; // so many kernels
        for (std::size_t i = 0; i < m_schedule.kernels.size(); ++i)
            for (const BufferId written : m_schedule.kernels[i].writes)
                thereAfter[written] = i + 1;
        for (const Join &join : m_joins)
            for (const BufferId part : join.parts)
                thereAfter[join.whole] = std::max(thereAfter[join.whole], thereAfter[part]);
        return thereAfter;
    }

    // The kernels in their order. A whole is there right after the last kernel that writes one of its parts.
    [[nodiscard]] std::vector<ScheduleItem> steps() const
    {
        std::vector<ScheduleItem> launches = launchesOf(m_schedule);
        const std::map<BufferId, std::size_t> thereAfter = joinedAfter();
        std::vector<ScheduleItem> all;
        for (std::size_t i = 0; i <= launches.size(); ++i) {
            for (const Join &join : m_joins)
                if (thereAfter.at(join.whole) == i)
                    all.push_back({join});
            if (i < launches.size())
                all.push_back(std::move(launches[i]));
        }
        return all;
    }

    static std::set<BufferId> writtenBy(const std::vector<LoweredKernel> &kernels)
    {
        std::set<BufferId> written;
        for (const LoweredKernel &kernel : kernels)
            for (const Instruction &instruction : kernel.instructions)
                if (instruction.kind == InstructionKind::DefineGlobal && instruction.isWritten)
                    written.insert(kernel.arguments.at(instruction.argument));
        return written;
    }

    // The node behind the reshape that gives an output its shape.
    [[nodiscard]] NodeId storedIn(NodeId output) const
    {
        const Node &node = m_graph->node(output);
        return node.kind == NodeKind::Reshape ? node.inputs[0] : output;
    }

    void addBuffer(NodeId id, BufferId number, bool isWritten, const std::map<NodeId, std::string> &outputs)
    {
        const Node &node = m_graph->node(id);
        const auto output = outputs.find(id);
        std::string name = format("t{}", number.value);
        BufferRole role = isWritten ? BufferRole::Intermediate : BufferRole::Constant;
        if (const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes)) {
            role = given->role == PlaceholderRole::Param ? BufferRole::Param : BufferRole::Input;
            name = given->name;
        } else if (isWritten && output != outputs.end()) {
            role = BufferRole::Output;
            name = output->second;
        }
        m_renumbered[number] = BufferId(m_schedule.buffers.size());
        m_schedule.nodeBuffers[id.value] = m_renumbered[number];
        m_schedule.buffers.push_back({role, node.dtype, node.shape, id, uniqueName(name), node.origin});
    }

    std::string uniqueName(const std::string &wanted)
    {
        std::string name = wanted;
        for (int suffix = 2; !m_taken.insert(name).second; ++suffix)
            name = format("{}_{}", wanted, suffix);
        return name;
    }

    GraphPtr m_graph;
    Schedule m_schedule;
    std::map<NodeId, BufferId> m_numbers; // of the text
    std::map<BufferId, BufferId> m_renumbered;
    std::vector<Join> m_joins; // in the order of the text
    std::set<std::string> m_taken;
};

} // namespace

Result<SchedulePtr> scheduleOfKernels(std::vector<LoweredKernel> &kernels, KernelFrame frame, std::span<const JoinLine> joins)
{
    ScheduleMaker maker(std::move(frame));
    maker.addBuffers(kernels, joins);
    for (LoweredKernel &kernel : kernels)
        maker.addKernel(kernel);
    SW_CHECK(maker.addJoins(joins));
    return std::move(maker).schedule();
}

} // namespace sw
