#include "engine/language/builtins.h"

#include <algorithm>
#include <array>

namespace sw::language {

namespace {

struct UnsupportedRow {
    std::string_view name;
    std::string_view instead;
};

constexpr std::array<UnsupportedRow, 8> kUnsupported = {{
    {"scatter", "gather reads at computed places"},
    {"threefry2x32", "param x: T = random(seed) makes values outside of the program"},
    {"threefry4x32_crypto", "param x: T = random(seed) makes values outside of the program"},
    {"threefry4x32_light", "param x: T = random(seed) makes values outside of the program"},
    {"uint4x32_to_prec_uniform", "param x: T = random(seed) makes values outside of the program"},
    {"device", "the device is chosen when the program is compiled or run"},
    {"to_device", "the device is chosen when the program is compiled or run"},
    {"schedule", "edit the list of transformations in the loops stage"},
}};

constexpr std::array<std::string_view, 8> kUnsupportedTypes = {"u32x4", "uint4x32", "f8e5m2", "f8e4m3",
                                                               "fp8",   "f8",       "unit",   "void"};

} // namespace

bool isUnsupportedType(std::string_view name)
{
    return std::ranges::find(kUnsupportedTypes, name) != kUnsupportedTypes.end();
}

const Builtin *builtinNamed(std::string_view name)
{
    for (const auto &table :
         {movementBuiltins(), creationBuiltins(), reductionBuiltins(), compileTimeBuiltins(), gradientBuiltins()}) {
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
