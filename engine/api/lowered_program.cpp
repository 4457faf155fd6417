#include "engine/api/lowered_program.h"

#include "engine/api/kernel_frame.h"
#include "engine/api/lowered_schedule.h"
#include "engine/passes/lowered/check_accesses.h"

#include <map>

namespace sw {

namespace {

// Checks that what the kernels say about their arguments fits the buffers.
class ArgumentChecker {
public:
    ArgumentChecker(const KernelFrame &frame, const SourceMap &sources) : m_frame(frame), m_sources(sources) {}

    Result<Done> check(const LoweredKernel &kernel)
    {
        m_globals.clear();
        for (const BufferId argument : kernel.arguments)
            if (!m_frame.nodes.contains(argument))
                return Diagnostic::error(Code::InvalidIr, m_sources.programRange(kernel.origin),
                                         "kernel {} has the buffer {} as an argument, which there is not", quoted(kernel.name),
                                         argument.value);
        for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
            const Instruction &instruction = kernel.instructions[i];
            if (instruction.kind == InstructionKind::DefineGlobal)
                SW_CHECK(checkGlobal(kernel, InstructionId(i)));
            if (instruction.kind == InstructionKind::DefineVar)
                SW_CHECK(checkDimension(kernel, instruction));
        }
        return checkSharing(kernel);
    }

private:
    [[nodiscard]] const Node &nodeOf(BufferId buffer) const { return m_frame.graph.node(m_frame.nodes.at(buffer)); }

    Result<Done> checkGlobal(const LoweredKernel &kernel, InstructionId id)
    {
        const Instruction &global = kernel.instruction(id);
        const BufferId buffer = kernel.arguments.at(global.argument);
        const Node &node = nodeOf(buffer);
        const SourceRange where = m_sources.programRange(global.origin);
        if (node.dtype != global.dtype || node.shape.elements() != global.elements)
            return Diagnostic::error(Code::InvalidIr, where, "buffer {} is {}[{}] here and {}[{}] {}", buffer.value,
                                     nameOf(global.dtype), global.elements, nameOf(node.dtype), node.shape.elements(),
                                     placeText(node));
        if (global.isWritten && node.kind != NodeKind::Buffer)
            return Diagnostic::error(Code::InvalidIr, where, "buffer {} is written here, and it is a {} {}", buffer.value,
                                     nameOf(node.kind), placeText(node));
        m_globals.emplace(id, buffer);
        return Done{};
    }

    // Passes rely on the bounds of a dimension, so they must be true.
    Result<Done> checkDimension(const LoweredKernel &kernel, const Instruction &variable)
    {
        const SourceRange where = m_sources.programRange(variable.origin);
        const auto global = m_globals.find(variable.operands[0]);
        const Node *node = global == m_globals.end() ? nullptr : &nodeOf(global->second);
        const auto *given = node == nullptr ? nullptr : std::get_if<PlaceholderAttributes>(&node->attributes);
        if (given == nullptr || !given->dimension)
            return Diagnostic::error(Code::InvalidIr, where, "define_var reads something else than a dimension");
        if (given->dimension->low != variable.low || given->dimension->high != variable.high)
            return Diagnostic::error(Code::InvalidIr, where, "the dimension lies between {} and {} here and between {} and {} {}",
                                     variable.low, variable.high, given->dimension->low, given->dimension->high,
                                     placeText(*node));
        const Instruction &index = kernel.instruction(variable.operands[1]);
        if (index.kind != InstructionKind::Const || index.constants.front().asInt() != 0)
            return Diagnostic::error(Code::InvalidIr, where, "define_var reads at another index than 0");
        return Done{};
    }

    // Two arguments may name one buffer only where nothing writes it: compilers assume that they are different memory.
    Result<Done> checkSharing(const LoweredKernel &kernel)
    {
        std::map<BufferId, bool> isWritten;
        for (const auto &[id, buffer] : m_globals) {
            const Instruction &global = kernel.instruction(id);
            const auto [other, isNew] = isWritten.emplace(buffer, global.isWritten);
            if (!isNew && (other->second || global.isWritten))
                return Diagnostic::error(Code::InvalidIr, m_sources.programRange(global.origin),
                                         "kernel {} has the buffer {} as two arguments and writes it", quoted(kernel.name),
                                         buffer.value);
        }
        return Done{};
    }

    [[nodiscard]] std::string placeText(const Node &node) const
    {
        return format("at line {}", m_sources.programRange(node.origin).line);
    }

    const KernelFrame &m_frame;
    const SourceMap &m_sources;
    std::map<InstructionId, BufferId> m_globals; // of the kernel
};

Result<Done> checkOneDevice(const std::vector<LoweredKernel> &kernels, const LoweredFrame *frame, const SourceMap &sources)
{
    constexpr std::string_view kHint = "what moves between the devices is not in this text; edit the graph instead";
    for (const LoweredKernel &kernel : kernels)
        if (kernel.device != DeviceSlot(0U))
            return Diagnostic::error(Code::Unsupported, sources.programRange(kernel.origin),
                                     "kernel {} is of a program on several devices", quoted(kernel.name))
                .withHint(std::string(kHint));
    if (frame != nullptr && frame->devices.size() > 1)
        return Diagnostic::error(Code::Unsupported, frame->devicesPlace, "this text is of a program on several devices")
            .withHint(std::string(kHint));
    if (frame != nullptr && frame->moves)
        return Diagnostic::error(Code::Unsupported, *frame->moves,
                                 "this text is of a program that fills a buffer from another one, or with a view of an input")
            .withHint("when and how is not in this text; edit the graph instead");
    return Done{};
}

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

Result<LoweredProgram> programOfKernels(std::vector<LoweredKernel> kernels, const LoweredFrame *given, SourceMapPtr sources)
{
    if (kernels.empty() && given == nullptr)
        return Diagnostic::error(Code::InvalidIr, {}, "there is no kernel in the text");
    SW_CHECK(checkOneDevice(kernels, given, *sources));
    SW_TRY(KernelFrame frame, given != nullptr ? givenFrame(*given, sources) : madeUpFrame(kernels, sources));
    ArgumentChecker checker(frame, *sources);
    for (const LoweredKernel &kernel : kernels)
        SW_CHECK(checker.check(kernel));
    const std::span<const JoinLine> joins = given != nullptr ? given->joins : std::span<const JoinLine>();
    SW_TRY(SchedulePtr schedule, scheduleOfKernels(kernels, std::move(frame), joins));
    return LoweredProgram{std::move(schedule), std::move(kernels)};
}

Diagnostics accessNotes(const LoweredProgram &program, const PipelineRun &run)
{
    std::size_t accesses = 0;
    std::size_t custom = 0;
    for (const LoweredKernel &kernel : program.kernels)
        for (const Instruction &instruction : kernel.instructions) {
            const InstructionKind kind = instruction.kind;
            accesses += kind == InstructionKind::Load || kind == InstructionKind::MaskedLoad || kind == InstructionKind::Store;
            custom += kind == InstructionKind::Custom;
        }
    std::size_t checked = 0;
    for (const PassStep &step : run.steps)
        checked += step.rewrites.countOf(kCheckedLoadRule) + step.rewrites.countOf(kCheckedStoreRule);
    Diagnostics notes;
    notes.push_back({Severity::Note,
                     Code::IndexOutOfRange,
                     format("of {} accesses to memory, {} are proved to stay in it and {} are checked while they run", accesses,
                            accesses - checked, checked),
                     {},
                     {},
                     {}});
    if (custom > 0)
        notes.push_back({Severity::Warning,
                         Code::IndexOutOfRange,
                         format("{} expressions in the device's language run as they are written: nothing checks them", custom),
                         {},
                         {},
                         {}});
    return notes;
}

} // namespace sw
