#include "engine/ops/tensor_instructions.h"

#include "engine/ops/op.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::array kInfos = {
#define SW_TENSOR_INSTRUCTION(name, ...) TensorInstructionInfo{__VA_ARGS__},
#include "engine/ops/tensor_instructions.def"
#undef SW_TENSOR_INSTRUCTION
};

constexpr std::array kAll = {
#define SW_TENSOR_INSTRUCTION(name, ...) TensorInstruction::name,
#include "engine/ops/tensor_instructions.def"
#undef SW_TENSOR_INSTRUCTION
};

static_assert(kAll.size() == kTensorInstructions && kTensorInstructions <= 32, "a set of them has 32 bits");

} // namespace

const TensorInstructionInfo &infoOf(TensorInstruction instruction)
{
    return kInfos.at(indexOf(instruction));
}

double speedupOf(const TensorInstructionInfo &info)
{
    return static_cast<double>(info.rows * info.depth) / (info.cycles * kInstructionsPerCycle);
}

bool multipliesType(std::uint32_t set, DType dtype)
{
    return std::ranges::any_of(allTensorInstructions(), [&](TensorInstruction instruction) {
        const TensorInstructionInfo &info = infoOf(instruction);
        return hasTensorInstruction(set, instruction) && (info.a == dtype || info.b == dtype);
    });
}

std::span<const TensorInstruction> allTensorInstructions()
{
    return kAll;
}

std::optional<TensorInstruction> tensorInstructionNamed(std::string_view name)
{
    const auto found = std::ranges::find(kAll, name, [](TensorInstruction one) { return infoOf(one).name; });
    return found != kAll.end() ? std::optional(*found) : std::nullopt;
}

std::optional<TensorInstruction> tensorInstructionFor(std::uint32_t set, const TensorShape &shape)
{
    std::optional<TensorInstruction> best;
    for (const TensorInstruction one : kAll) {
        const TensorInstructionInfo &info = infoOf(one);
        const bool isSmaller = !best || info.rows * info.depth < infoOf(*best).rows * infoOf(*best).depth;
        const bool isOfTypes = info.a == shape.a && info.b == shape.b && info.sum == shape.sum;
        const bool isOfShape = shape.columns == info.columns && shape.rows <= info.rows && shape.depth <= info.depth &&
                               shape.depth % depthGroupOf(info.b, info.sum) == 0;
        if (hasTensorInstruction(set, one) && isOfTypes && isOfShape && isSmaller)
            best = one;
    }
    return best;
}

} // namespace sw
