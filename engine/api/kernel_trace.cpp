#include "engine/api/kernel_trace.h"

#include "engine/api/kernel_trace_parts.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace sw {

namespace {

std::vector<std::string> textsOf(const std::vector<Scalar> &lanes)
{
    std::vector<std::string> texts;
    for (const Scalar &lane : lanes)
        texts.push_back(toText(lane));
    return texts;
}

Direction directionOf(TraceDirection direction)
{
    return direction == TraceDirection::Forward ? Direction::Forward : Direction::Backward;
}

Result<TraceSearch> asTrace(const Result<StepSearch> &search)
{
    if (!search)
        return search.failure();
    return TraceSearch{search->isFound, search->steps};
}

// A buffer has as many elements as its shape has, unless the kernel sees it flattened or padded.
std::vector<std::int64_t> shapeOf(const Instruction &memory, const std::vector<std::vector<std::int64_t>> &shapes)
{
    if (memory.kind == InstructionKind::DefineGlobal && memory.argument < shapes.size()) {
        const std::vector<std::int64_t> &shape = shapes[memory.argument];
        if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()) == memory.elements)
            return shape;
    }
    return {memory.elements};
}

std::optional<std::int64_t> extentOf(const LoweredKernel &kernel, const Instruction &loop)
{
    if (loop.kind == InstructionKind::Unroll)
        return loop.copies;
    const Instruction &extent = kernel.instruction(loop.operands[0]);
    return extent.kind == InstructionKind::Const ? std::optional(extent.constants.front().asInt()) : std::nullopt;
}

std::vector<std::vector<std::int64_t>> shapesOf(const LoweredProgram &program, const LoweredKernel &kernel)
{
    std::vector<std::vector<std::int64_t>> shapes;
    for (const BufferId buffer : kernel.arguments) {
        const std::span<const std::int64_t> extents =
            buffer.isValid() ? program.schedule->buffer(buffer).shape.extents() : std::span<const std::int64_t>();
        shapes.emplace_back(extents.begin(), extents.end());
    }
    return shapes;
}

std::string withoutIndent(const std::string &line)
{
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

} // namespace

Result<Done> KernelTrace::Parts::findDifferences(const std::stop_token &stop)
{
    if (!differences) {
        SW_TRY(differences, sw::findDifferences(stepper, names, reference, stop));
    }
    return Done{};
}

Result<StopCondition> KernelTrace::Parts::condition(std::string_view text, const std::stop_token &stop)
{
    if (text != kDifference)
        return conditionOf(text, names);
    SW_CHECK(findDifferences(stop));
    return StopCondition(AtPositions{differences->positions});
}

KernelTrace::KernelTrace(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
KernelTrace::~KernelTrace() = default;

const std::string &KernelTrace::kernelName() const
{
    return m_parts->stepper.kernel().name;
}

const std::vector<std::string> &KernelTrace::lines() const
{
    return m_parts->names.lines;
}

std::vector<TraceMemory> KernelTrace::memories() const
{
    std::vector<TraceMemory> memories;
    const std::vector<Instruction> &instructions = m_parts->stepper.kernel().instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
        const Instruction &memory = instructions[i];
        if (!isMemory(memory.kind))
            continue;
        const bool isBuffer = memory.kind == InstructionKind::DefineGlobal;
        memories.push_back({i, m_parts->names.values[i], std::string(nameOf(memory.dtype)), memory.elements,
                            shapeOf(memory, m_parts->shapes), bytesOf(memory.dtype), isBuffer, !isBuffer || memory.isWritten});
    }
    return memories;
}

std::vector<TraceLoop> KernelTrace::loops() const
{
    const LoweredKernel &kernel = m_parts->stepper.kernel();
    const KernelNames &names = m_parts->names;
    std::vector<TraceLoop> loops;
    std::vector<std::size_t> open; // blocks: which loop, or kNone
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        if (closesScope(instruction.kind)) {
            if (open.back() != kNone)
                loops[open.back()].endLine = names.instructionLines[i];
            open.pop_back();
        }
        if (!opensScope(instruction.kind))
            continue;
        const bool isOne = isLoop(instruction.kind);
        open.push_back(isOne ? loops.size() : kNone);
        if (!isOne)
            continue;
        const auto depth = std::ranges::count_if(open, [](std::size_t loop) { return loop != kNone; }) - 1;
        loops.push_back({names.values[i], instruction.name.empty() ? names.values[i] : instruction.name,
                         names.instructionLines[i], 0, static_cast<std::uint32_t>(depth), extentOf(kernel, instruction)});
    }
    return loops;
}

const std::array<std::int64_t, 3> &KernelTrace::globalSize() const
{
    return m_parts->stepper.kernel().globalSize;
}

const std::vector<std::uint32_t> &KernelTrace::instructionLines() const
{
    return m_parts->names.instructionLines;
}

std::vector<std::string> KernelTrace::elements(std::uint32_t memory, std::int64_t first, std::size_t count) const
{
    std::vector<std::string> texts;
    const std::span<const std::byte> bytes = m_parts->stepper.bytesOf(InstructionId(memory));
    if (bytes.empty() || first < 0)
        return texts;
    const DType dtype = m_parts->stepper.kernel().instruction(InstructionId(memory)).dtype;
    const std::size_t size = bytesOf(dtype);
    for (auto i = static_cast<std::size_t>(first); i < bytes.size() / size && texts.size() < count; ++i)
        texts.push_back(toText(Scalar::load(dtype, bytes.data() + i * size)));
    return texts;
}

TraceBytes KernelTrace::bytes() const
{
    const StepperMemory memory = m_parts->stepper.memory();
    return {memory.limitBytes, memory.bytes, memory.checkpoints, memory.stepsBetweenCheckpoints};
}

TracePosition KernelTrace::where() const
{
    const KernelNames &names = m_parts->names;
    const StepState state = m_parts->stepper.state();
    TracePosition made;
    made.position = state.position;
    made.steps = state.steps;
    made.workItem = state.item.global;
    if (state.next.isValid()) {
        made.line = names.instructionLines[state.next.value];
        made.text = withoutIndent(names.lines[made.line - 1]);
    }
    if (state.last.isValid()) {
        made.lastLine = names.instructionLines[state.last.value];
        made.lastText = withoutIndent(names.lines[made.lastLine - 1]);
    }
    for (const StepCounter &counter : state.counters)
        made.counters.push_back({counter.name, counter.value, counter.extent, counter.isChanged});
    for (const StepRegister &value : state.registers)
        made.values.push_back({value.instruction.value, value.name, m_parts->stepper.kernel().instruction(value.instruction).name,
                               typeText(value.dtype, static_cast<std::uint32_t>(value.lanes.size())), textsOf(value.lanes),
                               value.isChanged});
    for (const StepAccess &access : state.accesses)
        made.accesses.push_back({access.kind == AccessKind::Store, access.memory.value, names.values[access.memory.value],
                                 access.first, access.count, elements(access.memory.value, access.first, access.count)});
    if (m_parts->differences)
        made.differences = differencesAt(m_parts->stepper, state.position, *m_parts->differences, names);
    for (const IndexFault &fault : state.faults)
        made.faults.push_back(format("line {}: {} out of range, the first {}", names.instructionLines[fault.instruction.value],
                                     fault.count, fault.index));
    if (state.problem)
        made.problem = state.problem->message;
    return made;
}

std::uint64_t KernelTrace::reached() const
{
    return m_parts->stepper.reached();
}

bool KernelTrace::step(TraceDirection direction)
{
    return direction == TraceDirection::Forward ? m_parts->stepper.stepForward() : m_parts->stepper.stepBackward();
}

Result<Done> KernelTrace::goTo(std::uint64_t position, std::stop_token stop)
{
    return m_parts->stepper.goTo(position, std::move(stop));
}

Result<std::uint64_t> KernelTrace::findEnd(std::stop_token stop)
{
    return m_parts->stepper.findEnd(std::move(stop));
}

Result<TraceSearch> KernelTrace::stepOver(TraceDirection direction, std::stop_token stop)
{
    return asTrace(m_parts->stepper.stepOver(directionOf(direction), std::move(stop)));
}

Result<TraceSearch> KernelTrace::stepOut(TraceDirection direction, std::stop_token stop)
{
    return asTrace(m_parts->stepper.stepOut(directionOf(direction), std::move(stop)));
}

Result<TraceSearch> KernelTrace::run(TraceDirection direction, std::string_view condition, std::stop_token stop)
{
    SW_TRY(const StopCondition wanted, m_parts->condition(condition, stop));
    return asTrace(m_parts->stepper.run(directionOf(direction), wanted, std::move(stop)));
}

Result<TraceSearch> KernelTrace::runToAny(TraceDirection direction, std::span<const std::string> conditions, std::stop_token stop)
{
    std::vector<StopCondition> wanted;
    for (const std::string &condition : conditions) {
        SW_TRY(StopCondition one, m_parts->condition(condition, stop));
        wanted.push_back(std::move(one));
    }
    return asTrace(m_parts->stepper.run(directionOf(direction), wanted, std::move(stop)));
}

Result<TraceSearch> KernelTrace::runTo(TraceDirection direction, std::string_view place, std::stop_token stop)
{
    SW_TRY(const AtPlace wanted, parsePlace(place));
    return asTrace(m_parts->stepper.run(directionOf(direction), wanted, std::move(stop), StartsAt::Here));
}

Result<TraceComparison> KernelTrace::comparison(std::stop_token stop)
{
    SW_CHECK(m_parts->findDifferences(stop));
    return m_parts->differences->comparison;
}

Result<std::vector<TracePast>> KernelTrace::history(std::string_view value, std::size_t count, std::stop_token stop)
{
    SW_TRY(const InstructionId id, valueNamed(value, m_parts->names));
    SW_TRY(const std::vector<PastValue> past, m_parts->stepper.history(id, count, std::move(stop)));
    std::vector<TracePast> made;
    for (const PastValue &one : past)
        made.push_back({one.position, one.workItem, textsOf(one.lanes)});
    return made;
}

Result<std::vector<TracePastAccess>> KernelTrace::lastAccesses(std::size_t count, std::stop_token stop)
{
    SW_TRY(const std::vector<PastAccess> past, m_parts->stepper.lastAccesses(count, std::move(stop)));
    std::vector<TracePastAccess> made;
    for (const PastAccess &one : past)
        made.push_back({one.position, one.kind == AccessKind::Store, one.memory.value, one.first, one.count});
    return made;
}

Result<TraceTotals> KernelTrace::totals(std::uint64_t steps, std::int64_t elements, std::stop_token stop)
{
    SW_TRY(const AccessCounts counts, m_parts->stepper.countAccesses({steps, elements}, std::move(stop)));
    TraceTotals made{counts.steps, counts.isWhole, {}};
    for (const MemoryTouches &memory : counts.memories) {
        made.memories.push_back({memory.memory.value, {}});
        for (const ElementTouches &touched : memory.elements)
            made.memories.back().elements.push_back({touched.reads, touched.writes, touched.first, touched.last});
    }
    return made;
}

Result<LineCounts> KernelTrace::countLines(const LineLimits &limits, std::stop_token stop)
{
    return m_parts->stepper.countLines(limits, std::move(stop));
}

Result<std::unique_ptr<KernelTrace>> openTrace(ProgramCompiler &compiler, const Compilation &compilation, KernelId kernel,
                                               const TraceInputs &inputs, std::stop_token stop)
{
    SW_TRY(OpenedDevice *const interpreter, compiler.openedDevice("interpreter", 0));
    SW_TRY(const KernelArguments arguments,
           argumentsOf(*interpreter, compilation.lowered, kernel, inputs.values, inputs.dimensions, std::move(stop)));
    const LoweredKernel &lowered = compilation.lowered->kernels.at(kernel.value);
    StepperRequest request;
    for (const HostTensor &value : arguments.values)
        request.buffers.push_back(value.bytes());
    request.globalSize = lowered.globalSize;
    request.localSize = lowered.localSize;
    request.memoryLimitBytes = inputs.memoryLimitBytes;
    SW_TRY(KernelStepper stepper, KernelStepper::open(lowered, request));
    TraceReference reference{compilation.lowered->schedule, {inputs.values.begin(), inputs.values.end()}, inputs.dimensions};
    return std::make_unique<KernelTrace>(
        std::make_unique<KernelTrace::Parts>(std::move(stepper), shapesOf(*compilation.lowered, lowered), std::move(reference)));
}

} // namespace sw
