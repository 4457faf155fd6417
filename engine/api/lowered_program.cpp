#include "engine/api/lowered_program.h"

#include "engine/graph/builder.h"
#include "engine/passes/schedule/plan_steps.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw {

namespace {

// Bytes: kernels that are written down are for no device in particular, and this is a multiple of what any wants.
constexpr std::int64_t kAlignmentForAny = 4096;

// What the kernels say about a buffer; they must agree.
struct BufferFacts {
    DType dtype = DType::F32;
    std::int64_t elements = 0;
    bool isWritten = false;
    std::string name;
    Origin origin;
};

using FactsByBuffer = std::map<BufferId, BufferFacts>;

Result<Done> addFacts(FactsByBuffer &all, const LoweredKernel &kernel, const SourceMap &sources)
{
    for (const Instruction &instruction : kernel.instructions) {
        if (instruction.kind != InstructionKind::DefineGlobal)
            continue;
        const BufferId id = kernel.arguments.at(static_cast<std::size_t>(instruction.number));
        const std::int64_t elements = instruction.elements;
        const auto [found, isNew] = all.try_emplace(
            id, BufferFacts{instruction.dtype, elements, instruction.isWritten, instruction.name, instruction.origin});
        BufferFacts &facts = found->second;
        if (facts.dtype != instruction.dtype || facts.elements != elements)
            return Diagnostic::error(Code::InvalidIr, sources.programRange(instruction.origin),
                                     "buffer {} is {}[{}] here and {}[{}] in an earlier kernel", id.value,
                                     nameOf(instruction.dtype), elements, nameOf(facts.dtype), facts.elements);
        facts.isWritten = facts.isWritten || instruction.isWritten;
    }
    return Done{};
}

std::string uniqueName(const BufferFacts &facts, BufferId id, std::set<std::string> &taken)
{
    std::string name = facts.name.empty() ? format("b{}", id.value) : facts.name;
    if (!taken.insert(name).second) {
        name = format("{}_{}", name, id.value);
        taken.insert(name);
    }
    return name;
}

// The graph and the schedule around the kernels.
class Frame {
public:
    explicit Frame(SourceMapPtr sources) : m_builder(std::move(sources)) {}

    Result<Done> addBuffer(BufferId id, const BufferFacts &facts)
    {
        const std::string name = uniqueName(facts, id, m_taken);
        SW_TRY(const Shape shape, Shape::checked({facts.elements}));
        NodeId node;
        if (facts.isWritten) {
            SW_TRY(node, m_builder.buffer(facts.origin, facts.dtype, facts.elements));
            m_outputs.push_back(node);
            m_outputNames.push_back(name);
            m_schedule.outputs.emplace_back(m_schedule.buffers.size());
        } else {
            PlaceholderAttributes attributes;
            attributes.name = name;
            node = m_builder.placeholder(facts.origin, facts.dtype, shape, std::move(attributes));
        }
        const BufferRole role = facts.isWritten ? BufferRole::Output : BufferRole::Input;
        m_renumbered[id] = BufferId(m_schedule.buffers.size());
        m_schedule.buffers.push_back({role, facts.dtype, shape, node, name, facts.origin});
        m_schedule.nodeBuffers.push_back(m_renumbered[id]); // one node per buffer, in their order
        return Done{};
    }

    Result<Done> finishGraph(const Origin &origin)
    {
        SW_TRY(Graph graph, std::move(m_builder).finish(origin, m_outputs, m_outputNames));
        m_schedule.graph = std::make_shared<const Graph>(std::move(graph));
        m_schedule.nodeBuffers.resize(m_schedule.graph->size());
        m_schedule.nodeKernels.resize(m_schedule.graph->size());
        return Done{};
    }

    // Gives the kernel its place in the order and its arguments their new numbers.
    void addKernel(LoweredKernel &kernel)
    {
        const auto number = static_cast<std::uint32_t>(m_schedule.kernels.size());
        kernel.kernel = KernelId(number);
        ScheduledKernel scheduled = {kernel.name, kernel.symbol, m_schedule.graph->sink(), {}, {}, {}, {}, {}, kernel.origin};
        for (BufferId &argument : kernel.arguments)
            argument = m_renumbered.at(argument);
        for (const Instruction &instruction : kernel.instructions) {
            if (instruction.kind != InstructionKind::DefineGlobal)
                continue;
            // What it writes it may read as well.
            const BufferId argument = kernel.arguments.at(static_cast<std::size_t>(instruction.number));
            scheduled.reads.push_back(argument);
            if (instruction.isWritten)
                scheduled.writes.push_back(argument);
        }
        m_schedule.kernels.push_back(std::move(scheduled));
    }

    Result<SchedulePtr> schedule() &&
    {
        m_schedule.devices.push_back({.id = "any", .alignment = kAlignmentForAny});
        SW_CHECK(planSteps(m_schedule, launchesOf(m_schedule), {}));
        return std::make_shared<const Schedule>(std::move(m_schedule));
    }

private:
    GraphBuilder m_builder;
    Schedule m_schedule;
    std::vector<NodeId> m_outputs;
    std::vector<std::string> m_outputNames;
    std::set<std::string> m_taken;
    std::map<BufferId, BufferId> m_renumbered;
};

} // namespace

std::shared_ptr<SourceMap> lineSources(const std::string &fileName, const std::string &text)
{
    auto sources = std::make_shared<SourceMap>();
    const FileId file = sources->addFile({fileName, text});
    std::uint32_t number = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const auto width = static_cast<std::uint32_t>(end - begin);
        ++number;
        sources->addItem({file, {fileName, number, 1, number, width + 1}, SourceMap::rootScope(), {}, format("line {}", number)});
        begin = end + 1;
    }
    return sources;
}

Result<LoweredProgram> programOfKernels(std::vector<LoweredKernel> kernels, SourceMapPtr sources)
{
    if (kernels.empty())
        return Diagnostic::error(Code::InvalidIr, {}, "there is no kernel in the text");
    for (const LoweredKernel &kernel : kernels)
        if (kernel.device != DeviceSlot(0U))
            return Diagnostic::error(Code::Unsupported, sources->programRange(kernel.origin),
                                     "kernel {} is of a program on several devices", quoted(kernel.name))
                .withHint("what moves between the devices is not in this text; edit the graph instead");
    FactsByBuffer all;
    for (const LoweredKernel &kernel : kernels)
        SW_CHECK(addFacts(all, kernel, *sources));
    Frame frame(std::move(sources));
    for (const auto &[id, facts] : all)
        SW_CHECK(frame.addBuffer(id, facts));
    SW_CHECK(frame.finishGraph(kernels.front().origin));
    for (LoweredKernel &kernel : kernels)
        frame.addKernel(kernel);
    SW_TRY(SchedulePtr schedule, std::move(frame).schedule());
    return LoweredProgram{std::move(schedule), std::move(kernels)};
}

} // namespace sw
