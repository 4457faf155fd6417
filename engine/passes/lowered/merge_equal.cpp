#include "engine/passes/lowered/merge_equal.h"

#include "engine/base/hash.h"
#include "engine/lowered/same_value.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

namespace {

class Merger {
public:
    Merger(const LoweredKernel &kernel, PassContext &context)
        : m_kernel(kernel), m_context(context), m_copier(kernel), m_versions(kernel.instructions.size()), m_scopes(1)
    {
        findChangesInLoops();
    }

    std::optional<LoweredKernel> run()
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i)
            visit(InstructionId(i));
        return m_changed ? std::optional(m_copier.take()) : std::nullopt;
    }

private:
    struct Made {
        InstructionId from;                  // in the source
        std::vector<InstructionId> operands; // in the new kernel
        std::vector<std::uint32_t> versions;
        InstructionId id; // in the new kernel
    };
    using Scope = std::unordered_multimap<std::uint64_t, Made>;

    // What each loop changes: accumulators that it assigns, memory that it stores to.
    void findChangesInLoops()
    {
        std::vector<InstructionId> open;
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            const Instruction &instruction = m_kernel.instructions[i];
            if (isLoop(instruction.kind))
                open.emplace_back(i);
            else if (instruction.kind == InstructionKind::EndRange)
                open.pop_back();
            else if (instruction.kind == InstructionKind::Assign || instruction.kind == InstructionKind::Store)
                for (const InstructionId loop : open)
                    m_changedIn[loop].push_back(changedBy(instruction));
            else if (instruction.kind == InstructionKind::Barrier)
                for (const InstructionId loop : open)
                    addShared(m_changedIn[loop]);
        }
    }

    // The accumulator or the memory that the instruction changes.
    [[nodiscard]] InstructionId changedBy(const Instruction &instruction) const
    {
        return instruction.kind == InstructionKind::Store ? memoryOf(instruction, m_kernel.instructions)
                                                          : instruction.operands[0];
    }

    // Memory that other work items may write.
    void addShared(std::vector<InstructionId> &out) const
    {
        for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
            const Instruction &instruction = m_kernel.instructions[i];
            const bool isWritten = instruction.kind == InstructionKind::DefineGlobal && instruction.isWritten;
            if (isWritten || instruction.kind == InstructionKind::Local)
                out.emplace_back(i);
        }
    }

    void change(std::span<const InstructionId> changed)
    {
        for (const InstructionId id : changed)
            m_versions[id.value] = ++m_lastVersion;
    }

    void visit(InstructionId id)
    {
        const Instruction &instruction = m_kernel.instruction(id);
        if (valueBasisOf(instruction.kind) != ValueBasis::None) {
            mergeOrKeep(id, instruction);
            return;
        }
        m_copier.keep(id);
        if (opensScope(instruction.kind))
            m_scopes.emplace_back();
        if (closesScope(instruction.kind))
            m_scopes.pop_back();
        if (isLoop(instruction.kind))
            change(m_changedIn[id]);
        if (instruction.kind == InstructionKind::Assign || instruction.kind == InstructionKind::Store) {
            const InstructionId changed = changedBy(instruction);
            change(std::span(&changed, 1));
        }
        if (instruction.kind == InstructionKind::Barrier) {
            std::vector<InstructionId> shared;
            addShared(shared);
            change(shared);
        }
    }

    void mergeOrKeep(InstructionId id, const Instruction &instruction)
    {
        Made made{id, m_copier.madeOperands(instruction), {}, {}};
        made.versions.reserve(instruction.operands.size());
        for (const InstructionId operand : instruction.operands)
            made.versions.push_back(m_versions[operand.value]);
        if (instruction.kind == InstructionKind::Load)
            made.versions.front() = m_versions[memoryOf(instruction, m_kernel.instructions).value];
        if (instruction.kind == InstructionKind::Ptrcat)
            made.versions.front() = 0; // an address stays what it is when the memory changes
        sortOperands(made);
        const std::uint64_t hash = hashOf(made);
        const InstructionId earlier = m_context.mayRewrite() ? find(hash, made) : InstructionId();
        if (!earlier.isValid()) {
            made.id = m_copier.keep(id);
            m_scopes.back().emplace(hash, std::move(made));
            return;
        }
        m_copier.replace(id, earlier);
        m_copier.builder().addOrigin(earlier, instruction.origin);
        m_context.record("equal-value", m_kernel.kernel,
                         [&] { return RewriteDetail{instructionText(instruction), {id.value}, {earlier.value}}; });
        m_changed = true;
    }

    void sortOperands(Made &made) const
    {
        const Instruction &instruction = m_kernel.instruction(made.from);
        if (instruction.kind != InstructionKind::Alu || !has(infoOf(instruction.op).traits, Trait::Commutative))
            return;
        if (made.operands[1] < made.operands[0]) {
            std::swap(made.operands[0], made.operands[1]);
            std::swap(made.versions[0], made.versions[1]);
        }
    }

    [[nodiscard]] std::uint64_t hashOf(const Made &made) const
    {
        const Instruction &instruction = m_kernel.instruction(made.from);
        WordHasher hasher;
        addOperation(hasher, instruction);
        for (const InstructionId operand : made.operands)
            hasher.add(std::uint64_t{operand.value});
        return hasher.value();
    }

    [[nodiscard]] bool isEqual(const Made &a, const Made &b) const
    {
        const Instruction &first = m_kernel.instruction(a.from);
        const Instruction &second = m_kernel.instruction(b.from);
        const bool areToldTogether = valueBasisOf(first.kind) != ValueBasis::Reported || first.origin == second.origin;
        return a.operands == b.operands && a.versions == b.versions && isSameOperation(first, second) && areToldTogether;
    }

    [[nodiscard]] InstructionId find(std::uint64_t hash, const Made &wanted) const
    {
        for (const Scope &scope : m_scopes) {
            const auto [first, last] = scope.equal_range(hash);
            for (auto it = first; it != last; ++it)
                if (isEqual(it->second, wanted))
                    return it->second.id;
        }
        return {};
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    KernelCopier m_copier;
    std::vector<std::uint32_t> m_versions; // by instruction of the source, for accumulators and memory
    std::uint32_t m_lastVersion = 0;
    std::unordered_map<InstructionId, std::vector<InstructionId>> m_changedIn;
    std::vector<Scope> m_scopes;
    bool m_changed = false;
};

std::optional<LoweredKernel> mergeEqualOf(const LoweredKernel &kernel, PassContext &context)
{
    return Merger(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> mergeEqualInstructions(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &mergeEqualOf);
}

} // namespace sw
