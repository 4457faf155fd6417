#include "engine/passes/lowered/decompose_tiles.h"

#include "engine/lowered/tile_instruction.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>

namespace sw {

namespace {

class TileWriter {
public:
    TileWriter(LoweredBuilder &builder, const Origin &origin, TileSize size, DType dtype)
        : m_builder(builder), m_origin(origin), m_size(size), m_dtype(dtype)
    {
    }

    // The tile a @ b + c, all of its lanes in one vector.
    InstructionId write(InstructionId a, InstructionId b, InstructionId c)
    {
        std::vector<InstructionId> columns;
        for (std::int64_t k = 0; k < m_size.depth; ++k)
            columns.push_back(m_builder.cast(m_origin, m_dtype, rowOfB(b, k)));
        std::vector<InstructionId> lanes;
        for (std::int64_t row = 0; row < m_size.rows; ++row) {
            InstructionId sum = rowOf(c, row);
            for (std::int64_t k = 0; k < m_size.depth; ++k) {
                const InstructionId element = laneOf(a, row * m_size.depth + k);
                const InstructionId factor = m_builder.broadcast(m_origin, m_builder.cast(m_origin, m_dtype, element), width());
                const InstructionId product = m_builder.alu(m_origin, Op::Mul, {factor, columns[static_cast<std::size_t>(k)]});
                sum = m_builder.alu(m_origin, Op::Add, {sum, product});
            }
            for (std::int64_t column = 0; column < m_size.columns; ++column)
                lanes.push_back(laneOf(sum, column));
        }
        return packed(std::move(lanes));
    }

private:
    [[nodiscard]] std::uint32_t width() const { return static_cast<std::uint32_t>(m_size.columns); }

    InstructionId laneOf(InstructionId vector, std::int64_t lane)
    {
        if (m_builder.at(vector).lanes == 1)
            return vector;
        return m_builder.gep(m_origin, vector, static_cast<std::uint32_t>(lane));
    }

    InstructionId packed(std::vector<InstructionId> lanes)
    {
        return lanes.size() == 1 ? lanes.front() : m_builder.vectorize(m_origin, std::move(lanes));
    }

    InstructionId rowOf(InstructionId tile, std::int64_t row)
    {
        const InstructionId whole = packedRow(tile, row);
        if (whole.isValid())
            return whole;
        std::vector<InstructionId> lanes;
        for (std::int64_t column = 0; column < m_size.columns; ++column)
            lanes.push_back(laneOf(tile, row * m_size.columns + column));
        return packed(std::move(lanes));
    }

    // The rows of b may lie interleaved.
    InstructionId rowOfB(InstructionId tile, std::int64_t row)
    {
        if (m_size.group == 1)
            return rowOf(tile, row);
        std::vector<InstructionId> lanes;
        for (std::int64_t column = 0; column < m_size.columns; ++column)
            lanes.push_back(laneOf(tile, m_size.laneOfB(row, column)));
        return packed(std::move(lanes));
    }

    // The vector whose lanes were packed in order as this row of the tile, if it still has the same value.
    InstructionId packedRow(InstructionId tile, std::int64_t row) const
    {
        const Instruction &packing = m_builder.at(tile);
        if (packing.kind != InstructionKind::Vectorize || packing.operands.size() != packing.lanes)
            return InstructionId();
        const auto laneAt = [&](std::int64_t column) {
            return packing.operands[static_cast<std::size_t>(row * m_size.columns + column)];
        };
        if (m_size.columns == 1)
            return isUnchangedSince(laneAt(0), tile) ? laneAt(0) : InstructionId();
        InstructionId vector;
        for (std::int64_t column = 0; column < m_size.columns; ++column) {
            const Instruction &lane = m_builder.at(laneAt(column));
            if (lane.kind != InstructionKind::Gep || lane.lane != column || (column > 0 && lane.operands[0] != vector))
                return InstructionId();
            vector = lane.operands[0];
        }
        const bool isWhole = m_builder.at(vector).lanes == m_size.columns;
        return isWhole && isUnchangedSince(vector, laneAt(0)) ? vector : InstructionId();
    }

    [[nodiscard]] bool isUnchangedSince(InstructionId value, InstructionId then) const
    {
        if (m_builder.at(value).kind != InstructionKind::Acc)
            return true;
        const std::vector<Instruction> &all = m_builder.kernel().instructions;
        return std::none_of(all.begin() + then.value, all.end(), [&](const Instruction &later) {
            return (later.kind == InstructionKind::Assign && later.operands[0] == value) || opensScope(later.kind);
        });
    }

    LoweredBuilder &m_builder;
    const Origin &m_origin;
    TileSize m_size;
    DType m_dtype;
};

// The device does it with one instruction, and may: where the source's order of the sums counts, its own does not.
bool isOneInstruction(const LoweredKernel &kernel, const Instruction &wmma, const PassContext &context)
{
    if (!context.options().tensorInstructions || (context.options().strict && isFloat(wmma.dtype)))
        return false;
    return tensorInstructionFor(context.device(kernel.device).tensorInstructions, kernel, wmma).has_value();
}

std::optional<LoweredKernel> decomposeTilesOf(const LoweredKernel &kernel, PassContext &context)
{
    const auto isTile = [&](const Instruction &instruction) {
        return instruction.kind == InstructionKind::Wmma && !isOneInstruction(kernel, instruction, context);
    };
    if (std::ranges::none_of(kernel.instructions, isTile))
        return std::nullopt;
    KernelCopier copier(kernel);
    bool changed = false;
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const InstructionId id(i);
        const Instruction &instruction = kernel.instructions[i];
        if (!isTile(instruction) || !context.mayRewrite()) {
            copier.keep(id);
            continue;
        }
        const InstructionId first = copier.next();
        const TileSize size = tileOf(instruction, kernel.instructions);
        TileWriter writer(copier.builder(), instruction.origin, size, instruction.dtype);
        const std::vector<InstructionId> operands = copier.madeOperands(instruction);
        copier.replace(id, writer.write(operands[0], operands[1], operands[2]));
        recordRewrite(context, "tile-as-rows", kernel, id, first, copier.next(),
                      [&] { return format("{} x {} x {} {}", size.rows, size.columns, size.depth, nameOf(instruction.dtype)); });
        changed = true;
    }
    return changed ? std::optional(copier.take()) : std::nullopt;
}

} // namespace

Result<std::optional<LoweredProgram>> decomposeTiles(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &decomposeTilesOf);
}

} // namespace sw
