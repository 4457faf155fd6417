#include "engine/lowered/value_names.h"

#include "engine/lowered/type_rules.h"

#include <string_view>
#include <unordered_map>

namespace sw {

namespace {

bool isIdentifier(std::string_view text)
{
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return false;
    return identifierText(text) == text;
}

} // namespace

const std::string &givenName(const Instruction &instruction, const KernelBinding *binding)
{
    const bool isArgument = binding != nullptr && instruction.kind == InstructionKind::DefineGlobal;
    return isArgument ? binding->argumentNames.at(instruction.argument) : instruction.name;
}

std::vector<std::string> valueNames(const LoweredKernel &kernel, const KernelBinding *binding)
{
    std::unordered_map<std::string_view, std::uint32_t> uses;
    for (const Instruction &instruction : kernel.instructions)
        if (const std::string &name = givenName(instruction, binding); !name.empty())
            ++uses[name];
    std::vector<std::string> names(kernel.instructions.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        const std::string &name = givenName(instruction, binding);
        const bool isNamed = !name.empty() && infoOf(instruction.kind).makesValue && uses[name] == 1 && isIdentifier(name);
        names[i] = isNamed ? name : std::to_string(i);
    }
    return names;
}

} // namespace sw
