#include "engine/backend/llvm/constant_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace sw {

namespace {

// A constant is made close to its use: before the loop nest that reads it.
constexpr std::size_t kMaxDistance = 256;

// One name for all the widths of a register: "zmm3" and "xmm3" are "mm3", "eax" and "rax" are "ax", "r9d" is "r9".
std::string familyOf(std::string_view name)
{
    if (name.size() > 3 && name.substr(1, 2) == "mm")
        return std::string(name.substr(1));
    if (name.size() == 3 && (name.front() == 'r' || name.front() == 'e') &&
        std::isdigit(static_cast<unsigned char>(name[1])) == 0)
        return std::string(name.substr(1));
    if (name.size() > 2 && name.front() == 'r' && (name.back() == 'd' || name.back() == 'w' || name.back() == 'b'))
        return std::string(name.substr(0, name.size() - 1));
    return std::string(name);
}

bool isWordCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// The words of the operands, in order.
std::vector<std::string> operandFamilies(std::string_view text)
{
    std::vector<std::string> families;
    std::size_t at = std::min(text.find(' '), text.size());
    while (at < text.size()) {
        const std::size_t begin = at;
        while (at < text.size() && isWordCharacter(text[at]))
            ++at;
        if (at > begin)
            families.push_back(familyOf(text.substr(begin, at - begin)));
        else
            ++at;
    }
    return families;
}

bool isPadding(std::string_view text)
{
    return text.starts_with("nop") || text.starts_with("int3") || text.find(" nop") != std::string_view::npos;
}

// After a jump, even a conditional one, it is not certain what runs next.
bool endsFlow(std::string_view text)
{
    return text.starts_with("j") || text.starts_with("loop") || text.starts_with("ret") || text.starts_with("ud2");
}

// Stores, comparisons and jumps do not fill a register; they read their first operand.
bool fillsRegister(std::string_view text)
{
    constexpr std::array<std::string_view, 10> kReaders = {"cmp",    "test",   "j",       "push",  "vucomis",
                                                           "ucomis", "vcomis", "kortest", "vtest", "vptest"};
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || std::ranges::any_of(kReaders, [&](auto reader) { return text.starts_with(reader); }))
        return false;
    return text.substr(space, text.find(',') - space).find('[') == std::string_view::npos;
}

// Whether the instruction overwrites its first operand with a value that does not depend on the old one. If unsure, the answer is
// no.
bool overwrites(std::string_view text, const std::vector<std::string> &families)
{
    const bool isMerging = text.find("{k") != std::string_view::npos && text.find("{z}") == std::string_view::npos;
    const bool isFused = text.starts_with("vfm") || text.starts_with("vfnm");
    const bool isPlainMove = text.starts_with("mov") || text.starts_with("lea") || text.starts_with("kmov");
    if (!fillsRegister(text) || isMerging || isFused || !(isPlainMove || text.starts_with("v")))
        return false;
    return std::find(families.begin() + 1, families.end(), families.front()) == families.end();
}

// The line of the first instruction that reads the register, on the straight path and before the register is overwritten;
// 0: there is none nearby.
std::uint32_t lineOfReader(const std::vector<MachineInstruction> &code, std::size_t at)
{
    if (!fillsRegister(code[at].text))
        return 0;
    const std::string own = operandFamilies(code[at].text).front();
    const std::size_t end = std::min(code.size(), at + kMaxDistance);
    for (std::size_t i = at + 1; i < end && !endsFlow(code[i - 1].text); ++i) {
        const std::vector<std::string> families = operandFamilies(code[i].text);
        if (std::ranges::find(families, own) == families.end())
            continue;
        if (families.front() == own && overwrites(code[i].text, families))
            return 0;
        if (code[i].sourceLine != 0)
            return code[i].sourceLine;
    }
    return 0;
}

} // namespace

void lendConstantLines(std::vector<MachineInstruction> &code, std::span<const SourceLine> lines)
{
    // Runs from the end, so that a constant made from another constant passes its line on.
    for (std::size_t i = code.size(); i-- > 0;) {
        MachineInstruction &instruction = code[i];
        if (instruction.tag != CodeTag::Compiler || instruction.sourceLine != 0)
            continue;
        if (isPadding(instruction.text)) {
            instruction.tag = CodeTag::Frame;
            continue;
        }
        const std::uint32_t line = lineOfReader(code, i);
        if (line == 0)
            continue;
        instruction.sourceLine = line;
        instruction.isInferred = true;
        instruction.tag = line <= lines.size() ? lines[line - 1].tag : CodeTag::Instruction;
    }
}

} // namespace sw
