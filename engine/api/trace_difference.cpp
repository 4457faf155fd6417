#include "engine/api/trace_difference.h"

#include "engine/execute/compare.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/reference_values.h"
#include "engine/graph/value_path.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>

namespace sw {

namespace {

// A memory that the kernel writes, and the buffer behind it.
struct Written {
    InstructionId memory;
    BufferId buffer; // invalid: memory inside the kernel
};

std::vector<Written> writtenMemories(const LoweredKernel &kernel)
{
    std::vector<Written> written;
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction &memory = kernel.instructions[i];
        if (!isMemory(memory.kind))
            continue;
        if (memory.kind != InstructionKind::DefineGlobal)
            written.push_back({InstructionId(i), {}});
        else if (memory.isWritten)
            written.push_back({InstructionId(i), kernel.arguments.at(memory.argument)});
    }
    return written;
}

// Why a memory cannot be compared; empty: it can.
std::string whyNot(const Instruction &memory, BufferId buffer, const Schedule &schedule)
{
    if (memory.kind != InstructionKind::DefineGlobal)
        return "it is memory inside the kernel and holds no value of the graph";
    if (!buffer.isValid() || !schedule.buffer(buffer).node.isValid())
        return "its buffer holds no value of the graph";
    const Node &node = schedule.graph->node(schedule.buffer(buffer).node);
    if (familyOf(node.kind) == NodeFamily::Leaf)
        return "the graph does not compute what it holds: the kernel was written by hand";
    if (node.dtype != memory.dtype || node.shape.elements() != memory.elements)
        return format("it is {}, but the value is {}", typeText(memory.dtype, Shape{memory.elements}),
                      typeText(node.dtype, node.shape));
    return {};
}

HostTensor tensorOf(const WrittenMemory &written, const HostTensor &like)
{
    HostTensor tensor(like.dtype(), like.shape());
    std::ranges::copy(written.bytes, tensor.mutableBytes().begin());
    return tensor;
}

// Whether the run needs the element. A tile that reaches past the end of a dimension stores more, and nobody reads that.
bool isNeeded(std::int64_t element, const Shape &whole, const Shape &needed)
{
    std::vector<std::int64_t> place(whole.rank());
    unravel(element, whole, place);
    for (std::size_t axis = 0; axis < place.size(); ++axis)
        if (place[axis] >= needed[axis])
            return false;
    return true;
}

void addDifferences(FoundDifferences &found, TraceCompared &compared, const WrittenMemory &written, const HostTensor *limits,
                    const Shape &needed)
{
    const HostTensor &expected = found.references.at(written.memory);
    compared.stored = std::ranges::count_if(written.writers, [](std::uint64_t writer) { return writer != 0; });
    for (const Divergence &one : divergencesOf(expected, tensorOf(written, expected), limits)) {
        const std::uint64_t writer = written.writers[static_cast<std::size_t>(one.flatIndex)];
        if (writer == 0 || !isNeeded(one.flatIndex, expected.shape(), needed))
            continue;
        found.elements.push_back({writer, written.memory, one.flatIndex, one.allowed});
        ++compared.different;
    }
}

std::string sentenceOf(const TraceCompared &memory)
{
    if (!memory.reason.empty())
        return format("%{} is not compared: {}", memory.name, memory.reason);
    const std::string differing = memory.different == 0 ? std::string("none is") : format("{} are", memory.different);
    return format("%{} holds {}: of the {} elements that are stored, {} further off than allowed", memory.name, memory.value,
                  memory.stored, differing);
}

} // namespace

Result<FoundDifferences> findDifferences(KernelStepper &stepper, const KernelNames &names, const TraceReference &reference,
                                         const std::stop_token &stop)
{
    const Schedule &schedule = *reference.schedule;
    FoundDifferences found;
    std::vector<InstructionId> memories;
    std::vector<NodeId> nodes;
    const ValuePaths paths(*schedule.graph);
    for (const auto &[memory, buffer] : writtenMemories(names.kernel)) {
        const Instruction &instruction = names.kernel.instruction(memory);
        TraceCompared compared{memory.value, names.values[memory.value], {}, whyNot(instruction, buffer, schedule), 0, 0};
        if (compared.reason.empty()) {
            memories.push_back(memory);
            nodes.push_back(schedule.buffer(buffer).node);
            compared.value = format("value %{} ({})", nodes.back().value, paths.of(nodes.back()));
        }
        found.comparison.memories.push_back(std::move(compared));
    }
    if (memories.empty()) {
        found.positions = std::make_shared<const std::vector<std::uint64_t>>();
        return found;
    }
    SW_TRY(const ReferenceValues values, referenceValuesOf(*schedule.graph, reference.values, reference.dimensions, nodes, stop));
    found.comparison.missingBounds = values.missing;
    SW_TRY(const std::vector<WrittenMemory> written, stepper.writtenAtEnd(memories, stop));
    SW_TRY(const SymbolicBindings dimensions,
           dimensionsOf(*schedule.graph, givenShapesOf(*schedule.graph, reference.values), reference.dimensions));
    const NeededExtents needed(*schedule.graph);
    for (const WrittenMemory &one : written) {
        const auto at = static_cast<std::size_t>(std::ranges::find(memories, one.memory) - memories.begin());
        found.references.emplace(one.memory, values.values[at]);
        addDifferences(found, *std::ranges::find(found.comparison.memories, one.memory.value, &TraceCompared::memory), one,
                       values.limits.empty() ? nullptr : &values.limits[at],
                       neededShapeOf(*schedule.graph, needed, nodes[at], dimensions));
    }
    std::ranges::sort(found.elements, {}, &StoredDifference::position);
    std::vector<std::uint64_t> positions;
    for (const StoredDifference &one : found.elements)
        if (positions.empty() || positions.back() != one.position)
            positions.push_back(one.position);
    found.positions = std::make_shared<const std::vector<std::uint64_t>>(std::move(positions));
    return found;
}

std::vector<TraceDifference> differencesAt(const KernelStepper &stepper, std::uint64_t position, const FoundDifferences &found,
                                           const KernelNames &names)
{
    std::vector<TraceDifference> differences;
    for (const StoredDifference &one : std::ranges::equal_range(found.elements, position, {}, &StoredDifference::position)) {
        const DType dtype = names.kernel.instruction(one.memory).dtype;
        const std::byte *const at = stepper.bytesOf(one.memory).data() + static_cast<std::size_t>(one.element) * bytesOf(dtype);
        differences.push_back({one.memory.value, names.values[one.memory.value], one.element, toText(Scalar::load(dtype, at)),
                               toText(found.references.at(one.memory).at(one.element)), one.allowed});
    }
    return differences;
}

std::string toText(const TraceDifference &difference)
{
    return format("%{}[{}] is {}, but the reference has {}; {:.3g} more or less is allowed", difference.name, difference.element,
                  difference.actual, difference.expected, difference.allowed);
}

std::string toText(const TraceComparison &comparison)
{
    if (comparison.memories.empty())
        return "the kernel writes no memory";
    std::string text = join(comparison.memories, "; ", sentenceOf);
    if (!comparison.missingBounds.empty())
        text += format("; a tolerance for all elements stands in for error bounds, because {}", comparison.missingBounds);
    return text;
}

} // namespace sw
