#include "engine/lowered/lowered.h"

#include "engine/base/assert.h"

namespace sw {

namespace {

constexpr std::array kInfos = {
#define SW_INSTRUCTION(kind, ...) InstructionKindInfo{__VA_ARGS__},
#include "engine/lowered/instruction_kinds.def"
#undef SW_INSTRUCTION
};

constexpr std::array kAll = {
#define SW_INSTRUCTION(kind, ...) InstructionKind::kind,
#include "engine/lowered/instruction_kinds.def"
#undef SW_INSTRUCTION
};

} // namespace

const InstructionKindInfo &infoOf(InstructionKind kind)
{
    return kInfos.at(static_cast<std::size_t>(kind));
}

std::span<const InstructionKind> allInstructionKinds()
{
    return kAll;
}

std::vector<std::uint32_t> lanesPickedBy(const Instruction &shuffle)
{
    std::vector<std::uint32_t> lanes;
    for (const Scalar &constant : shuffle.constants)
        lanes.push_back(static_cast<std::uint32_t>(constant.asInt()));
    return lanes;
}

std::string_view nameOf(SpecialIndex index)
{
    switch (index) {
    case SpecialIndex::GlobalX:
        return "global_x";
    case SpecialIndex::GlobalY:
        return "global_y";
    case SpecialIndex::GlobalZ:
        return "global_z";
    case SpecialIndex::LocalX:
        return "local_x";
    case SpecialIndex::LocalY:
        return "local_y";
    case SpecialIndex::LocalZ:
        return "local_z";
    case SpecialIndex::GroupX:
        return "group_x";
    case SpecialIndex::GroupY:
        return "group_y";
    case SpecialIndex::GroupZ:
        return "group_z";
    }
    SW_UNREACHABLE();
}

} // namespace sw
