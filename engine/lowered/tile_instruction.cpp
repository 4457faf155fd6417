#include "engine/lowered/tile_instruction.h"

#include "engine/lowered/type_rules.h"

namespace sw {

TensorShape tensorShapeOf(const LoweredKernel &kernel, const Instruction &wmma)
{
    const TileSize size = tileOf(wmma, kernel.instructions);
    return {.a = kernel.instruction(wmma.operands[0]).dtype,
            .b = kernel.instruction(wmma.operands[1]).dtype,
            .sum = wmma.dtype,
            .rows = size.rows,
            .columns = size.columns,
            .depth = size.depth};
}

std::optional<TensorInstruction> tensorInstructionFor(std::uint32_t set, const LoweredKernel &kernel, const Instruction &wmma)
{
    return tensorInstructionFor(set, tensorShapeOf(kernel, wmma));
}

} // namespace sw
