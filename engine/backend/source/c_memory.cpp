// Loads and stores in C and OpenCL C.

#include "engine/backend/source/c_writer.h"

namespace sw {

std::string_view CWriter::spaceOf(InstructionId memory) const
{
    if (!isOpenCl())
        return "";
    const InstructionKind kind = m_kernel.instruction(memory).kind;
    if (kind == InstructionKind::DefineGlobal)
        return "__global ";
    return kind == InstructionKind::Local ? "__local " : "";
}

std::string CWriter::address(const Instruction &access)
{
    return format("{} + {}", name(access.operands[0]), operand(access.operands[1]).text);
}

std::string CWriter::vectorPointer(const Instruction &access, std::string_view type, bool isConst) const
{
    return format("({}{}{} *)({} + {})", spaceOf(access.operands[0]), isConst ? "const " : "", type, name(access.operands[0]),
                  operand(access.operands[1]).text);
}

std::string CWriter::loadExpression(const Instruction &load)
{
    if (load.lanes == 1)
        return format("{}[{}]", name(load.operands[0]), operand(load.operands[1]).text);
    // A vector of three elements takes the place of four.
    if (load.isAligned && load.lanes != 3)
        return "*" + vectorPointer(load, m_types.name(load.dtype, load.lanes), true);
    if (isOpenCl())
        return format("vload{}(0, {})", load.lanes, address(load));
    return "*" + vectorPointer(load, m_types.unalignedName(load.dtype, load.lanes), true);
}

void CWriter::writeLoad(InstructionId id)
{
    declare(id, loadExpression(m_kernel.instruction(id)));
}

void CWriter::writeMaskedLoad(InstructionId id)
{
    const Instruction &load = m_kernel.instruction(id);
    const Value valid = operand(load.operands[2]);
    const Value otherwise = operand(load.operands[3]);
    if (valid.lanes == 1) {
        declare(id, format("{} ? {} : {}", valid.text, loadExpression(load), otherwise.text));
        return;
    }
    const std::string type = m_types.name(load.dtype, load.lanes);
    m_helpers.use("sw_masked_load", type, m_types.placeholders(load.dtype, load.lanes));
    if (!isOpenCl()) {
        declare(id, format("sw_masked_load_{}({}, {}, {})", type, address(load), valid.text, otherwise.text));
        return;
    }
    m_body.line("{} {};", type, name(id));
    m_body.line("sw_masked_load_{}({}, {}, {}, {});", type, name(id), address(load), valid.text, otherwise.text);
    m_values[id.value] = name(id);
}

void CWriter::writeStore(InstructionId id)
{
    const Instruction &store = m_kernel.instruction(id);
    const Value value = operand(store.operands[2]);
    if (value.lanes == 1) {
        if (store.hint == MemoryHint::NonTemporal && !isOpenCl())
            m_body.line("__builtin_nontemporal_store({}, {});", value.text, address(store));
        else
            m_body.line("{}[{}] = {};", name(store.operands[0]), operand(store.operands[1]).text, value.text);
        return;
    }
    if (isOpenCl()) {
        if (store.isAligned && value.lanes != 3)
            m_body.line("*{} = {};", vectorPointer(store, m_types.name(value.dtype, value.lanes), false), value.text);
        else
            m_body.line("vstore{}({}, 0, {});", value.lanes, value.text, address(store));
        return;
    }
    const bool isWhole = store.isAligned && value.lanes != 3;
    const std::string type = isWhole ? m_types.name(value.dtype, value.lanes) : m_types.unalignedName(value.dtype, value.lanes);
    const std::string pointer = vectorPointer(store, type, false);
    if (store.hint == MemoryHint::NonTemporal && isWhole)
        m_body.line("__builtin_nontemporal_store({}, {});", value.text, pointer);
    else
        m_body.line("*{} = {};", pointer, value.text);
}

} // namespace sw
