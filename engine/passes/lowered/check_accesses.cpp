#include "engine/passes/lowered/check_accesses.h"

#include "engine/lowered/editable_text.h"
#include "engine/lowered/program_text.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/divisors.h"
#include "engine/passes/lowered/kernel_pass.h"
#include "engine/passes/lowered/value_bounds.h"

#include <algorithm>
#include <bit>

namespace sw {

namespace {

class KernelChecker {
public:
    // lines: of the instructions, for what is reported; empty: it does not tell them.
    KernelChecker(const LoweredKernel &kernel, std::vector<std::uint32_t> lines, PassContext &context)
        : m_kernel(kernel), m_lines(std::move(lines)), m_context(context), m_bounds(kernel), m_divisors(kernel), m_copier(kernel)
    {
    }

    LoweredKernel run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            visit(InstructionId(i));
        return m_copier.take();
    }

private:
    void visit(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        const bool isLoad = instruction.kind == InstructionKind::Load;
        const bool isMasked = instruction.kind == InstructionKind::MaskedLoad;
        const bool isStore = instruction.kind == InstructionKind::Store;
        if (!isLoad && !isMasked && !isStore) { // define_var reads a dimension, which is checked where the text is read
            m_copier.keep(id);
            return;
        }
        if (isProved(instruction)) {
            keepAligned(id);
            return;
        }
        const InstructionId first = m_copier.next();
        if (isStore)
            isScattered(instruction) ? writeScatteredStore(id) : writeStore(id);
        else if (isMasked)
            writeMaskedLoad(id);
        else
            isScattered(instruction) ? writeScatteredLoad(id) : writeLoad(id);
        recordRewrite(m_context, isStore ? kCheckedStoreRule : kCheckedLoadRule, m_kernel, id, first, m_copier.next(),
                      [&] { return instructionText(instruction); });
    }

    // ---- what is known

    [[nodiscard]] const Instruction &memoryOfAccess(const Instruction &access) const
    {
        return m_kernel.instruction(memoryOf(access, m_kernel.instructions));
    }

    [[nodiscard]] std::int64_t elementsOf(const Instruction &access) const
    {
        const Instruction &memory = memoryOfAccess(access);
        return memory.elements;
    }

    [[nodiscard]] bool isScattered(const Instruction &access) const
    {
        return m_kernel.instruction(access.operands[0]).kind == InstructionKind::Ptrcat;
    }

    // The number of positions at which a contiguous vector may begin.
    [[nodiscard]] std::int64_t startsOf(const Instruction &access) const
    {
        return elementsOf(access) - static_cast<std::int64_t>(access.lanes) + 1;
    }

    [[nodiscard]] bool isProved(const Instruction &access)
    {
        if (!isScattered(access))
            return m_bounds.isWithin(access.operands[1], 0, startsOf(access) - 1);
        const auto added = m_bounds.of(access.operands[1]);
        const Instruction &addresses = m_kernel.instruction(access.operands[0]);
        for (std::size_t i = 1; i < addresses.operands.size(); ++i) {
            const auto own = m_bounds.of(addresses.operands[i]);
            if (!added || !own || own->low + added->low < 0 || own->high + added->high >= elementsOf(access))
                return false;
        }
        return true;
    }

    // Keeps the access, but drops an alignment that nothing proves.
    void keepAligned(InstructionId id)
    {
        const Instruction &access = m_kernel.instruction(id);
        if (!access.isAligned || isSurelyAligned(access)) {
            m_copier.keep(id);
            return;
        }
        const InstructionId first = m_copier.next();
        m_copier.replace(id, builder().add(accessOf(id).instruction));
        recordRewrite(m_context, "unproved-alignment", m_kernel, id, first, m_copier.next(),
                      [&] { return instructionText(access); });
    }

    [[nodiscard]] bool isSurelyAligned(const Instruction &access) const
    {
        return std::has_single_bit(access.lanes) &&
               m_divisors.isMultipleOf(access.operands[1], alignedLanes(access.dtype, access.lanes));
    }

    // ---- what is written

    // The access in the new kernel, without a promise about its address, and the memory that it touches.
    struct Access {
        Instruction instruction;
        std::int64_t elements = 0;
        std::int64_t starts = 0;
        std::string memory;
        std::string place; // which memory and which instruction; empty: it is not told
    };

    Access accessOf(InstructionId id)
    {
        const Instruction &old = m_kernel.instruction(id);
        Access access{old, elementsOf(old), startsOf(old), memoryOfAccess(old).name, placeOf(id)};
        access.instruction.operands = m_copier.madeOperands(old);
        access.instruction.isAligned = false;
        access.instruction.hint = MemoryHint::None;
        return access;
    }

    // "for the 64 elements of argument 1, out (16 from there on are stored by line 17 of its lowered text)"
    [[nodiscard]] std::string placeOf(InstructionId id) const
    {
        if (m_lines.empty())
            return {};
        const Instruction &access = m_kernel.instruction(id);
        const Instruction &memory = memoryOfAccess(access);
        const bool isOwn = memory.kind != InstructionKind::DefineGlobal;
        std::string place = format("for the {} elements of {}", memory.elements,
                                   isOwn ? std::string("the kernel's own memory") : format("argument {}", memory.argument));
        if (!memory.name.empty())
            place += ", " + memory.name;
        const bool isSpan = access.lanes > 1 && !isScattered(access);
        return place + format(" ({}{} by line {} of its lowered text)",
                              isSpan ? format("{} from there on are ", access.lanes) : "",
                              access.kind == InstructionKind::Store ? "stored" : "loaded", m_lines[id.value]);
    }

    [[nodiscard]] static std::string toldOf(const Access &access, std::int64_t bound)
    {
        if (!access.place.empty())
            return access.place;
        return access.memory.empty() ? std::string() : format("for size {} in {}", bound, access.memory);
    }

    InstructionId check(const Access &access, InstructionId index, std::int64_t bound)
    {
        bound = std::max<std::int64_t>(bound, 0);
        Instruction made{.kind = InstructionKind::IndexCheck,
                         .dtype = DType::Bool,
                         .operands = {index},
                         .bound = bound,
                         .name = toldOf(access, bound),
                         .origin = access.instruction.origin};
        return builder().add(std::move(made));
    }

    InstructionId alu(const Access &access, Op op, std::vector<InstructionId> operands)
    {
        return builder().alu(access.instruction.origin, op, std::move(operands));
    }

    InstructionId zeros(const Access &access, std::uint32_t lanes)
    {
        return builder().constant(access.instruction.origin, Scalar::fromBits(access.instruction.dtype, 0), lanes);
    }

    void writeLoad(InstructionId id)
    {
        const Access access = accessOf(id);
        const Instruction &load = access.instruction;
        const InstructionId isInside = check(access, load.operands[1], access.starts);
        const InstructionId otherwise = zeros(access, load.lanes);
        m_copier.replace(id, access.starts <= 0
                                 ? otherwise
                                 : builder().maskedLoad(load.origin, load.operands[0], load.operands[1], isInside, otherwise));
    }

    // Where the mask is false, the index does not matter.
    void writeMaskedLoad(InstructionId id)
    {
        Access access = accessOf(id);
        Instruction &load = access.instruction;
        const std::uint32_t lanes = builder().at(load.operands[2]).lanes;
        const std::int64_t bound = lanes == 1 ? access.starts : access.elements;
        if (bound <= 0) {
            builder().beginIf(load.origin, anyOf(access, load.operands[2]));
            static_cast<void>(check(access, load.operands[1], 0));
            builder().endIf(load.origin);
            m_copier.replace(id, load.operands[3]);
            return;
        }
        load.operands[2] = lanes == 1 ? whereInside(access, load.operands[2], load.operands[1], bound) : lanesInside(access);
        m_copier.replace(id, builder().add(std::move(load)));
    }

    // The mask and, where it is true, a check that the index fits.
    InstructionId whereInside(const Access &access, InstructionId mask, InstructionId index, std::int64_t bound)
    {
        const InstructionId zero = builder().index(access.instruction.origin, 0);
        const InstructionId wanted = alu(access, Op::Where, {mask, index, zero});
        return alu(access, Op::And, {mask, check(access, wanted, bound)});
    }

    // The new mask of a load that has a mask for each lane.
    InstructionId lanesInside(const Access &access)
    {
        const Instruction &load = access.instruction;
        std::vector<InstructionId> inside;
        for (std::uint32_t lane = 0; lane < load.lanes; ++lane) {
            const InstructionId mask = builder().gep(load.origin, load.operands[2], lane);
            const InstructionId index = alu(access, Op::Add, {load.operands[1], builder().index(load.origin, lane)});
            inside.push_back(whereInside(access, mask, index, access.elements));
        }
        return builder().vectorize(load.origin, std::move(inside));
    }

    InstructionId anyOf(const Access &access, InstructionId mask)
    {
        const std::uint32_t lanes = builder().at(mask).lanes;
        if (lanes == 1)
            return mask;
        InstructionId any = builder().gep(access.instruction.origin, mask, 0);
        for (std::uint32_t lane = 1; lane < lanes; ++lane)
            any = alu(access, Op::Or, {any, builder().gep(access.instruction.origin, mask, lane)});
        return any;
    }

    void writeStore(InstructionId id)
    {
        const Access access = accessOf(id);
        const InstructionId isInside = check(access, access.instruction.operands[1], access.starts);
        if (access.starts > 0)
            writeStoreWhere(isInside, access.instruction);
    }

    void writeStoreWhere(InstructionId condition, const Instruction &store)
    {
        builder().beginIf(store.origin, condition);
        builder().add(store);
        builder().endIf(store.origin);
    }

    // The index of every lane, and whether it is inside.
    struct Lanes {
        std::vector<InstructionId> indices;
        std::vector<InstructionId> areInside;
    };

    Lanes scatteredLanes(const Access &access, InstructionId id)
    {
        const Instruction &addresses = m_kernel.instruction(m_kernel.instruction(id).operands[0]);
        Lanes lanes;
        for (std::size_t i = 1; i < addresses.operands.size(); ++i) {
            lanes.indices.push_back(alu(access, Op::Add, {m_copier.made(addresses.operands[i]), access.instruction.operands[1]}));
            lanes.areInside.push_back(check(access, lanes.indices.back(), access.elements));
        }
        return lanes;
    }

    void writeScatteredLoad(InstructionId id)
    {
        const Access access = accessOf(id);
        const Origin &origin = access.instruction.origin;
        const Lanes lanes = scatteredLanes(access, id);
        if (access.elements == 0) {
            m_copier.replace(id, zeros(access, access.instruction.lanes));
            return;
        }
        const InstructionId memory = m_copier.made(memoryOf(m_kernel.instruction(id), m_kernel.instructions));
        std::vector<InstructionId> elements;
        for (std::size_t lane = 0; lane < lanes.indices.size(); ++lane)
            elements.push_back(
                builder().maskedLoad(origin, memory, lanes.indices[lane], lanes.areInside[lane], zeros(access, 1)));
        m_copier.replace(id, elements.size() == 1 ? elements[0] : builder().vectorize(origin, std::move(elements)));
    }

    void writeScatteredStore(InstructionId id)
    {
        const Access access = accessOf(id);
        const Lanes lanes = scatteredLanes(access, id);
        InstructionId all = lanes.areInside.front();
        for (std::size_t lane = 1; lane < lanes.areInside.size(); ++lane)
            all = alu(access, Op::And, {all, lanes.areInside[lane]});
        writeStoreWhere(all, access.instruction);
    }

    [[nodiscard]] LoweredBuilder &builder() { return m_copier.builder(); }

    const LoweredKernel &m_kernel;
    std::vector<std::uint32_t> m_lines; // by instruction, or empty
    PassContext &m_context;
    ValueBounds m_bounds;
    Divisors m_divisors;
    KernelCopier m_copier;
};

// The lowered text that a person gave for the kernel; empty: it has its own.
std::string_view givenText(const LoweredProgram &program, KernelId kernel, const Overrides &overrides)
{
    const auto isOfKernel = [&](const KernelEdit &edit) {
        return edit.kernel == kernel && edit.outcome.state == OverrideState::Applied;
    };
    const auto edit = std::ranges::find_if(program.edits, isOfKernel);
    return edit == program.edits.end() ? std::string_view() : std::string_view(overrides.items.at(edit->override).code.text);
}

} // namespace

Result<std::optional<LoweredProgram>> checkAccesses(const LoweredProgram &program, PassContext &context)
{
    // All or nothing: if a check were left out, the result might touch any memory.
    if (!isFromText(program) || !context.mayRewrite())
        return std::optional<LoweredProgram>();
    LoweredProgram checked{program.schedule, {}};
    for (const LoweredKernel &kernel : program.kernels) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "compiling was cancelled");
        checked.kernels.push_back(KernelChecker(kernel, {}, context).run());
    }
    return context.rewrites().empty() ? std::optional<LoweredProgram>() : std::optional(std::move(checked));
}

LoweredProgram withEveryAccessChecked(const LoweredProgram &program, std::span<const KernelId> except, PassContext &context)
{
    LoweredProgram checked{program.schedule, {}, program.edits};
    for (const LoweredKernel &kernel : program.kernels) {
        if (std::ranges::find(except, kernel.kernel) != except.end()) {
            checked.kernels.push_back(kernel);
            continue;
        }
        const std::string_view text = givenText(program, kernel.kernel, context.options().overrides);
        checked.kernels.push_back(KernelChecker(kernel, linesOfInstructions(kernel, text), context).run());
    }
    return checked;
}

} // namespace sw
