#include "engine/types/dimension_choice.h"

#include <charconv>
#include <optional>

namespace sw {

namespace {

std::optional<std::int64_t> numberIn(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

} // namespace

Result<DimensionChoice> readDimensionChoice(std::string_view text)
{
    constexpr std::string_view kDots = "..";
    const auto wrong = [&] {
        return Diagnostic::error(Code::Argument, {}, "a dimension is NAME=N or NAME=LOW..HIGH, not {}",
                                 sw::quoted(std::string(text)));
    };
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return wrong();
    DimensionChoice choice{.name = std::string(text.substr(0, equals)), .size = {}};
    const std::string_view size = text.substr(equals + 1);
    const std::size_t dots = size.find(kDots);
    if (dots == std::string_view::npos) {
        const auto number = numberIn(size);
        if (!number)
            return wrong();
        choice.size = *number;
        return choice;
    }
    const std::string_view low = size.substr(0, dots);
    const std::string_view high = size.substr(dots + kDots.size());
    const auto first = low.empty() ? std::optional(kUsualLowest) : numberIn(low);
    const auto last = high.empty() ? std::optional(kUsualHighest) : numberIn(high);
    if (!first || !last)
        return wrong();
    const DimensionRange range{*first, *last};
    if (!isValid(range))
        return Diagnostic::error(Code::Argument, {},
                                 "the range of the dimension {} is {}..{}, expected two sizes from 1 on, the "
                                 "second above the first",
                                 choice.name, *first, *last);
    choice.size = range;
    return choice;
}

bool isValid(const DimensionRange &range)
{
    return range.low >= 1 && range.low < range.high;
}

std::string toText(const DimensionRange &range)
{
    return format("{}..{}", range.low, range.high);
}

std::string sizeText(const DimensionChoice &choice)
{
    const auto *range = std::get_if<DimensionRange>(&choice.size);
    return range != nullptr ? toText(*range) : format("{}", std::get<std::int64_t>(choice.size));
}

} // namespace sw
