#include "engine/api/machine_explanation.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

struct MnemonicRow {
    std::string_view pattern; // words; "*" stands for any ending
    std::string_view text;
};

constexpr std::array kRows{
#define SW_MNEMONIC(pattern, text) MnemonicRow{pattern, text},
#include "engine/api/mnemonics.def"
#undef SW_MNEMONIC
};

struct Suffix {
    std::string_view ending;
    std::string_view text;
};

// What the end of the name of a vector instruction of x86 says about its elements.
constexpr std::array kElements{
    Suffix{"ps", "float32 elements"}, Suffix{"pd", "float64 elements"}, Suffix{"ss", "one float32"},
    Suffix{"sd", "one float64"},      Suffix{"ph", "float16 elements"}, Suffix{"sh", "one float16"},
};

constexpr std::array<std::string_view, 9> kPrefixes{"lock",   "rep",    "repe",  "repne", "notrack",
                                                    "data16", "{evex}", "{vex}", "{vex3}"};

bool matches(std::string_view pattern, std::string_view mnemonic)
{
    while (!pattern.empty()) {
        const std::size_t end = std::min(pattern.find(' '), pattern.size());
        const std::string_view word = pattern.substr(0, end);
        if (word.ends_with('*') ? mnemonic.starts_with(word.substr(0, word.size() - 1)) : mnemonic == word)
            return true;
        pattern.remove_prefix(std::min(end + 1, pattern.size()));
    }
    return false;
}

std::string namesOf(const std::vector<std::uint16_t> &units, const MachineCode &code)
{
    std::vector<std::string> names;
    for (const std::uint16_t unit : units)
        if (const std::string &name = code.units.at(unit).name; std::ranges::find(names, name) == names.end())
            names.push_back(name);
    return join(names, ", ");
}

std::string costText(const InstructionCost &cost)
{
    const std::string parts = cost.microOps == 1 ? "1 micro-operation" : format("{} micro-operations", cost.microOps);
    return format("{} cycles to its result, {:.2g} cycles of its busiest port, {}", cost.latency, cost.cycles, parts);
}

} // namespace

std::string_view mnemonicOf(std::string_view text)
{
    while (true) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        const std::string_view word = text.substr(0, end);
        const bool isPrefix = std::ranges::find(kPrefixes, word) != kPrefixes.end();
        if (!isPrefix || end == text.size())
            return word;
        text.remove_prefix(end + 1);
    }
}

std::string mnemonicText(std::string_view mnemonic)
{
    const auto row = std::ranges::find_if(kRows, [&](const MnemonicRow &one) { return matches(one.pattern, mnemonic); });
    if (row == kRows.end())
        return {};
    std::string text(row->text);
    if (!mnemonic.starts_with('v') || mnemonic.starts_with("vp") || mnemonic.starts_with("vcvt"))
        return text;
    for (const Suffix &one : kElements)
        if (mnemonic.ends_with(one.ending))
            return text.substr(0, text.size() - 1) + format(" ({}).", one.text);
    return text;
}

std::vector<DocumentField> machineFields(const MachineInstruction &instruction, const MachineCode &code)
{
    std::vector<DocumentField> fields;
    if (std::string text = mnemonicText(mnemonicOf(instruction.text)); !text.empty())
        fields.push_back({"does", std::move(text)});
    if (!instruction.reads.empty())
        fields.push_back({"reads", namesOf(instruction.reads, code)});
    if (!instruction.writes.empty())
        fields.push_back({"writes", namesOf(instruction.writes, code)});
    if (instruction.isLoad || instruction.isStore)
        fields.push_back({"memory", instruction.isLoad && instruction.isStore ? "reads and writes memory"
                                    : instruction.isLoad                      ? "reads memory"
                                                                              : "writes memory"});
    if (instruction.cost.microOps != 0)
        fields.push_back({"cost", costText(instruction.cost)});
    fields.push_back({"address", format("0x{:x}", instruction.address)});
    fields.push_back({"bytes", join(instruction.bytes, " ", [](std::uint8_t byte) { return format("{:02x}", byte); })});
    return fields;
}

} // namespace sw
