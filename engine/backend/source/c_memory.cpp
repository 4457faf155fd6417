// Loads and stores in C and OpenCL C.

#include "engine/backend/source/c_writer.h"

#include "engine/backend/source/kernel_values.h"

namespace sw {

namespace {

// Each lane is 0 or 1 in a byte.
std::string areAllValid(const std::string &valid, std::uint32_t lanes)
{
    switch (lanes) {
    case 2:
        return format("as_ushort({}) == 0x0101", valid);
    case 4:
        return format("as_uint({}) == 0x01010101U", valid);
    case 8:
        return format("as_ulong({}) == 0x0101010101010101UL", valid);
    case 16:
        return format("(as_ulong2({0}).s0 & as_ulong2({0}).s1) == 0x0101010101010101UL", valid);
    default: // 3
        return format("(({0}).s0 & ({0}).s1 & ({0}).s2) == 1", valid);
    }
}

} // namespace

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

// Each lane's address is written where it is used; only the indices get names here.
void CWriter::writeAddresses(InstructionId id)
{
    const Instruction &addresses = m_kernel.instruction(id);
    std::vector<std::string> &indices = m_addresses[id.value];
    for (std::size_t lane = 1; lane < addresses.operands.size(); ++lane) {
        const InstructionId index = addresses.operands[lane];
        if (m_kernel.instruction(index).kind != InstructionKind::Acc) {
            indices.push_back(operand(index).text);
            continue;
        }
        // An accumulator may change before the address is used.
        indices.push_back(format("{}_{}", name(id), lane - 1));
        m_body.line("const {} {} = {};", m_types.name(DType::I64, 1), indices.back(), operand(index).text);
    }
    m_values[id.value] = name(addresses.operands[0]);
}

std::string CWriter::laneAddress(const Instruction &access, std::uint32_t lane) const
{
    const std::string &own = m_addresses.at(access.operands[0].value).at(lane);
    const InstructionId added = access.operands[1];
    const std::string &memory = m_values[access.operands[0].value];
    if (constantInteger(m_kernel, added) == 0)
        return format("{}[{}]", memory, own);
    return format("{}[{} + {}]", memory, own, operand(added).text);
}

bool CWriter::isScattered(const Instruction &access) const
{
    return m_kernel.instruction(access.operands[0]).kind == InstructionKind::Ptrcat;
}

bool CWriter::isWhole(const Instruction &access, std::uint32_t lanes) const
{
    const bool hasPromise = !isOpenCl() || static_cast<std::int64_t>(lanes) * bytesOf(access.dtype) <= kMemoryAlignment;
    return access.isAligned && lanes != 3 && hasPromise;
}

std::string CWriter::loadExpression(const Instruction &load)
{
    if (isScattered(load)) {
        std::vector<std::string> elements;
        for (std::uint32_t lane = 0; lane < load.lanes; ++lane)
            elements.push_back(laneAddress(load, lane));
        return load.lanes == 1 ? elements[0] : m_types.vectorOf(elements, load.dtype);
    }
    if (load.lanes == 1)
        return format("{}[{}]", name(load.operands[0]), operand(load.operands[1]).text);
    if (isWhole(load, load.lanes))
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
    const PlaceholderText placeholders = m_types.placeholders(load.dtype, load.lanes);
    if (!isOpenCl()) {
        m_helpers.use("sw_masked_load", type, placeholders);
        declare(id, format("sw_masked_load_{}({}, {}, {})", type, address(load), valid.text, otherwise.text));
        return;
    }
    // The address space of the memory is part of a pointer's type.
    const std::string space(spaceOf(load.operands[0]));
    const std::string where = space.empty() ? "private" : space.substr(2, space.size() - 3); // "__global " -> "global"
    m_helpers.use("sw_masked_load", type + where, [&](std::string_view text) {
        return text == "space" ? space : text == "where" ? where : placeholders(text);
    });
    declare(id, format("{} ? vload{}(0, {}) : sw_masked_load_{}_{}({}, {}, {})", areAllValid(valid.text, load.lanes), load.lanes,
                       address(load), where, type, address(load), valid.text, otherwise.text));
}

// C knows no pointer beyond its array, so the address is a number.
void CWriter::writePrefetch(InstructionId id)
{
    const Instruction &prefetch = m_kernel.instruction(id);
    if (isOpenCl()) {
        const std::string type = m_types.name(prefetch.dtype, 1);
        m_helpers.use("sw_prefetch", type, m_types.placeholders(prefetch.dtype, 1));
        m_body.line("sw_prefetch_{}({});", type, address(prefetch));
    } else {
        m_body.line("__builtin_prefetch((const void *)((uintptr_t){} + (uintptr_t)({} * {})));", name(prefetch.operands[0]),
                    operand(prefetch.operands[1]).text, bytesOf(prefetch.dtype));
    }
}

void CWriter::writeStore(InstructionId id)
{
    const Instruction &store = m_kernel.instruction(id);
    const Value value = operand(store.operands[2]);
    if (isScattered(store)) {
        for (std::uint32_t lane = 0; lane < store.lanes; ++lane)
            m_body.line("{} = {};", laneAddress(store, lane), value.lanes == 1 ? value.text : laneOf(value, lane));
        return;
    }
    const bool isOneVector = isWhole(store, value.lanes);
    const bool isStreamed = store.hint == MemoryHint::NonTemporal && (value.lanes == 1 || isOneVector);
    if (isStreamed && spaceOf(store.operands[0]) == "__global ") {
        const std::string type = m_types.name(value.dtype, value.lanes);
        m_helpers.use("sw_stream", type, m_types.placeholders(value.dtype, value.lanes));
        m_body.line("sw_stream_{}({}, {});", type, vectorPointer(store, type, false), value.text);
        return;
    }
    if (value.lanes == 1) {
        if (isStreamed && !isOpenCl())
            m_body.line("__builtin_nontemporal_store({}, {});", value.text, address(store));
        else
            m_body.line("{}[{}] = {};", name(store.operands[0]), operand(store.operands[1]).text, value.text);
        return;
    }
    if (isOpenCl()) {
        if (isOneVector)
            m_body.line("*{} = {};", vectorPointer(store, m_types.name(value.dtype, value.lanes), false), value.text);
        else
            m_body.line("vstore{}({}, 0, {});", value.lanes, value.text, address(store));
        return;
    }
    const std::string type =
        isOneVector ? m_types.name(value.dtype, value.lanes) : m_types.unalignedName(value.dtype, value.lanes);
    const std::string pointer = vectorPointer(store, type, false);
    if (isStreamed)
        m_body.line("__builtin_nontemporal_store({}, {});", value.text, pointer);
    else
        m_body.line("*{} = {};", pointer, value.text);
}

} // namespace sw
