#include "engine/backend/source/c_writer.h"

#include "engine/backend/source/kernel_values.h"

#include <algorithm>
#include <array>

namespace sw {

CWriter::CWriter(const LoweredKernel &kernel, TargetLanguage language, const PreludeTemplates &prelude)
    : m_kernel(kernel),
      m_language(language),
      m_types(language),
      m_helpers(prelude),
      m_names(generatedNames(kernel)),
      m_values(kernel.instructions.size())
{
    m_body.indent();
}

std::vector<std::string> CWriter::parameters()
{
    std::vector<std::string> found(m_kernel.arguments.size());
    for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
        const Instruction &instruction = m_kernel.instructions[i];
        if (instruction.kind != InstructionKind::DefineGlobal)
            continue;
        found.at(instruction.argument) =
            format("{}{}{} *restrict {}", isOpenCl() ? "__global " : "", instruction.isWritten ? "" : "const ",
                   m_types.name(instruction.dtype, 1), m_names[i]);
    }
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].empty())
            found[i] = format("{}void *{}", isOpenCl() ? "__global " : "", argumentNames(m_kernel)[i]);
    return found;
}

Result<Done> CWriter::writeAll()
{
    for (std::size_t i = 0; i < m_kernel.instructions.size(); ++i) {
        m_body.startInstruction(InstructionId(i));
        SW_CHECK(write(InstructionId(i)));
    }
    return Done{};
}

Result<Done> CWriter::write(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    switch (instruction.kind) {
    case InstructionKind::DefineGlobal:
        m_values[id.value] = name(id);
        return Done{};
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        writeMemory(id);
        return Done{};
    case InstructionKind::Acc:
        m_body.line("{} {};", m_types.name(instruction.dtype, instruction.lanes), name(id));
        m_values[id.value] = name(id);
        return Done{};
    case InstructionKind::Const:
        m_values[id.value] = m_types.constant(instruction.constants.at(0), instruction.lanes);
        return Done{};
    case InstructionKind::Vconst: {
        std::vector<std::string> elements;
        for (const Scalar &value : instruction.constants)
            elements.push_back(m_types.constant(value, 1));
        m_values[id.value] = elements.size() == 1 ? elements[0] : m_types.vectorOf(elements, instruction.dtype);
        return Done{};
    }
    case InstructionKind::Special:
        writeSpecial(id);
        return Done{};
    case InstructionKind::Range:
    case InstructionKind::Unroll:
        writeRange(id);
        return Done{};
    case InstructionKind::Block:
        m_body.line("// {}", commentText(instruction.name));
        return Done{};
    case InstructionKind::If:
        m_body.line("if ({}) {{", operand(instruction.operands[0]).text);
        m_body.indent();
        return Done{};
    case InstructionKind::EndRange:
    case InstructionKind::EndIf:
        m_body.outdent();
        m_body.line("}");
        return Done{};
    case InstructionKind::Barrier:
        if (isOpenCl())
            m_body.line("barrier(CLK_LOCAL_MEM_FENCE);");
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
        declare(id, cast(operand(instruction.operands[0]), instruction.dtype).text);
        return Done{};
    case InstructionKind::Bitcast: {
        const Value from = operand(instruction.operands[0]);
        declare(id, m_types.reinterpreted(from.text, from.dtype, instruction.dtype, from.lanes));
        return Done{};
    }
    case InstructionKind::Vectorize:
        writeVectorize(id);
        return Done{};
    case InstructionKind::Gep:
        writeGep(id);
        return Done{};
    case InstructionKind::Shuffle:
        writeShuffle(id);
        return Done{};
    case InstructionKind::Assign:
        m_body.line("{} = {};", name(instruction.operands[0]), operand(instruction.operands[1]).text);
        return Done{};
    case InstructionKind::IndexCheck:
        writeIndexCheck(id);
        return Done{};
    case InstructionKind::Wmma:
        return notWrittenOut(m_kernel, instruction);
    case InstructionKind::Ptrcat:
        writeAddresses(id);
        return Done{};
    case InstructionKind::EndBlock:
    case InstructionKind::Noop:
        return Done{};
    }
    SW_UNREACHABLE();
}

void CWriter::writeMemory(InstructionId id)
{
    const Instruction &memory = m_kernel.instruction(id);
    const bool isShared = isOpenCl() && memory.kind == InstructionKind::Local;
    m_body.line("{}{} {}[{}] __attribute__((aligned(64)));", isShared ? "__local " : "", m_types.name(memory.dtype, 1), name(id),
                std::max<std::int64_t>(memory.elements, 1));
    m_values[id.value] = name(id);
}

void CWriter::writeSpecial(InstructionId id)
{
    const SpecialIndex special = m_kernel.instruction(id).special;
    const auto axis = static_cast<std::size_t>(special) % 3;
    if (isOpenCl()) {
        constexpr std::array<std::string_view, 3> kFunctions = {"get_global_id", "get_local_id", "get_group_id"};
        declare(id, format("(long){}({})", kFunctions[static_cast<std::size_t>(special) / 3], axis));
        return;
    }
    const std::string global = format("g{}", "xyz"[axis]);
    const std::int64_t size = m_kernel.localSize[axis];
    switch (special) {
    case SpecialIndex::GlobalX:
    case SpecialIndex::GlobalY:
    case SpecialIndex::GlobalZ:
        m_values[id.value] = global;
        return;
    case SpecialIndex::LocalX:
    case SpecialIndex::LocalY:
    case SpecialIndex::LocalZ:
        declare(id, size == 1 ? "0" : format("{} % {}", global, size));
        return;
    case SpecialIndex::GroupX:
    case SpecialIndex::GroupY:
    case SpecialIndex::GroupZ:
        declare(id, size == 1 ? global : format("{} / {}", global, size));
        return;
    }
    SW_UNREACHABLE();
}

void CWriter::writeRange(InstructionId id)
{
    const Instruction &range = m_kernel.instruction(id);
    if (range.kind == InstructionKind::Unroll)
        m_body.line("#pragma unroll {}", range.copies);
    m_body.line("for ({} {} = 0; {} < {}; ++{}) {{", m_types.name(DType::I64, 1), name(id), name(id),
                operand(range.operands[0]).text, name(id));
    m_body.indent();
    m_values[id.value] = name(id);
}

Result<Done> CWriter::writeAlu(InstructionId id)
{
    const Instruction &alu = m_kernel.instruction(id);
    std::vector<Value> values;
    for (const InstructionId input : alu.operands)
        values.push_back(operand(input));
    const DType operandType = values.at(firstTypedOperand(alu.op)).dtype;
    const DType computed = computeType(operandType);
    const std::string_view spelling = aluSpelling(m_kernel, alu, m_language, operandType);
    if (spelling.empty())
        return Diagnostic::error(Code::UnsupportedOperator, {}, "{} on {} has no {} form and was not decomposed", nameOf(alu.op),
                                 nameOf(operandType), isOpenCl() ? "OpenCL C" : "C");
    for (Value &value : values)
        if (value.dtype == operandType)
            value = cast(value, computed);

    const PlaceholderText types = m_types.placeholders(computed, alu.lanes);
    for (const std::string_view helper : helpersIn(spelling))
        m_helpers.use(helper, cTypeName(computed, alu.lanes), types);
    const std::string text = substituted(spelling, [&](std::string_view placeholder) {
        if (placeholder.size() == 1 && placeholder[0] >= '0' && placeholder[0] <= '2')
            return values.at(static_cast<std::size_t>(placeholder[0] - '0')).text;
        return types(placeholder);
    });
    const bool isRounded = resultType(alu.op, operandType) != resultType(alu.op, computed);
    declare(id, isRounded ? cast({text, computed, alu.lanes}, operandType).text : text);
    return Done{};
}

Result<Done> CWriter::writeCustom(InstructionId id)
{
    std::vector<std::string> operands;
    for (const InstructionId input : m_kernel.instruction(id).operands)
        operands.push_back(operand(input).text);
    SW_TRY(const std::string text, customExpression(m_kernel.instruction(id), operands));
    declare(id, text);
    return Done{};
}

void CWriter::writeVectorize(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    if (instruction.operands.size() == 1) {
        const std::string text = operand(instruction.operands[0]).text;
        declare(id, format("({})({})", m_types.name(instruction.dtype, instruction.lanes), text));
        return;
    }
    std::vector<std::string> elements;
    for (const InstructionId element : instruction.operands)
        elements.push_back(operand(element).text);
    declare(id, m_types.vectorOf(elements, instruction.dtype));
}

void CWriter::writeGep(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    declare(id, laneOf(operand(instruction.operands[0]), instruction.lane));
}

// The compiler makes shuffles of the machine of it.
void CWriter::writeShuffle(InstructionId id)
{
    const Instruction &instruction = m_kernel.instruction(id);
    const std::array<Value, 2> from{operand(instruction.operands[0]), operand(instruction.operands[1])};
    std::vector<std::string> elements;
    for (const std::uint32_t lane : lanesPickedBy(instruction))
        elements.push_back(laneOf(from.at(lane / from[0].lanes), lane % from[0].lanes));
    declare(id, m_types.vectorOf(elements, instruction.dtype));
}

std::string CWriter::laneOf(const Value &vector, std::int64_t lane)
{
    // Lanes have names only in vectors of up to sixteen lanes.
    const bool isCast = vector.text.starts_with('('); // a constant: the lane would be taken before the cast
    const std::string text = isCast ? format("({})", vector.text) : vector.text;
    return vector.lanes <= 16 ? format("{}.s{:x}", text, lane) : format("{}[{}]", text, lane);
}

void CWriter::writeIndexCheck(InstructionId id)
{
    const Instruction &check = m_kernel.instruction(id);
    m_helpers.use("sw_index_check", "", m_types.placeholders(DType::I64, 1));
    declare(id, format("sw_index_check({}, {}, faults + {})", operand(check.operands[0]).text, check.bound, 2 * m_nextCheck++));
}

CWriter::Value CWriter::operand(InstructionId id) const
{
    const Instruction &instruction = m_kernel.instruction(id);
    SW_ASSERT(!m_values[id.value].empty(), format("instruction {} to make a value before it is used", id.value));
    return {m_values[id.value], instruction.dtype, instruction.lanes};
}

void CWriter::declare(InstructionId id, std::string_view expression)
{
    const Instruction &instruction = m_kernel.instruction(id);
    m_body.line("const {} {} = {};", m_types.name(instruction.dtype, instruction.lanes), name(id), expression);
    m_values[id.value] = name(id);
}

} // namespace sw
