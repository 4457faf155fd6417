#include "tests/support/decomposed.h"

#include "engine/lowered/builder.h"
#include "engine/passes/lowered/decompose.h"

namespace sw::test {

namespace {

constexpr std::uint32_t kLanes = 64;

LoweredKernel elementwiseKernel(Op op, DType dtype, std::optional<double> last)
{
    const Origin origin(SourceId(0U));
    LoweredBuilder builder({.kernel = KernelId(0U),
                            .name = "k",
                            .symbol = "k",
                            .instructions = {},
                            .arguments = {},
                            .globalSize = {1, 1, 1},
                            .localSize = {1, 1, 1},
                            .origin = origin});
    const auto elements = static_cast<std::int64_t>(DecomposedOp::kBatch);
    std::vector<InstructionId> operands;
    for (std::uint32_t i = 0; i < arityOf(op) - (last ? 1 : 0); ++i)
        operands.push_back(builder.defineGlobal(origin, {BufferId(i), dtype, elements, false, format("x{}", i)}));
    const auto result = builder.defineGlobal(origin, {BufferId(3U), resultType(op, dtype), elements, true, "y"});
    const auto i = builder.beginRange(origin, elements / kLanes, "i");
    const auto at = builder.alu(origin, Op::Mul, {i, builder.index(origin, kLanes)});
    for (InstructionId &operand : operands)
        operand = builder.load(origin, operand, at, kLanes);
    if (last)
        operands.push_back(builder.constant(origin, Scalar::of(dtype, *last), kLanes));
    builder.store(origin, result, at, builder.alu(origin, op, operands));
    builder.endRange(origin);
    return builder.take();
}

LoweredKernel decomposed(Op op, DType dtype, TargetLanguage language, std::optional<double> last)
{
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, language, options, {});
    LoweredProgram program{nullptr, {elementwiseKernel(op, dtype, last)}};
    auto rewritten = decompose(program, context).value();
    return rewritten ? std::move(rewritten->kernels.front()) : std::move(program.kernels.front());
}

bool isOperation(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Alu || instruction.kind == InstructionKind::Cast;
}

} // namespace

DecomposedOp::DecomposedOp(Op op, DType dtype, TargetLanguage language, std::optional<double> last)
    : m_kernel(decomposed(op, dtype, language, last)), m_prepared(PreparedKernel::prepare(m_kernel).value())
{
    bool isRare = false;
    for (const Instruction &instruction : m_kernel.instructions) {
        isRare = (isRare || instruction.kind == InstructionKind::If) && instruction.kind != InstructionKind::EndIf;
        const bool isLaneTest = instruction.lanes == 1;
        m_operations += isOperation(instruction) && !isRare && !isLaneTest ? 1 : 0;
    }
}

void DecomposedOp::runBatch(std::vector<std::span<std::byte>> buffers) const
{
    InterpretRequest request;
    request.buffers = std::move(buffers);
    const auto faults = m_prepared.run(request);
    SW_ASSERT(faults.has_value(), "a kernel that runs");
}

} // namespace sw::test
