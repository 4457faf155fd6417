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

} // namespace

const Builtin *builtinNamed(std::string_view name)
{
    for (const auto &table : {movementBuiltins(), compositeBuiltins(), placementBuiltins(), randomBuiltins(), creationBuiltins(),
                              reductionBuiltins(), compileTimeBuiltins(), gradientBuiltins()}) {
        for (const Builtin &row : table) {
            if (row.name == name)
                return &row;
        }
    }
    return nullptr;
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
