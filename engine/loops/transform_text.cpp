#include "engine/loops/transform.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::array kKinds = {
    TransformKind::Split,  TransformKind::Reorder,  TransformKind::SetType,   TransformKind::Merge,
    TransformKind::Divide, TransformKind::Mask,     TransformKind::Pack,      TransformKind::NonTemporal,
    TransformKind::Group,  TransformKind::Unroll,   TransformKind::Tensorize, TransformKind::Share,
    TransformKind::Pad,    TransformKind::Prefetch, TransformKind::Stream,    TransformKind::Join};
constexpr std::array kTypes = {AxisType::Thread, AxisType::Global, AxisType::Local,  AxisType::Loop,
                               AxisType::Reduce, AxisType::Upcast, AxisType::Unroll, AxisType::Vector};

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t begin = text.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos)
            break;
        at = std::min(text.find_first_of(" \t", begin), text.size());
        words.emplace_back(text.substr(begin, at - begin));
    }
    return words;
}

std::optional<std::int64_t> numberOf(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

template <class Enum, std::size_t N>
std::optional<Enum> named(const std::array<Enum, N> &all, std::string_view name)
{
    for (const Enum value : all)
        if (nameOf(value) == name)
            return value;
    return std::nullopt;
}

Diagnostic malformed(std::string_view text, std::string_view expected)
{
    return Diagnostic::error(Code::Syntax, {}, "{} is no transformation: expected {}", quoted(text), expected);
}

// Takes the last word as a number.
Result<std::int64_t> takeNumber(std::vector<std::string> &words, std::string_view text)
{
    const std::optional<std::int64_t> number = words.empty() ? std::nullopt : numberOf(words.back());
    if (!number)
        return malformed(text, "a number at the end");
    words.pop_back();
    return *number;
}

} // namespace

std::string toText(const Transform &transform)
{
    std::string text(nameOf(transform.kind));
    switch (transform.kind) {
    case TransformKind::Split:
    case TransformKind::Divide:
    case TransformKind::Group:
    case TransformKind::Unroll:
    case TransformKind::Pad:
        return format("{} {} {}", text, join(transform.axes, " "), transform.factor);
    case TransformKind::Reorder:
    case TransformKind::Merge:
    case TransformKind::Mask:
    case TransformKind::Join:
        return format("{} {}", text, join(transform.axes, " "));
    case TransformKind::Tensorize:
        return format("{} {}{}", text, join(transform.axes, " "),
                      transform.instruction ? format(" {}", infoOf(*transform.instruction).name) : std::string());
    case TransformKind::SetType:
        return format("{} {} {}", text, join(transform.axes, " "), nameOf(transform.type));
    case TransformKind::Pack:
    case TransformKind::Stream:
        return format("{} v{} {}", text, transform.value.value, join(transform.axes, " "));
    case TransformKind::Share:
    case TransformKind::Prefetch:
        return format("{} v{} {} {}", text, transform.value.value, join(transform.axes, " "), transform.factor);
    case TransformKind::NonTemporal:
        return format("{} {}", text, transform.factor);
    }
    SW_UNREACHABLE();
}

Result<Transform> parseTransform(std::string_view text)
{
    std::vector<std::string> words = wordsOf(text);
    const std::optional<TransformKind> kind = words.empty() ? std::nullopt : named(kKinds, words.front());
    if (!kind)
        return malformed(text, join(kKinds, ", ", [](TransformKind known) { return nameOf(known); }));
    words.erase(words.begin());
    Transform made{.kind = *kind, .reason = "given by hand"};
    switch (*kind) {
    case TransformKind::Split:
    case TransformKind::Divide:
    case TransformKind::Group:
    case TransformKind::Unroll:
    case TransformKind::Pad: {
        SW_TRY(made.factor, takeNumber(words, text));
        break;
    }
    case TransformKind::SetType: {
        const std::optional<AxisType> type = words.empty() ? std::nullopt : named(kTypes, words.back());
        if (!type)
            return malformed(text, join(kTypes, ", ", [](AxisType known) { return nameOf(known); }));
        made.type = *type;
        words.pop_back();
        break;
    }
    case TransformKind::Share:
    case TransformKind::Prefetch:
    case TransformKind::Stream:
    case TransformKind::Pack: {
        if (*kind == TransformKind::Share || *kind == TransformKind::Prefetch) {
            SW_TRY(made.factor, takeNumber(words, text));
        }
        const std::optional<std::int64_t> value =
            words.empty() || words.front().front() != 'v' ? std::nullopt : numberOf(words.front().substr(1));
        if (!value || *value < 0)
            return malformed(text, "a value such as v3");
        made.value = ValueId(static_cast<std::uint32_t>(*value));
        words.erase(words.begin());
        break;
    }
    case TransformKind::NonTemporal: {
        SW_TRY(made.factor, takeNumber(words, text));
        break;
    }
    case TransformKind::Tensorize:
        if (words.size() < 2)
            break;
        made.instruction = tensorInstructionNamed(words.back());
        if (!made.instruction)
            return malformed(text, join(allTensorInstructions(), ", ", [](TensorInstruction one) { return infoOf(one).name; }));
        words.pop_back();
        break;
    case TransformKind::Reorder:
    case TransformKind::Merge:
    case TransformKind::Mask:
    case TransformKind::Join:
        break;
    }
    made.axes = std::move(words);
    return made;
}

} // namespace sw
