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

using Uses = std::unordered_map<std::string_view, std::uint32_t>; // of a name

Uses usesOf(const LoweredKernel &kernel, const KernelBinding *binding, const std::vector<std::uint32_t> &instructions)
{
    Uses uses;
    for (const std::uint32_t i : instructions)
        ++uses[givenName(kernel.instructions[i], binding)];
    return uses;
}

bool isNamed(const Instruction &instruction, const KernelBinding *binding, const Uses &uses)
{
    const std::string &name = givenName(instruction, binding);
    return infoOf(instruction.kind).makesValue && uses.at(name) == 1 && isIdentifier(name);
}

} // namespace

const std::string &givenName(const Instruction &instruction, const KernelBinding *binding)
{
    const bool isArgument = binding != nullptr && instruction.kind == InstructionKind::DefineGlobal;
    return isArgument ? binding->argumentNames.at(instruction.argument) : instruction.name;
}

std::vector<std::string> valueNames(const LoweredKernel &kernel, const KernelBinding *binding)
{
    std::vector<std::string> names(kernel.instructions.size());
    std::vector<std::uint32_t> given;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        names[i] = std::to_string(i);
        if (!givenName(kernel.instructions[i], binding).empty())
            given.push_back(i);
    }
    const Uses uses = usesOf(kernel, binding, given);
    for (const std::uint32_t i : given)
        if (const Instruction &instruction = kernel.instructions[i]; isNamed(instruction, binding, uses))
            names[i] = givenName(instruction, binding);
    return names;
}

SharedBodyNames::SharedBodyNames(const LoweredKernel &body, const KernelBinding &first)
    : m_body(body), m_first(valueNames(body, &first))
{
    for (std::uint32_t i = 0; i < body.instructions.size(); ++i)
        if (!body.instructions[i].name.empty() || body.instructions[i].kind == InstructionKind::DefineGlobal)
            m_given.push_back(i);
}

std::vector<std::string> SharedBodyNames::differences(const KernelBinding &binding) const
{
    std::vector<std::string> names(m_first.size());
    const Uses uses = usesOf(m_body, &binding, m_given);
    for (const std::uint32_t i : m_given) {
        const Instruction &instruction = m_body.instructions[i];
        std::string name = isNamed(instruction, &binding, uses) ? givenName(instruction, &binding) : std::to_string(i);
        if (name != m_first[i])
            names[i] = std::move(name);
    }
    return names;
}

} // namespace sw
