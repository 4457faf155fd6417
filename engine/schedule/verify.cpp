#include "engine/schedule/verify.h"

#include "engine/schedule/verify_items.h"

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
        for (const auto &check : {verifyItems, verifyMemory})
            take(check(m_schedule));
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

    void take(const Diagnostics &errors) { m_errors.insert(m_errors.end(), errors.begin(), errors.end()); }

    // Checks that ids are in range, so that the other checks can follow them.
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
        take(verifyItemTables(m_schedule));
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
            return !isTransfer(node.kind) && node.kind != NodeKind::Cat; // its readers check that something writes its buffer
        case NodeFamily::Indexing:
        case NodeFamily::Composite:
        case NodeFamily::Marker:
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

    // Checks an operand of a member, following views to their sources.
    void checkOperand(KernelId id, const std::unordered_set<NodeId> &members, const std::unordered_set<BufferId> &reads,
                      NodeId operand)
    {
        const ScheduledKernel &kernel = m_schedule.kernel(id);
        while (true) {
            const Node &node = m_graph.node(operand);
            if (members.contains(operand) || isLiteral(node))
                return;
            const BufferId buffer = m_schedule.bufferOf(operand);
            if (buffer.isValid() && reads.contains(buffer))
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
        const std::unordered_set<BufferId> reads(kernel.reads.begin(), kernel.reads.end());
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
        checkStages(kernel, members);
        for (const NodeId member : kernel.members) {
            if (m_schedule.kernelOf(member) != id)
                report(kernel.origin, "%{} is a member of kernel {} but not listed so", member.value, kernel.name);
            // A Kernel node's inputs are what its kernel may read; a rule may have found that some are not needed.
            const Node &node = m_graph.node(member);
            const std::size_t operands = node.kind == NodeKind::Kernel ? 1 : node.inputs.size();
            for (std::size_t i = 0; i < operands; ++i)
                checkOperand(id, members, reads, node.inputs[i]);
        }
    }

    // What a stage hands on has no buffer, and all have the root's rows.
    void checkStages(const ScheduledKernel &kernel, const std::unordered_set<NodeId> &members)
    {
        if (!std::ranges::is_sorted(kernel.stages))
            report(kernel.origin, "the stages of kernel {} are not in graph order", kernel.name);
        const Shape &root = m_graph.node(kernel.root).shape;
        for (const NodeId stage : kernel.stages) {
            if (!members.contains(stage) || stage == kernel.root || m_schedule.bufferOf(stage).isValid()) {
                report(kernel.origin, "stage %{} of kernel {} is stored, or no inner member of it", stage.value, kernel.name);
                continue;
            }
            const Shape &shape = m_graph.node(stage).shape;
            const std::size_t rows = kernel.rowAxes;
            if (rows == 0 || rows > shape.rank() || rows > root.rank() ||
                !std::equal(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rows), root.begin()))
                report(kernel.origin, "stage %{} of kernel {} is {}, which does not have the {} row axes of {}", stage.value,
                       kernel.name, toText(shape), rows, toText(root));
        }
    }

    void checkOutputs()
    {
        const auto outputs = m_graph.outputs();
        if (m_schedule.outputs.size() != outputs.size()) {
            report(m_graph.nodes().back().origin, "{} outputs have {} buffers", outputs.size(), m_schedule.outputs.size());
            return;
        }
        std::vector<std::size_t> fetches(m_schedule.buffers.size(), 0);
        for (const ScheduleItem &item : m_schedule.items) {
            const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
            if (transfer != nullptr && !transfer->destination.isValid() && transfer->source.isValid())
                ++fetches[transfer->source.value];
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Node &node = m_graph.node(outputs[i]);
            const ScheduledBuffer &buffer = m_schedule.buffer(m_schedule.outputs[i]);
            if (buffer.dtype != node.dtype || buffer.shape.elements() != node.shape.elements())
                report(node.origin, "output {} is {} but its buffer holds {}", m_graph.outputNames()[i],
                       typeText(node.dtype, node.shape), typeText(buffer.dtype, buffer.shape));
            if (const std::size_t count = fetches[m_schedule.outputs[i].value]; count != 1)
                report(node.origin, "output {} is fetched {} times, expected once", m_graph.outputNames()[i], count);
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
