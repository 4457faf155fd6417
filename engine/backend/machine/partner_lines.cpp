#include "engine/backend/machine/partner_lines.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kMostRounds = 8; // a chain of instructions without lines gets one link longer in each round

bool isOpen(const MachineInstruction &instruction)
{
    return instruction.sourceLine == 0 && instruction.tag == CodeTag::Compiler;
}

// Walks the code in one direction with, by register unit, the line of its last user.
class Walk {
public:
    Walk(MachineCode &code, std::span<const SourceLine> lines) : m_code(code), m_lines(lines) {}

    // From the end: the line of the instruction that reads a unit next.
    bool backwards()
    {
        bool isChanged = false;
        forget();
        for (std::size_t i = m_code.size(); i-- > 0;) {
            MachineInstruction &one = m_code.instructions[i];
            if (isOpen(one))
                isChanged |= lend(one, one.writes);
            for (const std::uint16_t unit : one.writes)
                m_user[unit] = 0;
            for (const std::uint16_t unit : one.reads)
                m_user[unit] = one.sourceLine;
        }
        return isChanged;
    }
    // From the start: the line of the instruction that wrote a unit last.
    bool forwards()
    {
        bool isChanged = false;
        forget();
        for (MachineInstruction &one : m_code.instructions) {
            if (isOpen(one))
                isChanged |= lend(one, one.reads);
            for (const std::uint16_t unit : one.writes)
                m_user[unit] = one.sourceLine;
        }
        return isChanged;
    }

    // A jump works for what stands before it.
    void jumps()
    {
        std::uint32_t before = 0;
        for (MachineInstruction &one : m_code.instructions) {
            if (isOpen(one) && one.hasTarget() && before != 0)
                take(one, before);
            before = one.sourceLine <= m_lines.size() ? one.sourceLine : 0;
        }
    }

private:
    void take(MachineInstruction &to, std::uint32_t line) const
    {
        to.sourceLine = line;
        to.tag = m_lines[line - 1].tag;
        to.isInferred = true;
    }
    void forget() { m_user.assign(m_code.units.size(), 0); }
    bool lend(MachineInstruction &to, const std::vector<std::uint16_t> &units) const
    {
        for (const std::uint16_t unit : units) {
            const std::uint32_t line = m_user[unit];
            if (line == 0 || line > m_lines.size())
                continue;
            take(to, line);
            return true;
        }
        return false;
    }

    MachineCode &m_code;
    std::span<const SourceLine> m_lines;
    std::vector<std::uint32_t> m_user; // by unit; 0: none
};

} // namespace

void lendPartnerLines(MachineCode &code, std::span<const SourceLine> lines)
{
    Walk walk(code, lines);
    for (std::size_t round = 0; round < kMostRounds && walk.backwards(); ++round) {}
    for (std::size_t round = 0; round < kMostRounds && walk.forwards(); ++round) {}
}

} // namespace sw
