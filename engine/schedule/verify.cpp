#include "engine/schedule/verify.h"

#include <algorithm>
#include <unordered_set>

namespace sw {

namespace {

class ScheduleVerifier {
public:
    explicit ScheduleVerifier(const Schedule &schedule) : m_schedule(schedule), m_graph(*schedule.graph) {}

    Result<Done> verify() &&
    {
        if (!checkTables())
            return Failure(std::move(m_errors));
        checkMembership();
        for (std::size_t i = 0; i < m_schedule.kernels.size(); ++i)
            checkKernel(KernelId(i));
        checkItems();
        checkLifetimes();
        checkArena();
        checkOutputs();
        checkOrigins();
        if (!m_errors.empty())
            return Failure(std::move(m_errors));
        return Done{};
    }

private:
    template <class... Args>
    void report(const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args)
    {
        m_errors.push_back(
            Diagnostic::error(Code::InvalidIr, m_graph.sources().programRange(origin), pattern, std::forward<Args>(args)...));
    }

    // Ids in range, so that the other checks may follow them.
    bool checkTables()
    {
        const Origin &whole = m_graph.nodes().back().origin;
        if (m_schedule.nodeBuffers.size() != m_graph.size() || m_schedule.nodeKernels.size() != m_graph.size())
            report(whole, "the schedule's tables by node have {} and {} entries for {} nodes", m_schedule.nodeBuffers.size(),
                   m_schedule.nodeKernels.size(), m_graph.size());
        const auto isBuffer = [this](BufferId id) { return id.value < m_schedule.buffers.size(); };
        const auto isNode = [this](NodeId id) { return id.value < m_graph.size(); };
        for (const ScheduledKernel &kernel : m_schedule.kernels) {
            const bool isComplete = isNode(kernel.root) && std::ranges::all_of(kernel.members, isNode) &&
                                    std::ranges::all_of(kernel.results, isNode) && std::ranges::all_of(kernel.reads, isBuffer) &&
                                    std::ranges::all_of(kernel.writes, isBuffer) && kernel.writes.size() == kernel.results.size();
            if (!isComplete)
                report(kernel.origin, "kernel {} names nodes or buffers that do not exist", kernel.name);
        }
        for (const ScheduledBuffer &buffer : m_schedule.buffers)
            if (!isNode(buffer.node))
                report(buffer.origin, "buffer {} holds a node that does not exist", buffer.name);
        for (const BufferId output : m_schedule.outputs)
            if (!isBuffer(output))
                report(whole, "an output has no buffer");
        for (const ScheduleItem &item : m_schedule.items)
            if (item.kind == ItemKind::Kernel ? item.kernel.value >= m_schedule.kernels.size() : !isBuffer(item.buffer))
                report(whole, "an item of the schedule runs nothing");
        return m_errors.empty();
    }

    [[nodiscard]] bool needsKernel(const Node &node) const
    {
        switch (familyOf(node.kind)) {
        case NodeFamily::Leaf:
        case NodeFamily::Movement:
        case NodeFamily::Root:
            return false;
        case NodeFamily::Elementwise:
        case NodeFamily::Reduce:
        case NodeFamily::Structural:
        case NodeFamily::Indexing:
            return true;
        }
        SW_UNREACHABLE();
    }

    void checkMembership()
    {
        std::vector<std::size_t> kernels(m_graph.size(), 0);
        for (const ScheduledKernel &kernel : m_schedule.kernels)
            for (const NodeId member : kernel.members)
                ++kernels[member.value];
        std::vector<bool> isLive(m_graph.size(), false);
        isLive.back() = true;
        for (std::size_t i = m_graph.size(); i-- > 0;) {
            const Node &node = m_graph.nodes()[i];
            for (const NodeId input : node.inputs)
                isLive[input.value] = isLive[input.value] || isLive[i];
            if (kernels[i] > 1 || (kernels[i] == 0 && isLive[i] && needsKernel(node)))
                report(node.origin, "%{} {} is computed by {} kernels, expected one", i, operationText(node), kernels[i]);
        }
    }

    // What a member reads, with views followed to what they are views of.
    void checkOperand(KernelId id, const std::unordered_set<NodeId> &members, NodeId operand)
    {
        const ScheduledKernel &kernel = m_schedule.kernel(id);
        while (true) {
            const Node &node = m_graph.node(operand);
            if (members.contains(operand) || node.kind == NodeKind::ConstScalar)
                return;
            const BufferId buffer = m_schedule.bufferOf(operand);
            const bool isRead = std::ranges::find(kernel.reads, buffer) != kernel.reads.end();
            if (buffer.isValid() && isRead)
                return;
            const bool isStoredElsewhere = buffer.isValid() && m_schedule.kernelOf(operand) != id;
            if (isStoredElsewhere || familyOf(node.kind) != NodeFamily::Movement) {
                report(node.origin, "kernel {} uses %{} {}, which it neither computes nor reads", kernel.name, operand.value,
                       operationText(node));
                return;
            }
            operand = node.inputs.at(0);
        }
    }

    void checkKernel(KernelId id)
    {
        const ScheduledKernel &kernel = m_schedule.kernel(id);
        const std::unordered_set<NodeId> members(kernel.members.begin(), kernel.members.end());
        if (!members.contains(kernel.root))
            report(kernel.origin, "the root of kernel {} is not among its members", kernel.name);
        if (std::ranges::find(kernel.results, kernel.root) == kernel.results.end())
            report(kernel.origin, "the root of kernel {} is not stored", kernel.name);
        if (!std::ranges::is_sorted(kernel.members) || !std::ranges::is_sorted(kernel.results))
            report(kernel.origin, "the members and results of kernel {} are not in graph order", kernel.name);
        for (std::size_t i = 0; i < kernel.results.size(); ++i) {
            const NodeId result = kernel.results[i];
            if (!members.contains(result))
                report(kernel.origin, "kernel {} stores %{}, which it does not compute", kernel.name, result.value);
            if (m_schedule.buffer(kernel.writes[i]).node != result || m_schedule.bufferOf(result) != kernel.writes[i])
                report(kernel.origin, "kernel {} stores %{} in a buffer that is not its own", kernel.name, result.value);
        }
        for (const NodeId member : kernel.members) {
            if (m_schedule.kernelOf(member) != id)
                report(kernel.origin, "%{} is a member of kernel {} but not listed so", member.value, kernel.name);
            for (const NodeId operand : m_graph.node(member).inputs)
                checkOperand(id, members, operand);
        }
    }

    // The buffers that an item reads and writes.
    [[nodiscard]] std::pair<std::vector<BufferId>, std::vector<BufferId>> usesOf(const ScheduleItem &item) const
    {
        if (item.kind == ItemKind::Copy)
            return {{}, {item.buffer}};
        const ScheduledKernel &kernel = m_schedule.kernel(item.kernel);
        return {kernel.reads, kernel.writes};
    }

    void checkItems()
    {
        std::vector<std::uint32_t> writer(m_schedule.buffers.size(), kNoItem);
        std::vector<std::size_t> runs(m_schedule.kernels.size(), 0);
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            const ScheduleItem &item = m_schedule.items[i];
            const auto [reads, writes] = usesOf(item);
            if (item.kind == ItemKind::Kernel)
                ++runs[item.kernel.value];
            for (const std::uint32_t dependency : item.dependsOn)
                if (dependency >= i)
                    report(originOf(item), "item {} depends on item {}, which runs later", i, dependency);
            for (const BufferId read : reads)
                checkRead(i, read, writer[read.value]);
            for (const BufferId write : writes) {
                if (writer[write.value] != kNoItem)
                    report(originOf(item), "buffer {} is written twice", m_schedule.buffer(write).name);
                writer[write.value] = i;
            }
        }
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i] != 1)
                report(m_schedule.kernels[i].origin, "kernel {} runs {} times, expected once", m_schedule.kernels[i].name,
                       runs[i]);
    }

    void checkRead(std::uint32_t index, BufferId read, std::uint32_t writer)
    {
        const ScheduledBuffer &buffer = m_schedule.buffer(read);
        const bool isGiven = familyOf(m_graph.node(buffer.node).kind) == NodeFamily::Leaf && writer == kNoItem;
        if (isGiven)
            return;
        const std::vector<std::uint32_t> &dependencies = m_schedule.items[index].dependsOn;
        if (writer == kNoItem)
            report(buffer.origin, "item {} reads buffer {} before it is written", index, buffer.name);
        else if (std::ranges::find(dependencies, writer) == dependencies.end())
            report(buffer.origin, "item {} reads buffer {} but does not depend on item {}, which writes it", index, buffer.name,
                   writer);
    }

    [[nodiscard]] const Origin &originOf(const ScheduleItem &item) const
    {
        return item.kind == ItemKind::Kernel ? m_schedule.kernel(item.kernel).origin : m_schedule.buffer(item.buffer).origin;
    }

    void checkLifetimes()
    {
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            const auto [reads, writes] = usesOf(m_schedule.items[i]);
            for (const auto *uses : {&reads, &writes})
                for (const BufferId use : *uses) {
                    const ScheduledBuffer &buffer = m_schedule.buffer(use);
                    if (i < buffer.firstItem || i > buffer.lastItem)
                        report(buffer.origin, "buffer {} lives from item {} to {} but item {} uses it", buffer.name,
                               buffer.firstItem, buffer.lastItem, i);
                }
        }
    }

    void checkArena()
    {
        std::vector<const ScheduledBuffer *> placed;
        for (const ScheduledBuffer &buffer : m_schedule.buffers)
            if (buffer.role == BufferRole::Intermediate && buffer.bytes() > 0) // an empty one overlaps nothing
                placed.push_back(&buffer);
        std::ranges::sort(placed, {}, &ScheduledBuffer::arenaOffset);
        for (std::size_t i = 0; i < placed.size(); ++i) {
            const std::int64_t end = placed[i]->arenaOffset + placed[i]->bytes();
            if (placed[i]->arenaOffset < 0 || end > m_schedule.arenaBytes)
                report(placed[i]->origin, "buffer {} lies outside the arena", placed[i]->name);
            for (std::size_t j = i + 1; j < placed.size() && placed[j]->arenaOffset < end; ++j)
                if (placed[i]->firstItem <= placed[j]->lastItem && placed[j]->firstItem <= placed[i]->lastItem)
                    report(placed[j]->origin, "buffers {} and {} live at once and overlap in the arena", placed[i]->name,
                           placed[j]->name);
        }
    }

    void checkOutputs()
    {
        const auto outputs = m_graph.outputs();
        if (m_schedule.outputs.size() != outputs.size()) {
            report(m_graph.nodes().back().origin, "{} outputs have {} buffers", outputs.size(), m_schedule.outputs.size());
            return;
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Node &node = m_graph.node(outputs[i]);
            const ScheduledBuffer &buffer = m_schedule.buffer(m_schedule.outputs[i]);
            if (buffer.dtype != node.dtype || buffer.shape.elements() != node.shape.elements())
                report(node.origin, "output {} is {} but its buffer holds {}", m_graph.outputNames()[i],
                       typeText(node.dtype, node.shape), typeText(buffer.dtype, buffer.shape));
        }
    }

    void checkOrigins()
    {
        const std::size_t items = m_graph.sources().items().size();
        const auto check = [&](const Origin &origin, const std::string &what) {
            for (const SourceId source : origin.sources())
                if (source.value >= items) {
                    m_errors.push_back(Diagnostic::error(Code::InvalidIr, {}, "the origin of {} is not in the program", what));
                    return;
                }
        };
        for (const ScheduledKernel &kernel : m_schedule.kernels)
            check(kernel.origin, kernel.name);
        for (const ScheduledBuffer &buffer : m_schedule.buffers)
            check(buffer.origin, buffer.name);
        for (const FusionDecision &decision : m_schedule.decisions)
            check(decision.origin, format("the decision on %{} and %{}", decision.producer.value, decision.consumer.value));
    }

    static constexpr std::uint32_t kNoItem = ~std::uint32_t{0};

    const Schedule &m_schedule;
    const Graph &m_graph;
    Diagnostics m_errors;
};

} // namespace

Result<Done> verifySchedule(const Schedule &schedule)
{
    return ScheduleVerifier(schedule).verify();
}

} // namespace sw
