#include "engine/graph/custom_expression.h"

#include "engine/base/text.h"

#include <algorithm>
#include <charconv>

namespace sw {

namespace {

// Checks the text between two braces.
std::string faultOfPlace(std::string_view place, std::size_t operands)
{
    if (place.empty())
        return "{} names no operand: write {0} for the first, and {{}} for braces";
    std::size_t number = 0;
    const char *const end = place.data() + place.size();
    const bool isNumber = std::from_chars(place.data(), end, number).ptr == end;
    if (!isNumber)
        return format("{{{}}} is not the number of an operand; braces of the language are written {{{{ and }}}}", place);
    if (number < operands)
        return {};
    return operands == 1 ? format("there is one operand, {{0}}, and no {{{}}}", place)
                         : format("there are {} operands, {{0}} to {{{}}}, and no {{{}}}", operands, operands - 1, place);
}

std::string faultAt(std::string_view expression, std::size_t open, std::size_t operands, std::size_t &close)
{
    if (expression[open] == '}')
        return "} stands alone; a brace of the language is written }}";
    close = expression.find_first_of("{}", open + 1);
    if (close == std::string_view::npos)
        return "{ is never closed";
    if (expression[close] == '{')
        return format("{{ is not closed before the {{ at character {}", close + 1);
    return faultOfPlace(expression.substr(open + 1, close - open - 1), operands);
}

} // namespace

std::string faultOfExpression(std::string_view expression, std::size_t operands)
{
    if (std::ranges::all_of(expression, [](char c) { return c == ' ' || c == '\n' || c == '\t'; }))
        return "it is empty";
    std::size_t at = expression.find_first_of("{}");
    while (at != std::string_view::npos) {
        std::size_t last = at;
        const bool isDoubled = at + 1 < expression.size() && expression[at + 1] == expression[at];
        if (isDoubled) {
            last = at + 1;
        } else if (const std::string fault = faultAt(expression, at, operands, last); !fault.empty()) {
            return format("at character {}, {}", at + 1, fault);
        }
        at = expression.find_first_of("{}", last + 1);
    }
    return {};
}

} // namespace sw
