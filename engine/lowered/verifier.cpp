#include "engine/lowered/verifier.h"

#include "engine/base/assert.h"
#include "engine/base/checked_size.h"
#include "engine/base/parallel.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/uniform_values.h"
#include "engine/lowered/value_names.h"

#include <optional>
#include <set>

namespace sw {

namespace {

// Threads gain nothing on less.
constexpr std::size_t kWorthThreads = 5000; // instructions

class Verifier {
public:
    explicit Verifier(const LoweredKernel &kernel, std::span<const SourceRange> places = {})
        : m_kernel(kernel),
          m_places(places),
          m_visible(kernel.instructions.size(), false),
          m_assigned(kernel.instructions.size(), false)
    {
    }

    [[nodiscard]] Diagnostics run()
    {
        checkFrame();
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            checkInstruction(InstructionId(i));
        for (const Block &block : m_blocks)
            report(block.opener, "is not closed");
        return std::move(m_problems);
    }

private:
    struct Block {
        InstructionId opener;
        std::vector<InstructionId> made;
        std::vector<bool> assignedBefore;
    };

    void checkFrame()
    {
        if (m_kernel.symbol.empty())
            report("has no symbol");
        for (std::size_t dimension = 0; dimension < 3; ++dimension) {
            const std::int64_t global = m_kernel.globalSize[dimension];
            const std::int64_t local = m_kernel.localSize[dimension];
            if (global < 0 || local < 1 || global % local != 0)
                report(format("has global size {} and local size {} in dimension {}; the local one must divide the global one",
                              global, local, dimension));
        }
        for (const auto &size : {m_kernel.globalSize, m_kernel.localSize})
            if (const CheckedSize items = productOf(size); items > kMaxWorkItems)
                report(format("has [{}] work items, which are {}; at most {} are possible", join(size, ", "), toText(items),
                              kMaxWorkItems));
        if (m_kernel.origin.sources().empty())
            report("has no origin");
    }

    void checkInstruction(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (instruction.origin.sources().empty())
            report(id, "has no origin");
        if (const auto problem = typeProblemOf(instruction, std::span(m_kernel.instructions).first(id.value))) {
            report(id, *problem);
        } else {
            checkOperands(id, instruction);
            checkStructure(id, instruction);
        }
        if (opensScope(instruction.kind) || instruction.kind == InstructionKind::Block)
            m_blocks.push_back({id, {}, m_assigned});
        if (infoOf(instruction.kind).makesValue)
            makeVisible(id);
    }

    void makeVisible(InstructionId id)
    {
        m_visible[id.value] = true;
        if (!m_blocks.empty())
            m_blocks.back().made.push_back(id);
    }

    void checkOperands(InstructionId id, const Instruction &instruction)
    {
        for (std::size_t position = 0; position < instruction.operands.size(); ++position) {
            const InstructionId operand = instruction.operands[position];
            if (!m_visible[operand.value])
                report(id, format("uses %{}, which is not visible here", nameText(operand)));
            const bool isTarget = instruction.kind == InstructionKind::Assign && position == 0;
            if (m_kernel.instruction(operand).kind == InstructionKind::Acc && !isTarget && !m_assigned[operand.value])
                report(id, format("reads %{} before it is assigned on every path", nameText(operand)));
        }
        if (instruction.kind == InstructionKind::Assign)
            m_assigned[instruction.operands[0].value] = true;
    }

    void checkStructure(InstructionId id, const Instruction &instruction)
    {
        if (isMemory(instruction.kind) && !m_blocks.empty())
            report(id, "is memory made inside a loop, if or block");
        if (instruction.kind == InstructionKind::DefineGlobal)
            checkArgument(id, instruction);
        if (instruction.kind == InstructionKind::Barrier)
            checkBarrier(id);
        if (instruction.kind == InstructionKind::EndRange)
            closeRange(id, instruction.operands[0]);
        if (instruction.kind == InstructionKind::EndIf)
            closeIf(id);
        if (instruction.kind == InstructionKind::EndBlock)
            closePart(id);
    }

    void checkArgument(InstructionId id, const Instruction &instruction)
    {
        const auto position = std::size_t{instruction.argument};
        if (position >= m_kernel.arguments.size()) {
            report(id, format("is argument {} of a kernel with {}", position, m_kernel.arguments.size()));
            return;
        }
        if (m_argumentSeen.size() <= position)
            m_argumentSeen.resize(position + 1, false);
        if (m_argumentSeen[position])
            report(id, format("defines argument {} a second time", position));
        m_argumentSeen[position] = true;
    }

    // All items of a group must come to a barrier, and equally often.
    void checkBarrier(InstructionId id)
    {
        if (m_isUniform.empty())
            m_isUniform = uniformValues(m_kernel);
        for (const Block &block : m_blocks) {
            const Instruction &opener = m_kernel.instruction(block.opener);
            if (opener.kind == InstructionKind::If)
                report(id, "is a barrier inside an if");
            else if (isLoop(opener.kind) && !m_isUniform[opener.operands.at(0).value])
                report(id, format("is a barrier inside the loop %{}, which has as many rounds as a work item says",
                                  nameText(block.opener)));
        }
    }

    void closeRange(InstructionId id, InstructionId range)
    {
        if (m_blocks.empty() || m_blocks.back().opener != range) {
            report(id, format("closes %{}, which is not the innermost open block", nameText(range)));
            return;
        }
        // A loop that surely runs leaves its accumulators assigned.
        const Instruction &extent = m_kernel.instruction(m_kernel.instruction(range).operands.at(0));
        const bool surelyRuns = extent.kind == InstructionKind::Const && extent.constants.at(0).asInt() > 0;
        closeBlock(surelyRuns);
    }

    void closeIf(InstructionId id)
    {
        if (m_blocks.empty() || m_kernel.instruction(m_blocks.back().opener).kind != InstructionKind::If) {
            report(id, "closes an if where none is the innermost open block");
            return;
        }
        closeBlock(false);
    }

    // Values made in a block stay visible to the end of the scope around the block.
    void closePart(InstructionId id)
    {
        if (m_blocks.empty() || m_kernel.instruction(m_blocks.back().opener).kind != InstructionKind::Block) {
            report(id, "closes a block where none is the innermost open one");
            return;
        }
        const std::vector<InstructionId> made = std::move(m_blocks.back().made);
        m_blocks.pop_back();
        if (!m_blocks.empty())
            m_blocks.back().made.insert(m_blocks.back().made.end(), made.begin(), made.end());
    }

    void closeBlock(bool keepsAssignments)
    {
        Block block = std::move(m_blocks.back());
        m_blocks.pop_back();
        // The range's own value belongs to its body: it was made visible after the block opened.
        for (const InstructionId made : block.made)
            m_visible[made.value] = false;
        if (!keepsAssignments)
            m_assigned = std::move(block.assignedBefore);
    }

    void report(InstructionId id, const std::string &problem)
    {
        report(format("%{} ({}) {}", nameText(id), nameOf(m_kernel.instruction(id).kind), problem),
               m_places.empty() ? SourceRange() : m_places[id.value]);
    }

    void report(const std::string &problem, SourceRange where = {})
    {
        m_problems.push_back(Diagnostic::error(Code::InvalidIr, std::move(where), "kernel {}: {}", m_kernel.name, problem));
    }

    [[nodiscard]] const std::string &nameText(InstructionId id)
    {
        if (m_names.empty())
            m_names = valueNames(m_kernel);
        return m_names[id.value];
    }

    const LoweredKernel &m_kernel;
    std::span<const SourceRange> m_places;
    std::vector<bool> m_visible;
    std::vector<bool> m_assigned;
    std::vector<bool> m_isUniform; // by value: it is the same for all items of a group; made at the first barrier
    std::vector<bool> m_argumentSeen;
    std::vector<Block> m_blocks;
    std::vector<std::string> m_names; // made when the first problem is found
    Diagnostics m_problems;
};

std::string_view nameOf(const KernelList &kernels, std::size_t kernel)
{
    const KernelBinding *binding = kernels.bindingOf(kernel);
    return binding == nullptr ? kernels.bodyOf(kernel).name : binding->name;
}

// What the kernels of a body need of it, found once for all of them.
struct BodyFacts {
    std::vector<InstructionId> globals;    // its arguments
    std::uint32_t lastPlace = 0;           // of its origins, where they are places
    std::optional<std::size_t> lastPlaced; // an instruction that has it
};

BodyFacts factsOf(const LoweredKernel &body)
{
    BodyFacts facts;
    for (std::size_t i = 0; i < body.instructions.size(); ++i) {
        if (body.instructions[i].kind == InstructionKind::DefineGlobal)
            facts.globals.emplace_back(i);
        const std::uint32_t place = body.instructions[i].origin.sources().back().value;
        if (facts.lastPlaced && place <= facts.lastPlace)
            continue;
        facts.lastPlace = place;
        facts.lastPlaced = i;
    }
    return facts;
}

void checkArguments(const LoweredProgram &program, std::size_t kernel, const BodyFacts &facts, Diagnostics &problems)
{
    const Schedule &schedule = *program.schedule;
    const std::string_view name = nameOf(program.kernels, kernel);
    for (const InstructionId global : facts.globals) {
        const Instruction &instruction = program.kernels.bodyOf(kernel).instruction(global);
        const BufferId id = program.kernels.argumentsOf(kernel)[instruction.argument];
        if (id.value >= schedule.buffers.size()) {
            problems.push_back(Diagnostic::error(Code::InvalidIr, {}, "kernel {}: argument {} names buffer {} of {}", name,
                                                 instruction.argument, id.value, schedule.buffers.size()));
            continue;
        }
        const ScheduledBuffer &buffer = schedule.buffer(id);
        if (buffer.dtype != instruction.dtype || buffer.shape.elements() != instruction.elements)
            problems.push_back(Diagnostic::error(
                Code::InvalidIr, {}, "kernel {}: argument {} is {}[{}], but its buffer {} is {}[{}]", name, instruction.argument,
                nameOf(instruction.dtype), instruction.elements, buffer.name, nameOf(buffer.dtype), buffer.shape.elements()));
    }
}

// The origins of a shared body must be places that each of its kernels has.
void checkPlaces(const KernelList &kernels, std::size_t kernel, const BodyFacts &facts, Diagnostics &problems)
{
    const KernelBinding *binding = kernels.bindingOf(kernel);
    if (binding != nullptr && facts.lastPlaced && facts.lastPlace >= binding->places.size())
        problems.push_back(Diagnostic::error(Code::InvalidIr, {}, "kernel {}: instruction {} has an origin that the kernel lacks",
                                             binding->name, *facts.lastPlaced));
}

} // namespace

Result<Done> verifyLowered(const LoweredKernel &kernel, std::span<const SourceRange> places)
{
    SW_ASSERT(places.empty() || places.size() == kernel.instructions.size(), "a place per instruction");
    Diagnostics problems = Verifier(kernel, places).run();
    if (!problems.empty())
        return Failure(std::move(problems));
    return Done{};
}

Result<Done> verifyLowered(const LoweredProgram &program, const SoundBodies &sound)
{
    const std::span<const KernelList::Body> bodies = program.kernels.bodies();
    const std::set<KernelList::Body> here(sound.here.begin(), sound.here.end());
    std::vector<std::optional<BodyFacts>> facts(bodies.size()); // of those that are sound, but not known to be so here
    std::vector<std::size_t> unknown;
    std::size_t instructions = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (here.contains(bodies[i]))
            continue;
        if (sound.elsewhere && sound.elsewhere(bodies[i])) {
            facts[i] = factsOf(*bodies[i]);
            continue;
        }
        unknown.push_back(i);
        instructions += bodies[i]->instructions.size();
    }
    std::vector<Diagnostics> found(unknown.size());
    const auto verify = [&](std::size_t i) { found[i] = Verifier(*bodies[unknown[i]]).run(); };
    if (instructions >= kWorthThreads)
        inParallel(unknown.size(), verify);
    else
        for (std::size_t i = 0; i < unknown.size(); ++i)
            verify(i);
    Diagnostics problems;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        if (found[i].empty())
            facts[unknown[i]] = factsOf(*bodies[unknown[i]]);
        problems.insert(problems.end(), std::make_move_iterator(found[i].begin()), std::make_move_iterator(found[i].end()));
    }
    for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
        const std::optional<BodyFacts> &own = facts[program.kernels.bodyNumberOf(kernel)];
        if (!own)
            continue;
        checkPlaces(program.kernels, kernel, *own, problems);
        if (program.schedule != nullptr)
            checkArguments(program, kernel, *own, problems);
    }
    if (!problems.empty())
        return Failure(std::move(problems));
    return Done{};
}

} // namespace sw
