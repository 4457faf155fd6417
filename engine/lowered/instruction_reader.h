#pragma once
// The fields of one instruction in the text of a kernel.

#include "engine/lowered/line_reader.h"
#include "engine/lowered/lowered.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sw {

inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 58; // as of a Shape
inline constexpr std::int64_t kMaxId = Id<KernelTag>::kInvalid;

// The names of a kernel's values so far.
struct LoweredLabels {
    std::unordered_map<std::string, InstructionId> made;
    std::unordered_set<std::string> poisoned; // names from lines that failed
};

// Problems are reported to the line.
class InstructionReader {
public:
    InstructionReader(LineReader &line, Instruction &instruction, const LoweredLabels &labels)
        : m_line(line), m_instruction(instruction), m_labels(labels)
    {
    }

    // Reads what follows the instruction's name; its kind is already set.
    void read();

private:
    void readType();
    std::int64_t readBracketed(std::int64_t low, std::int64_t high);
    void readSpecial();
    void readAccess();
    void readOperandList();
    void readOperand();

    LineReader &m_line;
    Instruction &m_instruction;
    const LoweredLabels &m_labels;
};

void expectWord(LineReader &line, std::string_view wanted);

} // namespace sw
