#include "engine/api/trace_condition.h"

#include "engine/lowered/value_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace sw {

namespace {

std::optional<std::int64_t> numberIn(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

struct FoundComparison {
    Relation relation = Relation::Equal;
    std::size_t at = std::string_view::npos;
    std::size_t size = 0;
};

// The longest spelling counts: "<=" is not "<".
std::optional<FoundComparison> comparisonIn(std::string_view text)
{
    std::optional<FoundComparison> found;
    for (const Relation relation : kRelations) {
        const std::string_view spelling = spellingOf(relation);
        const std::size_t at = text.find(spelling);
        if (at != std::string_view::npos && (!found || spelling.size() > found->size))
            found = FoundComparison{relation, at, spelling.size()};
    }
    return found;
}

// "acc > 0.5"
Result<ValueCheck> valueCheck(std::string_view text, const KernelNames &names)
{
    const std::optional<FoundComparison> found = comparisonIn(text);
    const std::string_view number = found ? trimmed(text.substr(found->at + found->size)) : std::string_view();
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (number.empty() || error != std::errc() || end != number.data() + number.size())
        return Diagnostic::error(Code::Argument, {}, "a comparison is NAME, one of {}, and a number, not {}",
                                 join(kRelations, " ", [](Relation one) { return spellingOf(one); }), quoted(std::string(text)));
    SW_TRY(const InstructionId id, valueNamed(trimmed(text.substr(0, found->at)), names));
    return ValueCheck{id, found->relation, value};
}

Result<StopCondition> lineCondition(std::string_view text, const KernelNames &names)
{
    std::optional<ValueCheck> when;
    if (const std::size_t at = text.find(" if "); at != std::string_view::npos) {
        SW_TRY(when, valueCheck(text.substr(at + 4), names));
        text = trimmed(text.substr(0, at));
    }
    const auto number = numberIn(text).value_or(0);
    const auto lines = static_cast<std::int64_t>(names.lines.size());
    if (number < 1 || number > lines || !names.lineInstructions[static_cast<std::size_t>(number - 1)].isValid())
        return Diagnostic::error(Code::Argument, {}, "kernel {} has no instruction in line {}; they are in lines 2 to {}",
                                 names.kernel.name, text, lines - 1);
    return StopCondition(AtInstruction{names.lineInstructions[static_cast<std::size_t>(number - 1)], when});
}

Result<StopCondition> elementCondition(std::string_view text, const KernelNames &names)
{
    const std::size_t open = text.find('[');
    const auto number = open == std::string_view::npos || !text.ends_with(']')
                            ? std::nullopt
                            : numberIn(text.substr(open + 1, text.size() - open - 2));
    if (!number)
        return Diagnostic::error(Code::Argument, {}, "an element is NAME[NUMBER], not {}", quoted(std::string(text)));
    SW_TRY(const InstructionId memory, valueNamed(text.substr(0, open), names));
    return StopCondition(AfterElement{memory, *number});
}

Result<StopCondition> valueCondition(std::string_view text, const KernelNames &names)
{
    if (comparisonIn(text)) {
        SW_TRY(const ValueCheck check, valueCheck(text, names));
        return StopCondition(AfterValue{check.value, check});
    }
    SW_TRY(const InstructionId value, valueNamed(text, names));
    return StopCondition(AfterValue{value});
}

struct Word {
    std::string_view word;
    StopCondition condition;
};
struct Prefix {
    std::string_view prefix;
    Result<StopCondition> (*read)(std::string_view, const KernelNames &);
};

constexpr std::array kPrefixes{
    Prefix{"line:", lineCondition},
    Prefix{"value:", valueCondition},
    Prefix{"element:", elementCondition},
};

} // namespace

KernelNames namesOf(const LoweredKernel &kernel)
{
    KernelNames names{kernel, valueNames(kernel), {}, {}, {}};
    LoweredText printed = printLowered(kernel, PrintOrigins::Hidden);
    names.lineInstructions = std::move(printed.lineInstructions);
    names.instructionLines.resize(kernel.instructions.size());
    std::string_view rest = printed.text;
    for (std::uint32_t line = 1; !rest.empty(); ++line) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        names.lines.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (const InstructionId id = names.lineInstructions.at(line - 1); id.isValid())
            names.instructionLines[id.value] = line;
    }
    return names;
}

Result<InstructionId> valueNamed(std::string_view name, const KernelNames &names)
{
    name.remove_prefix(name.starts_with('%') ? 1 : 0);
    const auto count = static_cast<std::int64_t>(names.values.size());
    const auto makesValue = [&](std::size_t i) { return infoOf(names.kernel.instructions[i].kind).makesValue; };
    for (std::size_t i = 0; i < names.values.size(); ++i)
        if (makesValue(i) && names.values[i] == name)
            return InstructionId(i);
    if (const auto number = numberIn(name); number && *number >= 0 && *number < count)
        return InstructionId(static_cast<std::size_t>(*number));
    std::vector<std::string> known;
    for (std::size_t i = 0; i < names.values.size(); ++i)
        if (makesValue(i))
            known.push_back("%" + names.values[i]);
    return Diagnostic::error(Code::Argument, {}, "kernel {} has no value {}; there are {}", names.kernel.name,
                             quoted(std::string(name)), join(known, ", "));
}

Result<StopCondition> conditionOf(std::string_view text, const KernelNames &names)
{
    const std::array words{
        Word{"nan", AfterOddity{Oddity::Nan}},          Word{"inf", AfterOddity{Oddity::Infinity}},
        Word{"fault", AfterOddity{Oddity::IndexFault}}, Word{"load", AfterAccess{AccessKind::Load}},
        Word{"store", AfterAccess{AccessKind::Store}},
    };
    for (const auto &[word, condition] : words)
        if (word == text)
            return condition;
    for (const auto &[prefix, read] : kPrefixes)
        if (text.starts_with(prefix))
            return read(text.substr(prefix.size()), names);
    return Diagnostic::error(
        Code::Argument, {},
        "there is no condition {}; there are nan, inf, fault, difference, load, store, line:N, value:NAME (both may be "
        "compared) and element:NAME[N]",
        quoted(std::string(text)));
}

} // namespace sw
