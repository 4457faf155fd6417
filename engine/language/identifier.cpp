#include "engine/language/identifier.h"

#include "engine/language/lexer.h"

#include <algorithm>

namespace sw {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isWordCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
}

} // namespace

std::string identifierOf(std::string_view name)
{
    std::string made;
    for (const char c : name) {
        if (isWordCharacter(c))
            made += c;
        else if (!made.empty() && made.back() != '_')
            made += '_';
    }
    while (made.ends_with('_'))
        made.pop_back();
    if (made.empty() || isDigit(made.front()))
        made.insert(0, "v");
    return std::ranges::find(language::keywords(), made) == language::keywords().end() ? made : made + "_";
}

} // namespace sw
