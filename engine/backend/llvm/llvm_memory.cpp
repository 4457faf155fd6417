// Loads, stores and the vectors they move.

#include "engine/backend/llvm/llvm_types.h"
#include "engine/backend/llvm/llvm_writer.h"

#include "engine/backend/source/kernel_values.h"
#include "engine/lowered/type_rules.h"

#include <algorithm>

namespace sw {

std::string LlvmWriter::elementAddress(const Instruction &instruction)
{
    const Instruction &memory = m_kernel.instruction(instruction.operands[0]);
    const Value index = operand(instruction.operands[1]);
    return assign("getelementptr inbounds {}, ptr {}, i64 {}", llvmMemoryType(memory.dtype, 1),
                  m_values[instruction.operands[0].value], cast(index, DType::I64).text);
}

// Computes each lane's address; accesses that use it may add an offset.
void LlvmWriter::writeAddresses(InstructionId id)
{
    const Instruction &addresses = m_kernel.instruction(id);
    for (std::size_t lane = 1; lane < addresses.operands.size(); ++lane)
        m_addresses[id.value].push_back(assign("getelementptr {}, ptr {}, i64 {}", llvmMemoryType(addresses.dtype, 1),
                                               m_values[addresses.operands[0].value], operand(addresses.operands[lane]).text));
    define(id, m_values[addresses.operands[0].value]);
}

std::string LlvmWriter::laneAddress(const Instruction &access, std::uint32_t lane)
{
    const std::string &own = m_addresses.at(access.operands[0].value).at(lane);
    if (constantInteger(m_kernel, access.operands[1]) == 0)
        return own;
    return assign("getelementptr {}, ptr {}, i64 {}", llvmMemoryType(access.dtype, 1), own, operand(access.operands[1]).text);
}

bool LlvmWriter::isScattered(const Instruction &access) const
{
    return m_kernel.instruction(access.operands[0]).kind == InstructionKind::Ptrcat;
}

std::uint32_t LlvmWriter::alignmentOf(const Instruction &instruction) const
{
    const std::uint32_t element = bytesOf(m_kernel.instruction(instruction.operands[0]).dtype);
    const bool isStore = instruction.kind == InstructionKind::Store;
    const std::uint32_t lanes = isStore ? m_kernel.instruction(instruction.operands[2]).lanes : instruction.lanes;
    return instruction.isAligned ? std::min(element * lanes, static_cast<std::uint32_t>(kMemoryAlignment)) : element;
}

// Memory that nothing writes while the kernel runs may be read again at any point.
std::string LlvmWriter::memoryFlags(const Instruction &instruction) const
{
    const Instruction &memory = m_kernel.instruction(memoryOf(instruction, m_kernel.instructions));
    std::string flags;
    if (memory.kind == InstructionKind::DefineGlobal && !memory.isWritten)
        flags += ", !invariant.load !0";
    if (instruction.hint == MemoryHint::NonTemporal)
        flags += ", !nontemporal !1";
    return flags;
}

LlvmWriter::Value LlvmWriter::fromMemory(Value raw)
{
    if (raw.dtype == DType::Bool)
        raw.text = assign("icmp ne {} {}, zeroinitializer", llvmMemoryType(DType::Bool, raw.lanes), raw.text);
    return raw;
}

LlvmWriter::Value LlvmWriter::toMemory(Value value)
{
    if (value.dtype == DType::Bool)
        value.text = assign("zext {} {} to {}", value.type(), value.text, llvmMemoryType(DType::Bool, value.lanes));
    return value;
}

LlvmWriter::Value LlvmWriter::broadcast(Value value, std::uint32_t lanes)
{
    if (value.lanes == lanes)
        return value;
    const std::string type = llvmType(value.dtype, lanes);
    const std::string first = assign("insertelement {} poison, {} {}, i64 0", type, value.type(), value.text);
    value.text = assign("shufflevector {} {}, {} poison, {} zeroinitializer", type, first, type, llvmLanes("i32", lanes));
    value.lanes = lanes;
    return value;
}

void LlvmWriter::writeScatteredLoad(InstructionId id)
{
    const Instruction &load = m_kernel.instruction(id);
    const std::string element = llvmMemoryType(load.dtype, 1);
    const std::string type = llvmMemoryType(load.dtype, load.lanes);
    std::string vector = "poison";
    for (std::uint32_t lane = 0; lane < load.lanes; ++lane) {
        const std::string read =
            assign("load {}, ptr {}, align {}{}", element, laneAddress(load, lane), bytesOf(load.dtype), memoryFlags(load));
        vector = load.lanes == 1 ? read : assign("insertelement {} {}, {} {}, i64 {}", type, vector, element, read, lane);
    }
    defineRegister(id, fromMemory({vector, load.dtype, load.lanes}));
}

void LlvmWriter::writeScatteredStore(const Instruction &store)
{
    const Value raw = toMemory(operand(store.operands[2]));
    const std::string element = llvmMemoryType(store.dtype, 1);
    const std::string type = llvmMemoryType(store.dtype, store.lanes);
    for (std::uint32_t lane = 0; lane < store.lanes; ++lane) {
        const std::string value = store.lanes == 1 ? raw.text : assign("extractelement {} {}, i64 {}", type, raw.text, lane);
        m_body.line("store {} {}, ptr {}, align {}", element, value, laneAddress(store, lane), bytesOf(store.dtype));
    }
}

void LlvmWriter::writeLoad(InstructionId id)
{
    const Instruction &load = m_kernel.instruction(id);
    if (isScattered(load)) {
        writeScatteredLoad(id);
        return;
    }
    const std::string address = elementAddress(load);
    if (isTile(id)) {
        define(id, tileLoad(m_tiles.at(id), address));
        return;
    }
    m_body.line("%{} = load {}, ptr {}, align {}{}", name(id), llvmMemoryType(load.dtype, load.lanes), address, alignmentOf(load),
                memoryFlags(load));
    defineRegister(id, fromMemory({"%" + name(id), load.dtype, load.lanes}));
}

// The address may lie outside of the memory, so it is no inbounds one. The numbers: it is read, it stays in all caches, it is
// data.
void LlvmWriter::writePrefetch(InstructionId id)
{
    const Instruction &prefetch = m_kernel.instruction(id);
    const std::string address =
        assign("getelementptr {}, ptr {}, i64 {}", llvmMemoryType(prefetch.dtype, 1), m_values[prefetch.operands[0].value],
               cast(operand(prefetch.operands[1]), DType::I64).text);
    m_body.line("call void @llvm.prefetch.p0(ptr {}, i32 0, i32 3, i32 1)", address);
}

void LlvmWriter::writeMaskedLoad(InstructionId id)
{
    const Instruction &load = m_kernel.instruction(id);
    const Value valid = operand(load.operands[2]);
    const Value otherwise = toMemory(operand(load.operands[3]));
    const std::string type = llvmMemoryType(load.dtype, load.lanes);
    if (load.lanes == 1) {
        const std::string before = m_block;
        m_body.line("br i1 {}, label %{}.valid, label %{}.end", valid.text, name(id), name(id));
        startBlock(name(id) + ".valid");
        const std::string address = elementAddress(load);
        const std::string read = assign("load {}, ptr {}, align {}{}", type, address, alignmentOf(load), memoryFlags(load));
        m_body.line("br label %{}.end", name(id));
        startBlock(name(id) + ".end");
        m_body.line("%{} = phi {} [ {}, %{}.valid ], [ {}, %{} ]", name(id), type, read, name(id), otherwise.text, before);
    } else {
        const Value mask = broadcast(valid, load.lanes);
        // The address may lie outside the buffer where the mask is false.
        const Instruction &memory = m_kernel.instruction(load.operands[0]);
        const std::string index = cast(operand(load.operands[1]), DType::I64).text;
        const std::string address =
            assign("getelementptr {}, ptr {}, i64 {}", llvmMemoryType(memory.dtype, 1), m_values[load.operands[0].value], index);
        const bool isByte = load.dtype == DType::Bool;
        const std::string shortName = isByte ? llvmShortName(DType::U8, load.lanes) : llvmShortName(load.dtype, load.lanes);
        m_body.line("%{} = call {} @llvm.masked.load.{}.p0(ptr align {} {}, {} {}, {} {})", name(id), type, shortName,
                    alignmentOf(load), address, mask.type(), mask.text, type, otherwise.text);
    }
    defineRegister(id, fromMemory({"%" + name(id), load.dtype, load.lanes}));
}

void LlvmWriter::writeStore(InstructionId id)
{
    const Instruction &store = m_kernel.instruction(id);
    if (isScattered(store)) {
        writeScatteredStore(store);
        return;
    }
    if (isTile(store.operands[2])) {
        const TileShape &shape = m_tiles.at(store.operands[2]);
        const std::string tile = tileOperand(store.operands[2], shape);
        tileStore(shape, elementAddress(store), tile);
        return;
    }
    const Value value = operand(store.operands[2]);
    const std::string address = elementAddress(store);
    const Value raw = toMemory(value);
    m_body.line("store {} {}, ptr {}, align {}{}", llvmMemoryType(raw.dtype, raw.lanes), raw.text, address, alignmentOf(store),
                store.hint == MemoryHint::NonTemporal ? ", !nontemporal !1" : "");
}

// Lanes of three or four vectors: LLVM finds the shuffle of two by itself, and makes a chain of single lanes of more.
bool LlvmWriter::writeShuffle(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    std::vector<InstructionId> sources;
    std::vector<std::uint32_t> lanes;
    for (const InstructionId lane : instruction.operands) {
        const Instruction &taken = m_kernel.instruction(lane);
        if (taken.kind != InstructionKind::Gep)
            return false;
        const InstructionId from = taken.operands[0];
        const Instruction &source = m_kernel.instruction(from);
        // What an accumulator held when the lane was taken is gone.
        if (source.kind == InstructionKind::Acc || isTile(from))
            return false;
        auto known = std::ranges::find(sources, from);
        if (known == sources.end())
            known = sources.insert(known, from);
        if (sources.size() > 4 || source.lanes != m_kernel.instruction(sources.front()).lanes)
            return false;
        lanes.push_back(static_cast<std::uint32_t>(known - sources.begin()) * source.lanes + taken.lane);
    }
    if (sources.size() < 3)
        return false;
    const std::uint32_t count = m_kernel.instruction(sources.front()).lanes;
    const std::string type = llvmType(instruction.dtype, count);
    const auto mask = [](const std::vector<std::uint32_t> &taken) {
        return format("<{} x i32> <{}>", taken.size(),
                      join(taken, ", ", [](std::uint32_t lane) { return format("i32 {}", lane); }));
    };
    std::vector<std::uint32_t> both;
    for (std::uint32_t lane = 0; lane < 2 * count; ++lane)
        both.push_back(lane);
    const auto pairOf = [&](InstructionId first, InstructionId second) {
        return assign("shufflevector {} {}, {} {}, {}", type, operand(first).text, type, operand(second).text, mask(both));
    };
    const std::string low = pairOf(sources[0], sources[1]);
    const std::string high = pairOf(sources[2], sources.back());
    const std::string wide = llvmType(instruction.dtype, 2 * count);
    define(id, assign("shufflevector {} {}, {} {}, {}", wide, low, wide, high, mask(lanes)));
    return true;
}

} // namespace sw
