#include "engine/api/instruction_card.h"

#include "engine/api/explanation_numbers.h"
#include "engine/api/item_history.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"
#include "engine/lowered/printer.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>
#include <array>
#include <set>

namespace sw {

namespace {

enum class Form : std::uint8_t {
    Gather,
    Masked,
    Scratch,
    VectorAccess,
    ScalarAccess,
    FetchedAhead,
    Fused,
    Accumulator,
    UnrolledLoop,
    Loop,
    WorkItem,
    Guard,
    Tile,
    Vector,
    Index,
    Scalar,
    Structure,
};

// By Form.
constexpr std::array kForms{
    InstructionForm{"gather", "Lanes that lie apart",
                    "Its lanes do not follow each other in memory, so each has an address of its own."},
    InstructionForm{"masked", "Masked load",
                    "A lane may lie outside of the tensor, so memory is read only where the mask is true."},
    InstructionForm{"scratch", "Scratch memory",
                    "It uses memory inside the kernel: a packed copy, or what the work items of a group share."},
    InstructionForm{"vector-access", "Neighbours at once",
                    "It reads or writes neighbouring elements at once, because an axis of the loops became lanes."},
    InstructionForm{"scalar-access", "One element",
                    "It reads or writes one element: no axis along which memory runs became lanes here."},
    InstructionForm{"fetched-ahead", "Fetched ahead",
                    "It asks for a line of memory that is read some rounds later, and changes no value."},
    InstructionForm{"fused-multiply-add", "Fused multiply-add",
                    "The pass contract joined a product with the sum that reads it: one rounding instead of two."},
    InstructionForm{"accumulator", "Accumulator",
                    "It holds the partial result of a reduction; more of them side by side do not wait for each other."},
    InstructionForm{"unrolled-loop", "Written-out loop",
                    "A loop whose body the device's compiler writes out several times per round."},
    InstructionForm{"loop", "Loop", "An axis, or what its transformations left of it, runs as a loop."},
    InstructionForm{"work-item", "Work item", "An axis runs as work items; this tells which one it is."},
    InstructionForm{"guard", "Guard", "It keeps what has no element, or no valid index, from running."},
    InstructionForm{"tile", "Product of tiles", "The steps of a reduction are products of tiles."},
    InstructionForm{"vector", "Arithmetic in lanes",
                    "It computes several elements at once, because an axis of the loops became lanes."},
    InstructionForm{"index", "Index arithmetic", "It computes where elements lie in memory."},
    InstructionForm{"scalar", "One value", "It computes one value at a time."},
    InstructionForm{"structure", "Structure", "It names memory, or opens or closes a part of the kernel, and computes nothing."},
};
static_assert(kForms.size() == static_cast<std::size_t>(Form::Structure) + 1);

bool isScratch(const LoweredKernel &kernel, const Instruction &instruction)
{
    if (instruction.operands.empty())
        return false;
    const InstructionKind memory = kernel.instruction(instruction.operands[0]).kind;
    return memory == InstructionKind::Buffer || memory == InstructionKind::Local;
}

Form accessForm(const LoweredKernel &kernel, const Instruction &instruction)
{
    if (kernel.instruction(instruction.operands[0]).kind == InstructionKind::Ptrcat)
        return Form::Gather;
    if (instruction.kind == InstructionKind::MaskedLoad)
        return Form::Masked;
    if (isScratch(kernel, instruction))
        return Form::Scratch;
    return instruction.lanes > 1 ? Form::VectorAccess : Form::ScalarAccess;
}

Form computeForm(const Instruction &instruction)
{
    if (instruction.kind == InstructionKind::Alu && instruction.op == Op::Fma)
        return Form::Fused;
    if (instruction.lanes > 1)
        return Form::Vector;
    return instruction.dtype == DType::I64 ? Form::Index : Form::Scalar;
}

Form formIn(const LoweredKernel &kernel, const Instruction &instruction)
{
    switch (instruction.kind) {
    case InstructionKind::Load:
    case InstructionKind::MaskedLoad:
    case InstructionKind::Store:
        return accessForm(kernel, instruction);
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        return Form::Scratch;
    case InstructionKind::Prefetch:
        return Form::FetchedAhead;
    case InstructionKind::Ptrcat:
        return Form::Gather;
    case InstructionKind::Acc:
    case InstructionKind::Assign:
        return Form::Accumulator;
    case InstructionKind::Unroll:
        return Form::UnrolledLoop;
    case InstructionKind::Range:
        return Form::Loop;
    case InstructionKind::Special:
        return Form::WorkItem;
    case InstructionKind::If:
    case InstructionKind::IndexCheck:
        return Form::Guard;
    case InstructionKind::Wmma:
        return Form::Tile;
    case InstructionKind::Alu:
    case InstructionKind::Const:
    case InstructionKind::Vconst:
    case InstructionKind::Custom:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Gep:
    case InstructionKind::Shuffle:
        return computeForm(instruction);
    case InstructionKind::DefineVar:
        return Form::Index;
    case InstructionKind::DefineGlobal:
    case InstructionKind::EndRange:
    case InstructionKind::EndIf:
    case InstructionKind::Block:
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier:
    case InstructionKind::Noop:
        return Form::Structure;
    }
    SW_UNREACHABLE();
}

// The loops around an instruction, outermost first.
std::vector<InstructionId> loopsAround(const LoweredKernel &kernel, InstructionId id)
{
    std::vector<InstructionId> scopes;
    for (std::uint32_t i = 0; i < id.value; ++i) {
        const InstructionKind kind = kernel.instructions[i].kind;
        if (opensScope(kind))
            scopes.emplace_back(i);
        if (closesScope(kind))
            scopes.pop_back();
    }
    std::erase_if(scopes, [&](InstructionId scope) { return !isLoop(kernel.instruction(scope).kind); });
    return scopes;
}

// How often a loop's body runs; 0: that is known only when it runs.
std::int64_t roundsOf(const LoweredKernel &kernel, InstructionId loop)
{
    const Instruction &extent = kernel.instruction(kernel.instruction(loop).operands[0]);
    return extent.kind == InstructionKind::Const ? extent.constants.front().asInt() : 0;
}

// "i1.o" and "i1.i" were one axis.
std::string_view stemOf(std::string_view axis)
{
    return axis.substr(0, axis.find('.'));
}

AxisType typeFor(SpecialIndex special)
{
    switch (special) {
    case SpecialIndex::LocalX:
    case SpecialIndex::LocalY:
    case SpecialIndex::LocalZ:
        return AxisType::Local;
    case SpecialIndex::GlobalX:
    case SpecialIndex::GlobalY:
    case SpecialIndex::GlobalZ:
    case SpecialIndex::GroupX:
    case SpecialIndex::GroupY:
    case SpecialIndex::GroupZ:
        return AxisType::Global;
    }
    SW_UNREACHABLE();
}

// Finds the transformations that may have given an instruction its form.
class Causes {
public:
    Causes(const LoopNest &nest, const LoweredKernel &kernel, InstructionId id)
        : m_nest(nest), m_instruction(kernel.instruction(id))
    {
        for (const InstructionId loop : loopsAround(kernel, id))
            m_around.insert(std::string(stemOf(kernel.instruction(loop).name)));
    }

    [[nodiscard]] std::vector<std::uint32_t> find(Form form) const
    {
        switch (form) {
        case Form::Gather:
        case Form::Masked:
        case Form::VectorAccess:
        case Form::Fused:
        case Form::Vector:
            return m_instruction.lanes > 1 ? lanes() : std::vector<std::uint32_t>();
        case Form::Scratch:
            return all([](const Transform &one) { return one.kind == TransformKind::Pack || one.kind == TransformKind::Share; });
        case Form::FetchedAhead:
            return all(
                [](const Transform &one) { return one.kind == TransformKind::Prefetch || one.kind == TransformKind::Stream; });
        case Form::Accumulator:
            return all([&](const Transform &one) {
                return one.kind == TransformKind::SetType && (one.type == AxisType::Unroll || one.type == AxisType::Upcast);
            });
        case Form::UnrolledLoop:
            return all([&](const Transform &one) { return one.kind == TransformKind::Unroll && isAxis(one); });
        case Form::Loop:
            return all([&](const Transform &one) { return one.kind != TransformKind::SetType && isAxis(one); });
        case Form::WorkItem:
            return all([&](const Transform &one) {
                return one.kind == TransformKind::SetType &&
                       (one.type == AxisType::Thread || one.type == typeFor(m_instruction.special));
            });
        case Form::Tile:
            return all([](const Transform &one) { return one.kind == TransformKind::Tensorize; });
        case Form::Guard:
        case Form::ScalarAccess:
        case Form::Index:
        case Form::Scalar:
        case Form::Structure:
            return {};
        }
        SW_UNREACHABLE();
    }

private:
    template <class Takes>
    [[nodiscard]] std::vector<std::uint32_t> all(const Takes &takes) const
    {
        std::vector<std::uint32_t> found;
        for (std::uint32_t i = 0; i < m_nest.transforms.size(); ++i)
            if (takes(m_nest.transforms[i]))
                found.push_back(i);
        return found;
    }

    [[nodiscard]] bool isAxis(const Transform &transform) const
    {
        return std::ranges::any_of(transform.axes,
                                   [&](const std::string &axis) { return stemOf(axis) == stemOf(m_instruction.name); });
    }

    // Axes that became so many lanes; of those, the ones that stand inside the loops around it, if there are any.
    [[nodiscard]] std::vector<std::uint32_t> lanes() const
    {
        const auto isWide = [&](const Transform &one) {
            if (one.kind != TransformKind::SetType || one.type != AxisType::Vector)
                return false;
            bool isFound = false;
            forEachStage(m_nest, [&](const LoopNest &stage) {
                const std::optional<AxisId> axis = axisNamed(stage, one.axes.at(0));
                isFound = isFound || (axis && stage.axes[axis->value].extent == m_instruction.lanes);
            });
            return isFound;
        };
        std::vector<std::uint32_t> inside =
            all([&](const Transform &one) { return isWide(one) && m_around.contains(std::string(stemOf(one.axes.front()))); });
        return inside.empty() ? all(isWide) : inside;
    }

    const LoopNest &m_nest;
    const Instruction &m_instruction;
    std::set<std::string> m_around; // stems
};

void addNumbers(WhyCard &card, const Explained &of, const LoweredKernel &kernel, InstructionId id)
{
    const Instruction &instruction = kernel.instruction(id);
    const bool isAccess = instruction.kind == InstructionKind::Load || instruction.kind == InstructionKind::MaskedLoad ||
                          instruction.kind == InstructionKind::Store;
    const auto size = static_cast<std::int64_t>(sw::bytesOf(instruction.dtype));
    if (instruction.lanes > 1 || isAccess)
        card.numbers.push_back(countOf("lanes", instruction.lanes, "the instruction"));
    if (isAccess) {
        card.numbers.push_back(
            bytesOf("at once", instruction.lanes * size, format("lanes x {} bytes of {}", size, nameOf(instruction.dtype))));
        card.numbers.push_back(bytesOf("the device's vectors", of.schedule.device(kernel.device).vectorBytes,
                                       format("what {} accesses at once", of.schedule.device(kernel.device).id)));
    }
    if (isLoop(instruction.kind) && roundsOf(kernel, id) != 0)
        card.numbers.push_back(countOf("rounds", roundsOf(kernel, id), "the extent of the loop"));
    std::int64_t runs = kernel.globalSize[0] * kernel.globalSize[1] * kernel.globalSize[2];
    card.numbers.push_back(countOf("work items", runs, "the kernel's global size"));
    for (const InstructionId loop : loopsAround(kernel, id))
        runs *= roundsOf(kernel, loop);
    if (runs != 0)
        card.numbers.push_back(countOf("runs", runs, "work items x rounds of the loops around it"));
    const auto isCopy = [&](const Instruction &other) {
        return other.kind == instruction.kind && other.op == instruction.op && other.dtype == instruction.dtype &&
               other.lanes == instruction.lanes && other.origin == instruction.origin && other.name == instruction.name;
    };
    card.numbers.push_back(countOf("copies", std::ranges::count_if(kernel.instructions, isCopy),
                                   "instructions of the kernel that do the same for the same nodes"));
}

} // namespace

std::span<const InstructionForm> instructionForms()
{
    return kForms;
}

const InstructionForm &formOf(const LoweredKernel &kernel, InstructionId id)
{
    return kForms[static_cast<std::size_t>(formIn(kernel, kernel.instruction(id)))];
}

WhyCard instructionCard(const Explained &of, const LoweredKernel &kernel, InstructionId id)
{
    const Instruction &instruction = kernel.instruction(id);
    const Form form = formIn(kernel, instruction);
    const InstructionForm &row = kForms[static_cast<std::size_t>(form)];
    WhyCard card;
    card.subject = WhySubject::Instruction;
    card.title =
        format("%{} {} in {}", id.value,
               instruction.kind == InstructionKind::Alu ? nameOf(instruction.op) : nameOf(instruction.kind), kernel.name);
    card.decision = row.title;
    card.rule = row.id;
    card.ruleTitle = row.title;
    card.ruleDoc = row.doc;
    if (const std::vector<InstructionId> loops = loopsAround(kernel, id); !loops.empty())
        card.facts.push_back({"inside of", join(loops, ", ", [&](InstructionId loop) {
                                  const std::string &name = kernel.instruction(loop).name;
                                  return name.empty() ? format("%{}", loop.value) : name;
                              })});
    addNumbers(card, of, kernel, id);
    card.kernel = kernel.kernel.value;
    if (of.loops == nullptr || kernel.kernel.value >= of.loops->nests.size())
        return card;
    const LoopNest &nest = *of.loops->nests[kernel.kernel.value];
    const std::vector<std::uint32_t> causes = Causes(nest, kernel, id).find(form);
    for (const std::uint32_t cause : causes) {
        WhyCard part = transformCard(of, kernel.kernel, cause);
        part.heading = !card.parts.empty() ? "" : causes.size() == 1 ? "made so by" : "made so by one of these";
        if (card.tries.empty())
            card.tries = part.tries;
        part.tries.clear();
        card.parts.push_back(std::move(part));
    }
    if (card.tries.empty())
        card.tries.push_back({"Change the loops", toText(loopsOf(nest, of.schedule, of.paths))});
    return card;
}

void addMaker(WhyCard &card, const Compilation &compilation, const StageDocument &lowered, ItemIndex item,
              const std::stop_token &stop)
{
    const std::optional<ItemHistory> history = historyOf(compilation, {{kNoIndex}, StageKind::Lowered, item}, lowered, stop);
    if (!history || !history->made)
        return;
    const HistoryEvent &made = *history->made;
    card.facts.push_back(
        {"made by", made.rewrite ? format("{}: {}: {}", made.pass, made.rewrite->rule, made.rewrite->detail) : made.pass});
}

} // namespace sw
