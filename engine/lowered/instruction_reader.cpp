#include "engine/lowered/instruction_reader.h"

#include "engine/base/assert.h"
#include "engine/lowered/type_rules.h"

#include <limits>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kMostCopies = 1 << 20;

std::optional<SpecialIndex> specialNamed(std::string_view name)
{
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(SpecialIndex::GroupZ); ++i)
        if (nameOf(static_cast<SpecialIndex>(i)) == name)
            return static_cast<SpecialIndex>(i);
    return std::nullopt;
}

} // namespace

void expectWord(LineReader &line, std::string_view wanted)
{
    const std::string_view found = line.word(quoted(wanted));
    if (!line.hasFailed() && found != wanted)
        line.fail(Code::Syntax, line.lastToken(), format("found {} where {} is expected", quoted(found), quoted(wanted)));
}

void InstructionReader::read()
{
    switch (m_instruction.kind) {
    case InstructionKind::DefineGlobal:
        readType();
        m_instruction.elements = readBracketed(0, kMaxElements);
        expectWord(m_line, "argument");
        m_instruction.argument = static_cast<std::uint32_t>(m_line.number(0, kMaxId));
        m_instruction.isWritten = m_line.takeWord("written");
        return;
    case InstructionKind::Buffer:
    case InstructionKind::Local:
        readType();
        m_instruction.elements = readBracketed(1, kMaxElements);
        return;
    case InstructionKind::Acc:
        readType();
        return;
    case InstructionKind::Const:
        readType();
        m_instruction.constants = {m_line.scalar(m_instruction.dtype)};
        return;
    case InstructionKind::Vconst:
        readType();
        for (std::uint32_t lane = 0; lane < m_instruction.lanes && !m_line.hasFailed(); ++lane) {
            m_line.expect(lane == 0 ? '[' : ',');
            m_instruction.constants.push_back(m_line.scalar(m_instruction.dtype));
        }
        m_line.expect(']');
        return;
    case InstructionKind::Special:
        readSpecial();
        return;
    case InstructionKind::Unroll:
        readOperand();
        expectWord(m_line, "by");
        m_instruction.copies = static_cast<std::uint32_t>(m_line.number(1, kMostCopies));
        return;
    case InstructionKind::Ptrcat:
        readType();
        readOperand();
        m_line.expect('[');
        readOperandList();
        m_line.expect(']');
        return;
    case InstructionKind::Wmma:
        readType();
        readOperandList();
        expectWord(m_line, "rows");
        m_instruction.rows = static_cast<std::uint32_t>(m_line.number(1, kMaxLanes));
        return;
    case InstructionKind::Range:
    case InstructionKind::EndRange:
    case InstructionKind::If:
        readOperand();
        return;
    case InstructionKind::EndIf:
    case InstructionKind::Block:
    case InstructionKind::EndBlock:
    case InstructionKind::Barrier:
    case InstructionKind::Noop:
        return;
    case InstructionKind::Load:
    case InstructionKind::MaskedLoad:
    case InstructionKind::Store:
    case InstructionKind::Prefetch:
        readAccess();
        return;
    case InstructionKind::Custom:
        readType();
        m_instruction.source = m_line.quotedText();
        readOperandList();
        return;
    case InstructionKind::DefineVar:
        readAccess();
        expectWord(m_line, "from");
        m_instruction.low = m_line.number(0, kMaxElements);
        expectWord(m_line, "to");
        m_instruction.high = m_line.number(0, kMaxElements);
        return;
    case InstructionKind::Alu:
    case InstructionKind::Cast:
    case InstructionKind::Bitcast:
    case InstructionKind::Vectorize:
    case InstructionKind::Assign:
        readType();
        readOperandList();
        return;
    case InstructionKind::Gep:
        readType();
        readOperand();
        m_instruction.lane = static_cast<std::uint32_t>(readBracketed(0, kMaxLanes - 1));
        return;
    case InstructionKind::Shuffle:
        readType();
        readOperandList();
        m_line.expect('[');
        do
            m_instruction.constants.push_back(Scalar::of(DType::I64, m_line.number(0, 2 * kMaxLanes - 1)));
        while (!m_line.hasFailed() && m_line.take(','));
        m_line.expect(']');
        return;
    case InstructionKind::IndexCheck:
        readType();
        readOperand();
        expectWord(m_line, "bound");
        m_instruction.bound = m_line.number(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
        expectWord(m_line, "axis");
        m_instruction.axis = static_cast<std::int32_t>(m_line.number(-1, 1 << 20));
        return;
    }
    SW_UNREACHABLE();
}

// "f32" or "f32x16"
void InstructionReader::readType()
{
    const std::string_view text = m_line.word("a type such as f32 or f32x16");
    if (m_line.hasFailed())
        return;
    const std::size_t cross = text.find('x');
    const auto dtype = dtypeNamed(text.substr(0, cross));
    std::uint32_t lanes = 1;
    bool isValid = dtype.has_value();
    if (isValid && cross != std::string_view::npos) {
        const std::string_view digits = text.substr(cross + 1);
        isValid = !digits.empty() && digits.size() <= 3 && digits.front() != '0';
        lanes = 0;
        for (const char digit : digits) {
            isValid = isValid && digit >= '0' && digit <= '9';
            lanes = isValid ? 10 * lanes + static_cast<std::uint32_t>(digit - '0') : 1;
        }
    }
    if (!isValid || lanes > kMaxLanes) {
        m_line.fail(Code::Syntax, m_line.lastToken(), format("{} is not a type such as f32 or f32x16", quoted(text)));
        return;
    }
    m_instruction.dtype = *dtype;
    m_instruction.lanes = lanes;
}

std::int64_t InstructionReader::readBracketed(std::int64_t low, std::int64_t high)
{
    m_line.expect('[');
    const std::int64_t number = m_line.number(low, high);
    m_line.expect(']');
    return number;
}

void InstructionReader::readSpecial()
{
    const std::string_view name = m_line.word("an index such as global_x");
    if (m_line.hasFailed())
        return;
    if (const auto special = specialNamed(name))
        m_instruction.special = *special;
    else
        m_line.fail(Code::UnknownName, m_line.lastToken(), format("{} is not an index such as global_x", quoted(name)));
}

void InstructionReader::readAccess()
{
    readType();
    readOperand();
    m_line.expect('[');
    readOperand();
    m_line.expect(']');
    while (m_line.take(','))
        readOperand();
    m_instruction.isAligned = m_line.takeWord("aligned");
    if (m_line.takeWord("nontemporal"))
        m_instruction.hint = MemoryHint::NonTemporal;
}

void InstructionReader::readOperandList()
{
    do {
        readOperand();
    } while (!m_line.hasFailed() && m_line.take(','));
}

void InstructionReader::readOperand()
{
    const std::string name(m_line.value());
    if (m_line.hasFailed())
        return;
    const auto found = m_labels.made.find(name);
    if (found != m_labels.made.end())
        m_instruction.operands.push_back(found->second);
    else if (m_labels.poisoned.contains(name)) // its own line says what is wrong
        m_line.fail(Code::UnknownName, m_line.lastToken(), {});
    else
        m_line.fail(Code::UnknownName, m_line.lastToken(), format("%{} is not made before it is used here", name));
}

} // namespace sw
