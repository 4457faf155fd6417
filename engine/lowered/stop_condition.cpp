#include "engine/lowered/stop_condition.h"

#include "engine/base/text.h"

#include <charconv>

namespace sw {

namespace {

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

Result<PlaceValue> placeValue(std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string_view name = trimmed(part.substr(0, equals));
    const std::string_view number = equals == std::string_view::npos ? std::string_view() : trimmed(part.substr(equals + 1));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (name.empty() || number.empty() || error != std::errc() || end != number.data() + number.size())
        return Diagnostic::error(Code::Argument, {}, "a place is NAME=NUMBER, more of them with commas between, not {}",
                                 quoted(std::string(part)));
    return PlaceValue{std::string(name.substr(name.starts_with('%') ? 1 : 0)), value};
}

} // namespace

std::string_view spellingOf(Relation relation)
{
    switch (relation) {
    case Relation::Less:
        return "<";
    case Relation::LessEqual:
        return "<=";
    case Relation::Equal:
        return "==";
    case Relation::NotEqual:
        return "!=";
    case Relation::GreaterEqual:
        return ">=";
    case Relation::Greater:
        return ">";
    }
    SW_UNREACHABLE();
}

bool holds(double value, Relation relation, double number)
{
    switch (relation) {
    case Relation::Less:
        return value < number;
    case Relation::LessEqual:
        return value <= number;
    case Relation::Equal:
        return value == number;
    case Relation::NotEqual:
        return value != number;
    case Relation::GreaterEqual:
        return value >= number;
    case Relation::Greater:
        return value > number;
    }
    SW_UNREACHABLE();
}

Result<AtPlace> parsePlace(std::string_view text)
{
    AtPlace place;
    while (true) {
        const std::size_t comma = text.find(',');
        SW_TRY(PlaceValue value, placeValue(text.substr(0, comma)));
        place.values.push_back(std::move(value));
        if (comma == std::string_view::npos)
            return place;
        text.remove_prefix(comma + 1);
    }
}

} // namespace sw
