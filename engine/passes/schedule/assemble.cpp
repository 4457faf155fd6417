#include "engine/passes/schedule/assemble.h"

#include "engine/base/checked_size.h"
#include "engine/graph/dimension_terms.h"
#include "engine/passes/schedule/explain_choices.h"
#include "engine/passes/schedule/kernel_facts.h"
#include "engine/passes/schedule/kernel_naming.h"
#include "engine/passes/schedule/kernel_order.h"
#include "engine/passes/schedule/needed_extents.h"
#include "engine/passes/schedule/plan_steps.h"
#include "engine/passes/schedule/priced_work.h"
#include "engine/passes/schedule/transfers.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace sw {

namespace {

class Assembler {
public:
    Assembler(const GraphPtr &graph, const PlacedFlow &placed, Grouping grouping, const PassContext &context)
        : m_graph(*graph),
          m_placed(placed),
          m_flow(placed.flow),
          m_slots(placed.slots),
          m_grouping(std::move(grouping)),
          m_joins(joinsThat(placed.joins, *graph, placed.flow, [this](NodeId cat) { return isJoined(cat); })),
          m_context(context),
          m_options(context.options()),
          m_order(orderKernels(m_graph, m_flow, m_grouping, m_options.overrides)),
          m_needed(m_graph)
    {
        m_schedule.graph = graph;
        for (std::size_t slot = 0; slot < context.deviceCount(); ++slot) {
            const DeviceInfo &device = context.device(DeviceSlot(slot));
            m_schedule.devices.push_back({.id = device.id,
                                          .alignment = device.bufferAlignment,
                                          .vectorBytes = device.vectorBytes,
                                          .wayBytes = wayBytesOf(device),
                                          .isBeside = device.kind == DeviceKind::Gpu});
        }
        m_schedule.nodeBuffers.assign(graph->size(), BufferId());
        m_schedule.nodeKernels.assign(graph->size(), KernelId());
    }

    Result<Schedule> assemble() &&
    {
        addLeafBuffers();
        for (const std::uint32_t index : m_order) {
            const KernelGroup &group = m_grouping.groups[index];
            enterRepeat(repeatOf(m_graph, m_flow, group.root));
            if (m_joins.isWhole(group.root))
                addJoin(group.root);
            else if (m_graph.node(group.root).kind == NodeKind::Copy)
                addTransfer(group.root);
            else if (m_graph.node(group.root).kind == NodeKind::Choose)
                addChoice(group.root);
            else if (isTransfer(m_graph.node(group.root).kind))
                addScanTransfer(group.root);
            else
                addKernel(group);
        }
        enterRepeat(kNoScan);
        shareBuffersWithLookups();
        for (const NodeId holder : m_flow.outputs)
            m_schedule.outputs.push_back(m_schedule.bufferOf(holder));
        SW_CHECK(planSteps(m_schedule, std::move(m_steps), m_options.figures, std::move(m_repeats)));
        nameKernels(m_graph, m_placed, m_needed, m_schedule);
        m_schedule.decisions = std::move(m_grouping.decisions);
        explainChoices(m_graph, m_options.figures, m_schedule.decisions);
        m_schedule.overrides = std::move(m_grouping.overrides);
        return std::move(m_schedule);
    }

private:
    BufferId addBuffer(NodeId id, BufferRole role, const std::string &name)
    {
        const Node &node = m_graph.node(id);
        ScheduledBuffer buffer{role, node.dtype, node.shape, id, uniqueName(name), node.origin, m_slots[id.value]};
        m_schedule.buffers.push_back(std::move(buffer));
        return BufferId(m_schedule.buffers.size() - 1);
    }

    std::string uniqueName(const std::string &wanted)
    {
        std::string name = wanted;
        int &suffix = m_suffixes.emplace(wanted, 2).first->second; // with many buffers of one name, each suffix is tried once
        while (!m_names.insert(name).second)
            name = format("{}_{}", wanted, suffix++);
        return name;
    }

    // Marks host values that are only copied: they are loaded directly to their copies and need no place of their own.
    [[nodiscard]] std::vector<bool> onlyCopied() const
    {
        std::vector<bool> isCopied(m_graph.size(), false);
        std::vector<bool> isReadInPlace = m_flow.isOutput;
        for (const std::vector<Read> &reads : m_flow.reads)
            for (const Read &read : reads) {
                const bool isCopy = m_graph.node(read.consumer).kind == NodeKind::Copy;
                isCopied[read.producer.value] = isCopied[read.producer.value] || isCopy;
                isReadInPlace[read.producer.value] = isReadInPlace[read.producer.value] || !isCopy;
            }
        for (std::size_t i = 0; i < isCopied.size(); ++i)
            isCopied[i] = isCopied[i] && !isReadInPlace[i] && isHostValue(m_graph.nodes()[i]);
        return isCopied;
    }

    static BufferRole roleOfLeaf(const Node &node)
    {
        const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes);
        if (given == nullptr)
            return BufferRole::Constant;
        return given->role == PlaceholderRole::Param ? BufferRole::Param : BufferRole::Input;
    }

    void addLeafBuffers()
    {
        const std::vector<bool> isOnlyCopied = onlyCopied();
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Node &node = m_graph.nodes()[i];
            const NodeId id(i);
            BufferId &buffer = m_schedule.nodeBuffers[i];
            if (isOnlyCopied[i])
                continue;
            if (node.kind == NodeKind::Placeholder) {
                buffer = addBuffer(id, roleOfLeaf(node), attributesOf<PlaceholderAttributes>(node).name);
            } else if ((node.kind == NodeKind::Vconst || node.kind == NodeKind::Buffer) && m_flow.isLive[i]) {
                buffer = addBuffer(id, BufferRole::Constant, node.name.empty() ? format("c{}", i) : node.name);
            }
        }
    }

    void addKernel(const KernelGroup &group)
    {
        const KernelId id(m_schedule.kernels.size());
        std::vector<SourceId> sources;
        std::vector<BufferId> writes;
        for (const NodeId member : group.members) {
            const auto of = m_graph.node(member).origin.sources();
            sources.insert(sources.end(), of.begin(), of.end());
            m_schedule.nodeKernels[member.value] = id;
        }
        for (const NodeId result : group.results)
            writes.push_back(addResultBuffer(result, format("t{}", result.value)));
        std::vector<BufferId> reads = readsOf(group);
        KernelEstimate estimate = estimateOf(group, reads, writes);
        if (m_repeat != kNoScan)
            estimate = ofSteps(std::move(estimate), estimatedSteps(m_flow.scans.scans[m_repeat].steps));
        ScheduledKernel kernel = {{},
                                  {},
                                  group.root,
                                  group.members,
                                  group.results,
                                  std::move(reads),
                                  std::move(writes),
                                  std::move(estimate),
                                  Origin(std::move(sources))};
        kernel.device = m_slots[group.root.value];
        kernel.stages = group.stages;
        kernel.rowAxes = group.rowAxes;
        findIterationSpace(m_graph, m_flow, m_options.strict ? FloatOrder::OfTheSource : FloatOrder::Any, kernel);
        m_schedule.kernels.push_back(std::move(kernel));
        addStep(KernelLaunch{id}, group.root);
        if (isOfLoad(group, m_schedule.kernels.back().reads)) {
            m_steps.back().phase = Phase::Load;
            m_loaded.insert(m_schedule.kernels.back().writes.begin(), m_schedule.kernels.back().writes.end());
        }
    }

    // A value of the load phase may still need the dimensions that only a run has.
    [[nodiscard]] bool isOfLoad(const KernelGroup &group, const std::vector<BufferId> &reads) const
    {
        const auto isThere = [this](BufferId id) {
            const BufferRole role = m_schedule.buffer(id).role;
            return role == BufferRole::Param || role == BufferRole::Constant || m_loaded.contains(id);
        };
        return std::ranges::all_of(group.members, [this](NodeId member) { return m_flow.isOfLoad[member.value]; }) &&
               std::ranges::all_of(reads, isThere);
    }

    // What has to hold so that the run needs the node.
    [[nodiscard]] std::vector<ItemCondition> conditionsOf(NodeId id) const
    {
        std::vector<ItemCondition> conditions;
        for (const Requirement &required : m_flow.branches.of(id))
            conditions.push_back({m_schedule.bufferOf(holderOf(m_flow, required.condition)), required.wanted});
        return conditions;
    }

    void addStep(decltype(ScheduleItem::work) work, NodeId madeFor)
    {
        m_steps.push_back({.work = std::move(work), .conditions = conditionsOf(madeFor)});
    }

    // A copy of each branch, of which one runs.
    void addChoice(NodeId id)
    {
        const std::vector<Read> &reads = m_flow.reads[id.value];
        const BufferId condition = m_schedule.bufferOf(reads.at(0).producer);
        const BufferId destination = addResultBuffer(id, format("t{}", id.value));
        for (const std::size_t branch : {1U, 2U}) {
            MemoryTransfer transfer{.source = m_schedule.bufferOf(reads.at(branch).producer), .destination = destination};
            SW_ASSERT(condition.isValid() && transfer.source.isValid(), "a buffer for what a choice reads");
            transfer.bytes = m_schedule.buffer(destination).bytes();
            addStep(transfer, id);
            const ItemCondition own{condition, branch == 1};
            if (std::ranges::find(m_steps.back().conditions, own) == m_steps.back().conditions.end())
                m_steps.back().conditions.push_back(own);
        }
    }

    // From the value's buffer, or, if the host has the value, from the host.
    void addTransfer(NodeId copy)
    {
        const Read &read = m_flow.reads[copy.value].at(0);
        const Node &source = m_graph.node(read.producer);
        const Node &node = m_graph.node(copy);
        const bool isGiven = isHostValue(source) && !source.name.empty();
        MemoryTransfer transfer{.destination = addResultBuffer(copy, isGiven ? source.name : format("t{}", copy.value))};
        if (isHostValue(source) && !m_flow.isOutput[copy.value])
            m_schedule.buffers[transfer.destination.value].role = roleOfLeaf(source);
        transfer.bytes = m_schedule.buffer(transfer.destination).bytes();
        const bool isWhole = isPlain(read.access, node.shape) && node.shape.elements() == source.shape.elements();
        if (!isWhole)
            transfer.region = regionRead(read.access, node.shape, bytesOf(node.dtype));
        SW_ASSERT(isWhole || transfer.region, "a copy of what lies in memory in rows");
        if (!isHostValue(source))
            transfer.source = m_schedule.bufferOf(read.producer);
        SW_ASSERT(isHostValue(source) || transfer.source.isValid(), "a buffer for what is copied");
        if (transfer.source.isValid())
            addStep(transfer, copy);
        else
            m_steps.push_back({transfer, Phase::Load});
    }

    // Whether the kernels are such that nothing has to compute the cat: each part is stored by another kernel.
    [[nodiscard]] bool isJoined(NodeId cat) const
    {
        const std::uint32_t own = m_grouping.groupOf[cat.value];
        const auto isStoredElsewhere = [&](NodeId part) {
            const std::uint32_t group = m_grouping.groupOf[part.value];
            return group != kNoGroup && group != own && std::ranges::count(m_grouping.groups[group].results, part) == 1;
        };
        return own != kNoGroup && m_grouping.groups[own].members.size() == 1 &&
               std::ranges::all_of(m_placed.joins.partsOf(cat), isStoredElsewhere);
    }

    void addJoin(NodeId cat)
    {
        Join of{.whole = wholeOf(cat)};
        for (const NodeId part : m_joins.partsOf(cat))
            of.parts.push_back(m_schedule.bufferOf(part));
        addStep(std::move(of), cat);
    }

    // Made when the first of its parts is stored.
    BufferId wholeOf(NodeId cat)
    {
        const BufferId known = m_schedule.bufferOf(cat);
        return known.isValid() ? known : addResultBuffer(cat, format("t{}", cat.value));
    }

    // The items from here on run in each step of this scan, or once. At its end a step hands its values on.
    void enterRepeat(std::uint32_t scan)
    {
        if (scan == m_repeat)
            return;
        const auto next = [this] { return static_cast<std::uint32_t>(m_steps.size()); };
        if (m_repeat != kNoScan) {
            m_repeats.back().condition = conditionOf(m_flow.scans.scans[m_repeat]);
            handOn(m_flow.scans.scans[m_repeat]);
            m_repeats.back().end = next();
        }
        m_repeat = scan;
        if (scan != kNoScan)
            m_repeats.push_back({next(), next(), m_flow.scans.scans[scan].steps, m_flow.scans.scans[scan].number});
    }

    // Where the bool is that says whether the scan goes on, at the end of a step: in the carried value itself, if it has memory.
    BufferId conditionOf(const Scan &scan)
    {
        if (scan.condition == kNoCondition)
            return {};
        const auto place = static_cast<std::size_t>(scan.condition);
        const NodeId carry = place < scan.carries.size() ? scan.carries[place] : NodeId();
        if (carry.isValid() && m_flow.isLive[carry.value])
            return m_schedule.bufferOf(carry);
        const NodeId holder = holderOf(m_flow, scan.nexts.at(place));
        if (m_graph.node(holder).kind != NodeKind::ScanCarry)
            return m_schedule.bufferOf(holder);
        // Another carried value, which the end of the step overwrites.
        const BufferId saved = addBuffer(holder, BufferRole::Intermediate, format("t{}", holder.value));
        addStep(MemoryTransfer{.source = m_schedule.bufferOf(holder),
                               .destination = saved,
                               .bytes = m_schedule.buffer(saved).bytes(),
                               .isAsynchronous = true},
                holder);
        return saved;
    }

    // A value that some step hands on unchanged, or as another carried value, is saved before any of them is overwritten.
    void handOn(const Scan &scan)
    {
        std::vector<std::pair<MemoryTransfer, NodeId>> last; // and the carried value
        for (std::size_t i = 0; i < scan.carries.size(); ++i) {
            const NodeId carry = scan.carries[i];
            if (!carry.isValid() || !m_flow.isLive[carry.value])
                continue;
            const NodeId holder = holderOf(m_flow, scan.nexts.at(i));
            MemoryTransfer transfer{.source = m_schedule.bufferOf(holder), .destination = m_schedule.bufferOf(carry)};
            if (transfer.source == transfer.destination)
                continue;
            transfer.bytes = m_schedule.buffer(transfer.destination).bytes();
            transfer.isAsynchronous = true;
            if (m_graph.node(holder).kind == NodeKind::ScanCarry) {
                const BufferId saved = addBuffer(holder, BufferRole::Intermediate, format("t{}", holder.value));
                MemoryTransfer save = transfer;
                save.destination = saved;
                addStep(save, carry);
                transfer.source = saved;
            }
            last.emplace_back(transfer, carry);
        }
        for (const auto &[transfer, carry] : last)
            addStep(transfer, carry);
    }

    void addScanTransfer(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const ScanAttributes &scan = scanAttributesOf(node);
        const std::size_t input = node.kind == NodeKind::ScanLast   ? static_cast<std::size_t>(scan.index)
                                  : node.kind == NodeKind::ScanRows ? node.inputs.size() - 1
                                                                    : 0;
        MemoryTransfer transfer{.source = m_schedule.bufferOf(m_flow.reads[id.value].at(input).producer),
                                .destination = addResultBuffer(id, format("t{}", id.value))};
        SW_ASSERT(transfer.source.isValid(), "a buffer for what a scan reads");
        const bool isSlice = node.kind == NodeKind::ScanSlice;
        transfer.bytes = m_schedule.buffer(node.kind == NodeKind::ScanRows ? transfer.source : transfer.destination).bytes();
        transfer.isAsynchronous = m_schedule.buffer(transfer.source).device == m_schedule.buffer(transfer.destination).device;
        if ((isSlice || node.kind == NodeKind::ScanRows) && transfer.bytes > 0) {
            StridedRegion &row = transfer.region.emplace();
            row.rowBytes = row.sourceStride = row.destinationStride = transfer.bytes;
            (isSlice ? row.sourceOffset : row.destinationOffset) = scan.isReversed ? (scan.steps - 1) * transfer.bytes : 0;
            (isSlice ? row.sourceStep : row.destinationStep) = scan.isReversed ? -transfer.bytes : transfer.bytes;
        }
        addStep(transfer, id);
    }

    // Of one launch -> of all.
    [[nodiscard]] KernelEstimate ofSteps(KernelEstimate estimate, std::int64_t steps) const
    {
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
        std::vector<std::int64_t *> sums{&estimate.flops, &estimate.pricedWork, &estimate.bytesRead, &estimate.bytesWritten};
        for (TensorWork &work : estimate.tensorWork)
            sums.push_back(&work.operations);
        for (std::int64_t *const sum : sums)
            *sum = *sum > kMost / steps ? kMost : *sum * steps;
        estimate.launches = steps;
        estimate.nanoseconds = kernelNanoseconds(estimate, m_options.figures);
        return estimate;
    }

    BufferId addResultBuffer(NodeId result, const std::string &name)
    {
        std::optional<PartOfBuffer> partOf;
        if (const std::optional<JoinedPlace> place = m_joins.placeOf(result))
            partOf = {wholeOf(place->whole), place->offset};
        const auto output = std::find(m_flow.outputs.begin(), m_flow.outputs.end(), result);
        BufferId buffer;
        if (output == m_flow.outputs.end()) {
            buffer = addBuffer(result, BufferRole::Intermediate, name);
        } else {
            const auto index = static_cast<std::size_t>(output - m_flow.outputs.begin());
            buffer = addBuffer(result, BufferRole::Output, m_graph.outputNames()[index]);
            m_schedule.buffers.back().shape = m_graph.node(m_graph.outputs()[index]).shape;
        }
        m_schedule.buffers.back().partOf = partOf;
        m_schedule.nodeBuffers[result.value] = buffer;
        return buffer;
    }

    // A lookup source that is a plain reshape uses the buffer and kernel of what it reshapes.
    void shareBuffersWithLookups()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (!m_flow.isLive[i] || familyOf(m_graph.nodes()[i].kind) != NodeFamily::Indexing)
                continue;
            const NodeId source = m_graph.nodes()[i].inputs[0];
            const NodeId base = m_flow.bases[source.value];
            m_schedule.nodeBuffers[source.value] = m_schedule.bufferOf(base);
            m_schedule.nodeKernels[source.value] = m_schedule.kernelOf(base);
        }
    }

    [[nodiscard]] std::vector<BufferId> readsOf(const KernelGroup &group) const
    {
        const std::unordered_set<NodeId> members(group.members.begin(), group.members.end());
        std::vector<BufferId> reads;
        for (const NodeId member : group.members)
            for (const Read &read : m_flow.reads[member.value]) {
                if (members.contains(read.producer) || isLiteral(m_graph, read))
                    continue;
                const BufferId buffer = m_schedule.bufferOf(read.producer);
                SW_ASSERT(buffer.isValid(), "a buffer for every value that leaves its kernel");
                if (std::find(reads.begin(), reads.end(), buffer) == reads.end())
                    reads.push_back(buffer);
            }
        readEnds(group, reads);
        return reads;
    }

    // The loops over a result end where its needed elements end, which the dimensions tell.
    void readEnds(const KernelGroup &group, std::vector<BufferId> &reads) const
    {
        for (const NodeId result : group.results) {
            const NeededEnds *ends = m_needed.of(result);
            if (ends == nullptr)
                continue;
            for (const SymbolicExpr &end : *ends)
                readDimensions(group, end, reads);
        }
        for (const NodeId member : group.members)
            if (m_graph.node(member).kind == NodeKind::ReduceAxis)
                for (const BelowEnd &below : maskedEndsOf(m_graph, m_graph.node(member)))
                    readDimensions(group, below.end, reads);
    }

    void readDimensions(const KernelGroup &group, const SymbolicExpr &end, std::vector<BufferId> &reads) const
    {
        for (const SymbolicVariable &variable : end.variables()) {
            const NodeId node = m_needed.dimension(variable.name);
            const BufferId buffer = m_schedule.bufferOf(node);
            const bool isThere = buffer.isValid() && m_slots[node.value] == m_slots[group.root.value];
            if (isThere && std::find(reads.begin(), reads.end(), buffer) == reads.end())
                reads.push_back(buffer);
        }
    }

    [[nodiscard]] std::int64_t bytesTogether(const std::vector<BufferId> &buffers) const
    {
        // The bytes that are read and written are added up later.
        constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max() / 2;
        CheckedSize bytes;
        for (const BufferId buffer : buffers)
            bytes += m_schedule.buffer(buffer).bytes();
        return std::min(bytes.saturated(), kMostBytes);
    }

    KernelEstimate estimateOf(const KernelGroup &group, const std::vector<BufferId> &reads,
                              const std::vector<BufferId> &writes) const
    {
        KernelEstimate estimate =
            arithmeticOf(m_graph, group.members, m_grouping.evaluations, arithmeticMeans(m_context, m_slots[group.root.value]));
        estimate.bytesRead = bytesTogether(reads);
        estimate.bytesWritten = bytesTogether(writes);
        estimate.registers = registersOf(m_graph, m_flow, group.members);
        estimate.nanoseconds = kernelNanoseconds(estimate, m_options.figures);
        return estimate;
    }

    const Graph &m_graph;
    const PlacedFlow &m_placed;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    Grouping m_grouping;
    Joins m_joins;
    const PassContext &m_context;
    const CompileOptions &m_options;
    std::vector<std::uint32_t> m_order;
    NeededExtents m_needed;
    std::unordered_set<std::string> m_names;
    std::unordered_map<std::string, int> m_suffixes; // the next one, by name
    std::vector<ScheduleItem> m_steps;               // kernels and transfers, in order
    std::unordered_set<BufferId> m_loaded;           // that kernels of the load phase write
    std::vector<RepeatedItems> m_repeats;            // of m_steps
    std::uint32_t m_repeat = kNoScan;                // the scan whose items are being added
    Schedule m_schedule;
};

} // namespace

Result<Schedule> assembleSchedule(const GraphPtr &graph, const PlacedFlow &placed, Grouping grouping, const PassContext &context)
{
    return Assembler(graph, placed, std::move(grouping), context).assemble();
}

} // namespace sw
