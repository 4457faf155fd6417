#include "engine/language/builtins.h"

#include <algorithm>
#include <array>

namespace sw::language {

namespace {

struct UnsupportedRow {
    std::string_view name;
    std::string_view instead;
};

constexpr std::array<UnsupportedRow, 1> kUnsupported = {{
    {"schedule", "edit the list of transformations in the loops stage"},
}};

std::array<std::span<const Builtin>, 11> allTables()
{
    return {movementBuiltins(), compositeBuiltins(), placementBuiltins(),   randomBuiltins(),
            creationBuiltins(), reductionBuiltins(), compileTimeBuiltins(), precisionBuiltins(),
            gradientBuiltins(), scanBuiltins(),      choiceBuiltins()};
}

} // namespace

const Builtin *builtinNamed(std::string_view name)
{
    for (const auto &table : allTables()) {
        for (const Builtin &row : table) {
            if (row.name == name)
                return &row;
        }
    }
    return nullptr;
}

std::vector<std::string> builtinNames()
{
    std::vector<std::string> names;
    for (const auto &table : allTables())
        for (const Builtin &row : table)
            names.emplace_back(row.name);
    return names;
}

std::string_view unsupportedFunction(std::string_view name)
{
    for (const UnsupportedRow &row : kUnsupported) {
        if (row.name == name)
            return row.instead;
    }
    return {};
}

} // namespace sw::language
