#include "engine/backend/llvm/llvm_writer.h"

#include "engine/backend/llvm/llvm_types.h"
#include "engine/backend/source/kernel_values.h"
#include "engine/lowered/type_rules.h"

namespace sw {

namespace {

constexpr std::uint32_t kScratchAlignment = 64;

} // namespace

LlvmWriter::LlvmWriter(const LoweredKernel &kernel, const PreludeTemplates &prelude, const DeviceInfo &device)
    : m_kernel(kernel),
      m_tensorInstructions(device.tensorInstructions),
      m_hasF16(device.hasF16),
      m_helpers(prelude),
      m_names(generatedNames(kernel)),
      m_values(kernel.instructions.size())
{
    m_allocations.indent();
    m_body.indent();
    findTiles();
}

Result<Done> LlvmWriter::writeAll()
{
    for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
        m_body.startInstruction(InstructionId(i));
        SW_CHECK(write(InstructionId(i)));
    }
    SW_ASSERT(m_open.empty(), "every loop and if to be closed");
    m_body.startFrame();
    m_body.line("ret void");
    return Done{};
}

Result<Done> LlvmWriter::write(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    switch (instruction.kind) {
    case InstructionKind::DefineGlobal:
        define(id, "%" + name(id));
        return Done{};
    case InstructionKind::Buffer:
    case InstructionKind::Local:
    case InstructionKind::Acc:
        writeAllocation(id);
        return Done{};
    case InstructionKind::Const:
        define(id, llvmConstant(instruction.constants.at(0), instruction.lanes));
        return Done{};
    case InstructionKind::Vconst:
        define(id,
               instruction.lanes == 1 ? llvmConstant(instruction.constants.at(0), 1) : llvmVectorConstant(instruction.constants));
        return Done{};
    case InstructionKind::Special:
        return writeSpecial(id);
    case InstructionKind::Range:
    case InstructionKind::Unroll:
        writeRange(id);
        return Done{};
    case InstructionKind::EndRange:
        writeEndRange(instruction);
        return Done{};
    case InstructionKind::If:
        writeIf(id);
        return Done{};
    case InstructionKind::EndIf:
        writeEndIf();
        return Done{};
    case InstructionKind::Block:
        m_body.line("; {}", commentText(instruction.name));
        return Done{};
    case InstructionKind::Wmma:
        return writeTile(id);
    case InstructionKind::Ptrcat:
        writeAddresses(id);
        return Done{};
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier: // a group of one work item has nothing to wait for
    case InstructionKind::Noop:
        return Done{};
    case InstructionKind::Load:
    case InstructionKind::DefineVar:
        writeLoad(id);
        return Done{};
    case InstructionKind::MaskedLoad:
        writeMaskedLoad(id);
        return Done{};
    case InstructionKind::Prefetch:
        writePrefetch(id);
        return Done{};
    case InstructionKind::Store:
        writeStore(id);
        return Done{};
    case InstructionKind::Alu:
        return writeAlu(id);
    case InstructionKind::Custom:
        return writeCustom(id);
    case InstructionKind::Cast:
        defineRegister(id, cast(operand(instruction.operands[0]), instruction.dtype));
        return Done{};
    case InstructionKind::Bitcast:
        defineRegister(id, bitcast(operand(instruction.operands[0]), instruction.dtype));
        return Done{};
    case InstructionKind::Vectorize:
        writeVectorize(id);
        return Done{};
    case InstructionKind::Gep: {
        const Value from = operand(instruction.operands[0]);
        m_body.line("%{} = extractelement {} {}, i64 {}", name(id), from.type(), from.text, instruction.lane);
        define(id, "%" + name(id));
        return Done{};
    }
    case InstructionKind::Shuffle: {
        const Value a = operand(instruction.operands[0]);
        const Value b = operand(instruction.operands[1]);
        const std::string lanes =
            join(lanesPickedBy(instruction), ", ", [](std::uint32_t lane) { return format("i32 {}", lane); });
        m_body.line("%{} = shufflevector {} {}, {} {}, <{} x i32> <{}>", name(id), a.type(), a.text, b.type(), b.text,
                    instruction.lanes, lanes);
        define(id, "%" + name(id));
        return Done{};
    }
    case InstructionKind::Assign: {
        if (isTile(instruction.operands[0])) {
            writeTileAssign(instruction);
            return Done{};
        }
        const Value value = operand(instruction.operands[1]);
        m_body.line("store {} {}, ptr %{}, align {}", value.type(), value.text, name(instruction.operands[0]), kScratchAlignment);
        return Done{};
    }
    case InstructionKind::IndexCheck:
        return writeIndexCheck(id);
    }
    SW_UNREACHABLE();
}

void LlvmWriter::writeAllocation(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    const std::string type = instruction.kind == InstructionKind::Acc
                                 ? (isTile(id) ? std::string("<256 x i32>") : llvmType(instruction.dtype, instruction.lanes))
                                 : format("[{} x {}]", instruction.elements, llvmMemoryType(instruction.dtype, 1));
    m_allocations.startInstruction(id);
    m_allocations.line("%{} = alloca {}, align {}", name(id), type, kScratchAlignment);
    define(id, "%" + name(id));
}

Result<Done> LlvmWriter::writeSpecial(InstructionId id)
{
    const auto axis = static_cast<std::size_t>(m_kernel.instruction(id).special) % 3;
    const std::string global = format("%g{}", "xyz"[axis]);
    const std::int64_t size = m_kernel.localSize[axis];
    switch (m_kernel.instruction(id).special) {
    case SpecialIndex::GlobalX:
    case SpecialIndex::GlobalY:
    case SpecialIndex::GlobalZ:
        define(id, global);
        return Done{};
    case SpecialIndex::LocalX:
    case SpecialIndex::LocalY:
    case SpecialIndex::LocalZ:
        define(id, size == 1 ? "0" : assign("urem i64 {}, {}", global, size));
        return Done{};
    case SpecialIndex::GroupX:
    case SpecialIndex::GroupY:
    case SpecialIndex::GroupZ:
        define(id, size == 1 ? global : assign("udiv i64 {}, {}", global, size));
        return Done{};
    }
    SW_UNREACHABLE();
}

// The loop test is at the end of the body, so that loop-invariant code can be hoisted without another pass.
void LlvmWriter::writeRange(InstructionId id)
{
    const InstructionId bound = m_kernel.instruction(id).operands[0];
    const auto constant = constantInteger(m_kernel, bound);
    const Value count = operand(bound);
    const std::string &own = name(id);
    if (constant && *constant > 0) {
        m_body.line("br label %{}.body", own);
    } else {
        const std::string isRun = assign("icmp sgt i64 {}, 0", count.text);
        m_body.line("br i1 {}, label %{}.body, label %{}.done", isRun, own, own);
    }
    m_open.push_back({id, m_block});
    startBlock(own + ".body");
    m_body.line("%{} = phi i64 [ 0, %{} ], [ %{}.next, %{}.latch ]", own, m_open.back().entryLabel, own, own);
    define(id, "%" + own);
}

void LlvmWriter::writeEndRange(const Instruction &instruction)
{
    SW_ASSERT(!m_open.empty() && m_open.back().opener == instruction.operands[0], "the innermost loop to be closed first");
    const InstructionId opener = instruction.operands[0];
    const Instruction &range = m_kernel.instruction(opener);
    const std::string &own = name(opener);
    m_body.line("br label %{}.latch", own);
    startBlock(own + ".latch");
    m_body.line("%{}.next = add nuw nsw i64 %{}, 1", own, own);
    m_body.line("%{}.more = icmp slt i64 %{}.next, {}", own, own, operand(range.operands[0]).text);
    std::string metadata;
    if (range.kind == InstructionKind::Unroll) {
        m_loopMetadata.push_back(format("{}", range.copies));
        metadata = format(", !llvm.loop !{}", m_loopMetadata.size() + 1);
    }
    m_body.line("br i1 %{}.more, label %{}.body, label %{}.done{}", own, own, own, metadata);
    startBlock(own + ".done");
    m_open.pop_back();
}

void LlvmWriter::writeIf(InstructionId id)
{
    const Value condition = operand(m_kernel.instruction(id).operands[0]);
    m_body.line("br i1 {}, label %{}.then, label %{}.end", condition.text, name(id), name(id));
    m_open.push_back({id, m_block});
    startBlock(name(id) + ".then");
}

void LlvmWriter::writeEndIf()
{
    SW_ASSERT(!m_open.empty() && m_kernel.instruction(m_open.back().opener).kind == InstructionKind::If, "an open if");
    const std::string label = name(m_open.back().opener) + ".end";
    m_body.line("br label %{}", label);
    startBlock(label);
    m_open.pop_back();
}

Result<Done> LlvmWriter::writeAlu(InstructionId id)
{
    const Instruction &alu = m_kernel.instruction(id);
    std::vector<Value> values;
    for (const InstructionId input : alu.operands)
        values.push_back(operand(input));
    const DType operandType = values.at(firstTypedOperand(alu.op)).dtype;
    const DType computed = computeTypeOf(alu.op, operandType, m_hasF16);
    const std::string_view spelling = aluSpelling(m_kernel, alu, TargetLanguage::Llvm, operandType);
    if (spelling.empty())
        return Diagnostic::error(Code::UnsupportedOperator, {}, "{} on {} has no LLVM IR form and was not decomposed",
                                 nameOf(alu.op), nameOf(operandType));
    for (Value &value : values)
        if (value.dtype == operandType)
            value = cast(value, computed);

    const PlaceholderText types = llvmPlaceholders(computed, alu.lanes);
    for (const std::string_view helper : helpersIn(spelling))
        m_helpers.use(helper, llvmType(computed, alu.lanes), types);
    const std::string text = substituted(spelling, [&](std::string_view placeholder) {
        if (placeholder.size() == 1 && placeholder[0] >= '0' && placeholder[0] <= '2')
            return values.at(static_cast<std::size_t>(placeholder[0] - '0')).text;
        return placeholder == "B" ? values[0].type() : types(placeholder);
    });
    const DType made = resultType(alu.op, computed);
    if (resultType(alu.op, operandType) == made) {
        m_body.line("%{} = {}", name(id), text);
        define(id, "%" + name(id));
    } else {
        defineRegister(id, cast({assign("{}", text), made, alu.lanes}, operandType));
    }
    return Done{};
}

void LlvmWriter::writeVectorize(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    if (instruction.operands.size() == 1) {
        defineRegister(id, broadcast(operand(instruction.operands[0]), instruction.lanes));
        return;
    }
    if (writeShuffle(id))
        return;
    std::string vector = "poison";
    const std::string type = llvmType(instruction.dtype, instruction.lanes);
    for (std::size_t lane = 0; lane < instruction.operands.size(); ++lane) {
        const Value value = operand(instruction.operands[lane]);
        vector = assign("insertelement {} {}, {} {}, i64 {}", type, vector, value.type(), value.text, lane);
    }
    define(id, vector);
}

Result<Done> LlvmWriter::writeIndexCheck(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    const Value index = cast(operand(instruction.operands[0]), DType::I64);
    if (index.lanes != 1)
        return Diagnostic::error(Code::Unsupported, {}, "index_check takes one index, found {} lanes", index.lanes);
    m_helpers.use("sw_index_fault", "", llvmPlaceholders(DType::I64, 1));
    const std::string &own = name(id);
    m_body.line("%{} = icmp ult i64 {}, {}", own, index.text, instruction.bound);
    m_body.line("br i1 %{}, label %{}.end, label %{}.fault", own, own, own);
    startBlock(own + ".fault");
    m_body.line("call void @sw_index_fault(ptr %faults, i64 {}, i64 {})", m_nextCheck++, index.text);
    m_body.line("br label %{}.end", own);
    startBlock(own + ".end");
    define(id, "%" + own);
    return Done{};
}

Result<Done> LlvmWriter::writeCustom(InstructionId id)
{
    std::vector<std::string> operands;
    for (const InstructionId input : m_kernel.instruction(id).operands)
        operands.push_back(operand(input).text);
    SW_TRY(const std::string text, customExpression(m_kernel.instruction(id), operands));
    m_body.line("%{} = {}", name(id), text);
    define(id, "%" + name(id));
    return Done{};
}

LlvmWriter::Value LlvmWriter::operand(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    Value value{m_values[id.value], instruction.dtype, instruction.lanes};
    SW_ASSERT(!value.text.empty(), format("instruction {} to make a value before it is used", id.value));
    if (isTile(id))
        value.text = fromTile(id);
    else if (instruction.kind == InstructionKind::Acc)
        value.text = assign("load {}, ptr {}, align {}", value.type(), value.text, kScratchAlignment);
    return value;
}

void LlvmWriter::defineRegister(InstructionId id, const Value &value)
{
    define(id, value.text);
}

std::string LlvmWriter::fresh()
{
    return format("%t.{}", m_nextTemporary++);
}

void LlvmWriter::startBlock(std::string label)
{
    m_body.outdent();
    m_body.line("{}:", label);
    m_body.indent();
    m_block = std::move(label);
}

std::string LlvmWriter::Value::type() const
{
    return llvmType(dtype, lanes);
}

} // namespace sw
