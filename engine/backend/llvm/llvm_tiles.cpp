// Products of tiles, by the instructions of engine/ops/tensor_instructions.def. What only tile instructions touch stays in tile
// registers: LLVM's type x86_amx, and for accumulators a vector of 256 words, which its passes turn into one.

#include "engine/backend/llvm/llvm_types.h"
#include "engine/backend/llvm/llvm_writer.h"

#include "engine/backend/source/kernel_values.h"
#include "engine/lowered/tile_instruction.h"
#include "engine/lowered/type_rules.h"

namespace sw {

namespace {

constexpr std::string_view kTileWords = "<256 x i32>";
constexpr std::uint32_t kTileAlignment = 64;

bool isZero(const Instruction &value)
{
    return value.kind == InstructionKind::Const && value.constants.front().bits() == 0;
}

} // namespace

// A value stands in a tile register where a tile instruction adds to it or makes it, or where it is loaded for nothing else.
void LlvmWriter::findTiles()
{
    const auto shapesOf = [&](const Instruction &wmma) {
        const TileSize size = tileOf(wmma, m_kernel.instructions);
        const auto b = static_cast<std::int64_t>(bytesOf(m_kernel.instruction(wmma.operands[1]).dtype));
        const std::int64_t bytesOfSum = bytesOf(wmma.dtype);
        return std::array<TileShape, 3>{TileShape{size.rows, size.depth * b},
                                        TileShape{size.depth / size.group, size.columns * size.group * b},
                                        TileShape{size.rows, size.columns * bytesOfSum}};
    };
    std::vector<std::uint32_t> uses(m_kernel.instructions.size(), 0);
    std::vector<std::uint32_t> tileUses(m_kernel.instructions.size(), 0);
    for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
        const Instruction &instruction = m_kernel.instructions[i];
        for (const InstructionId used : instruction.operands)
            ++uses[used.value];
        const auto known = instruction.kind == InstructionKind::Wmma
                               ? tensorInstructionFor(m_tensorInstructions, m_kernel, instruction)
                               : std::nullopt;
        if (!known || !hasTileRegisters(infoOf(*known)))
            continue;
        const std::array<TileShape, 3> shapes = shapesOf(instruction);
        m_tiles[InstructionId(i)] = shapes[2];
        for (std::size_t position = 0; position < shapes.size(); ++position) {
            const InstructionId used = instruction.operands[position];
            const Instruction &value = m_kernel.instruction(used);
            const bool isLoaded = value.kind == InstructionKind::Load && !isScattered(value);
            const bool isSum = value.kind == InstructionKind::Acc && position == 2;
            if (isLoaded || isSum)
                m_tiles.try_emplace(used, shapes.at(position));
            tileUses[used.value] += m_tiles.contains(used) && m_tiles[used] == shapes.at(position) ? 1 : 0;
        }
    }
    std::erase_if(m_tiles, [&](const auto &tile) {
        const bool isLoaded = m_kernel.instruction(tile.first).kind == InstructionKind::Load;
        return isLoaded && uses[tile.first.value] != tileUses[tile.first.value];
    });
}

std::string LlvmWriter::tileScratch(InstructionId id)
{
    m_allocations.startInstruction(id);
    const std::string memory = fresh();
    m_allocations.line("{} = alloca [1024 x i8], align {}", memory, kTileAlignment);
    return memory;
}

std::string LlvmWriter::tileLoad(const TileShape &shape, std::string_view address)
{
    return assign("call x86_amx @llvm.x86.tileloadd64.internal(i16 {}, i16 {}, ptr {}, i64 {})", shape.rows, shape.rowBytes,
                  address, shape.rowBytes);
}

void LlvmWriter::tileStore(const TileShape &shape, std::string_view address, std::string_view tile)
{
    m_body.line("call void @llvm.x86.tilestored64.internal(i16 {}, i16 {}, ptr {}, i64 {}, x86_amx {})", shape.rows,
                shape.rowBytes, address, shape.rowBytes, tile);
}

// The operand in a tile register.
std::string LlvmWriter::tileOperand(InstructionId id, const TileShape &shape)
{
    const auto tile = m_tiles.find(id);
    const Instruction &instruction = m_kernel.instruction(id);
    if (tile != m_tiles.end() && tile->second == shape) {
        if (instruction.kind != InstructionKind::Acc)
            return m_values[id.value];
        const std::string words = assign("load {}, ptr {}, align {}", kTileWords, m_values[id.value], kTileAlignment);
        return assign("call x86_amx @llvm.x86.cast.vector.to.tile.v256i32({} {})", kTileWords, words);
    }
    if (isZero(instruction))
        return assign("call x86_amx @llvm.x86.tilezero.internal(i16 {}, i16 {})", shape.rows, shape.rowBytes);
    const Value value = operand(id);
    const std::string memory = tileScratch(id);
    m_body.line("store {} {}, ptr {}, align {}", value.type(), value.text, memory, kTileAlignment);
    return tileLoad(shape, memory);
}

// What stands in a tile register, as the lanes of a vector.
std::string LlvmWriter::fromTile(InstructionId id)
{
    const TileShape shape = m_tiles.at(id);
    const Instruction &instruction = m_kernel.instruction(id);
    const std::string tile = tileOperand(id, shape);
    const std::string memory = tileScratch(id);
    tileStore(shape, memory, tile);
    return assign("load {}, ptr {}, align {}", llvmType(instruction.dtype, instruction.lanes), memory, kTileAlignment);
}

void LlvmWriter::writeTileAssign(const Instruction &assignment)
{
    const InstructionId sums = assignment.operands[0];
    const std::string tile = tileOperand(assignment.operands[1], m_tiles.at(sums));
    const std::string words = assign("call {} @llvm.x86.cast.tile.to.vector.v256i32(x86_amx {})", kTileWords, tile);
    m_body.line("store {} {}, ptr %{}, align {}", kTileWords, words, name(sums), kTileAlignment);
}

Result<Done> LlvmWriter::writeTile(InstructionId id)
{
    const Instruction &wmma = m_kernel.instruction(id);
    const auto known = tensorInstructionFor(m_tensorInstructions, m_kernel, wmma);
    if (!known)
        return notWrittenOut(m_kernel, wmma);
    const TensorInstructionInfo &info = infoOf(*known);
    if (!hasTileRegisters(info)) {
        writeDotProducts(id, info);
        return Done{};
    }
    const TileSize size = tileOf(wmma, m_kernel.instructions);
    const std::int64_t bytes = bytesOf(info.b);
    const TileShape sums = m_tiles.at(id);
    const std::string a = tileOperand(wmma.operands[0], {size.rows, size.depth * bytes});
    const std::string b = tileOperand(wmma.operands[1], {size.depth / size.group, size.columns * size.group * bytes});
    const std::string c = tileOperand(wmma.operands[2], sums);
    define(id, assign("call x86_amx @{}(i16 {}, i16 {}, i16 {}, x86_amx {}, x86_amx {}, x86_amx {})", info.llvm, sums.rows,
                      sums.rowBytes, size.depth * bytes, c, a, b));
    return Done{};
}

// The elements of one row as one number. What is raised is raised in it: the vector units have enough to do.
std::string LlvmWriter::wordOf(InstructionId id)
{
    const Instruction &made = m_kernel.instruction(id);
    if (made.kind == InstructionKind::Alu && made.op == Op::Xor) {
        const std::string left = wordOf(made.operands[0]);
        return assign("xor i32 {}, {}", left, wordOf(made.operands[1]));
    }
    const Value value = operand(id);
    return assign("bitcast {} {} to i32", value.type(), value.text);
}

// One row by 16 columns: the steps of a are the same in each lane.
void LlvmWriter::writeDotProducts(InstructionId id, const TensorInstructionInfo &info)
{
    const Instruction &wmma = m_kernel.instruction(id);
    const Value b = operand(wmma.operands[1]);
    const Value c = operand(wmma.operands[2]);
    const auto broadcastWord = [&](std::string_view word) {
        const std::string first = assign("insertelement <16 x i32> poison, i32 {}, i64 0", word);
        return assign("shufflevector <16 x i32> {}, <16 x i32> poison, <16 x i32> zeroinitializer", first);
    };
    std::string word = wordOf(wmma.operands[0]);
    if (info.isRaised) // the instruction takes u8: a + 128
        word = assign("xor i32 {}, {}", word, static_cast<std::int32_t>(0x80808080U));
    const std::string words = broadcastWord(word);
    const std::string sums = llvmType(wmma.dtype, wmma.lanes);
    const std::string type = info.b == DType::BF16 ? "<32 x bfloat>" : "<64 x i8>";
    const std::string left = assign("bitcast <16 x i32> {} to {}", words, type);
    const std::string right = info.b == DType::BF16 ? assign("bitcast {} {} to {}", b.type(), b.text, type) : b.text;
    std::string made = assign("call {} @{}({} {}, {} {}, {} {})", sums, info.llvm, sums, c.text, type, left, type, right);
    if (info.isRaised) {
        const std::string extra =
            assign("call {} @{}({} zeroinitializer, {} splat (i8 -128), {} {})", sums, info.llvm, sums, type, type, right);
        made = assign("sub {} {}, {}", sums, made, extra);
    }
    define(id, made);
}

} // namespace sw
