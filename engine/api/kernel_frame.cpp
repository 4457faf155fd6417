#include "engine/api/kernel_frame.h"

#include "engine/graph/builder.h"

#include <optional>
#include <set>
#include <utility>

namespace sw {

namespace {

// What the kernels say about a buffer.
struct BufferFacts {
    DType dtype = DType::F32;
    std::int64_t elements = 0;
    bool isWritten = false;
    std::string name;
    Origin origin;
    std::optional<SymbolicVariable> dimension;
};

using FactsByBuffer = std::map<BufferId, BufferFacts>;

void addFacts(FactsByBuffer &all, const LoweredKernel &kernel)
{
    std::map<InstructionId, BufferId> globals;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        if (instruction.kind == InstructionKind::DefineGlobal) {
            const BufferId id = kernel.arguments.at(instruction.argument);
            globals.emplace(InstructionId(i), id);
            BufferFacts &facts = all.try_emplace(id, BufferFacts{instruction.dtype, instruction.elements, false, instruction.name,
                                                                 instruction.origin, std::nullopt})
                                     .first->second;
            facts.isWritten = facts.isWritten || instruction.isWritten;
        }
        if (instruction.kind != InstructionKind::DefineVar)
            continue;
        if (const auto memory = globals.find(instruction.operands[0]); memory != globals.end())
            all.at(memory->second).dimension = SymbolicVariable{instruction.name, instruction.low, instruction.high};
    }
}

// The name, made unique.
std::string uniqueName(const std::string &wanted, BufferId id, std::set<std::string> &taken)
{
    std::string name = wanted.empty() ? format("b{}", id.value) : wanted;
    while (!taken.insert(name).second)
        name += format("_{}", id.value);
    return name;
}

bool isStored(const Node &node)
{
    return node.kind == NodeKind::Placeholder || node.kind == NodeKind::Vconst || node.kind == NodeKind::Buffer;
}

PlaceholderAttributes placeholderOf(const BufferFacts &facts, const std::string &name)
{
    PlaceholderAttributes attributes;
    attributes.name = name;
    if (!facts.dimension)
        return attributes;
    attributes.role = PlaceholderRole::Dimension;
    attributes.dimension = facts.dimension;
    attributes.dimension->name = name;
    return attributes;
}

} // namespace

Result<KernelFrame> givenFrame(const LoweredFrame &frame, const SourceMapPtr &sources)
{
    const Graph &read = frame.buffers.graph;
    std::vector<Node> nodes(read.nodes().begin(), read.nodes().end());
    for (Node &node : nodes) {
        const std::uint32_t line = read.sources().item(node.origin.sources().front()).range.line;
        node.origin = Origin(SourceId(line - 1));
        node.scope = SourceMap::rootScope();
        const bool isShape = node.kind == NodeKind::Reshape && isStored(nodes[node.inputs[0].value]);
        if (!isStored(node) && !isShape && node.kind != NodeKind::Sink)
            return Diagnostic::error(Code::InvalidIr, sources->programRange(node.origin),
                                     "found {} where a placeholder, a constant, a buffer or the shape of one is expected",
                                     operationText(node));
        if (node.shape.isSymbolic())
            return Diagnostic::error(Code::InvalidIr, sources->programRange(node.origin),
                                     "the buffers of kernels have the largest extents, not {}", typeText(node.dtype, node.shape));
    }
    KernelFrame out{Graph(std::move(nodes), sources), {}};
    for (const auto &[number, node] : frame.buffers.numbers)
        if (number < Id<BufferTag>::kInvalid && out.graph.node(node).kind != NodeKind::Reshape)
            out.nodes.emplace(BufferId(static_cast<std::uint32_t>(number)), node);
    return out;
}

Result<KernelFrame> madeUpFrame(const std::vector<LoweredKernel> &kernels, const SourceMapPtr &sources)
{
    FactsByBuffer all;
    for (const LoweredKernel &kernel : kernels)
        addFacts(all, kernel);
    GraphBuilder builder(sources);
    std::set<std::string> taken;
    std::vector<NodeId> outputs;
    std::vector<std::string> outputNames;
    std::map<BufferId, NodeId> nodes;
    for (const auto &[id, facts] : all) {
        const std::string name = uniqueName(facts.name, id, taken);
        SW_TRY(const Shape shape, facts.dimension ? Result<Shape>(Shape()) : Shape::checked({facts.elements}));
        if (facts.isWritten) {
            SW_TRY(nodes[id], builder.buffer(facts.origin, facts.dtype, facts.elements));
            outputs.push_back(nodes[id]);
            outputNames.push_back(name);
        } else {
            nodes[id] = builder.placeholder(facts.origin, facts.dtype, shape, placeholderOf(facts, name));
        }
    }
    SW_TRY(Graph graph, std::move(builder).finish(kernels.front().origin, outputs, outputNames));
    return KernelFrame{std::move(graph), std::move(nodes)};
}

} // namespace sw
