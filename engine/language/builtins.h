#pragma once
// The functions that are not written in the language: primitives of the graph, reductions, constants, and computations with
// shapes and lists at trace time. Elementwise operations are not here; programs call them by their names in the operation table.

#include "engine/language/arguments.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw::language {

using BuiltinFunction = Result<Value> (*)(const BuiltinCall &call);

struct Builtin {
    std::string_view name;
    std::string_view parameters; // see parseSignature
    BuiltinFunction call = nullptr;
    std::string_view doc;
};

[[nodiscard]] std::span<const Builtin> movementBuiltins();
[[nodiscard]] std::span<const Builtin> compositeBuiltins(); // nodes that a pass expands into simpler ones, and markers
[[nodiscard]] std::span<const Builtin> placementBuiltins(); // devices
[[nodiscard]] std::span<const Builtin> randomBuiltins();
[[nodiscard]] std::span<const Builtin> creationBuiltins();
[[nodiscard]] std::span<const Builtin> reductionBuiltins();
[[nodiscard]] std::span<const Builtin> compileTimeBuiltins();
[[nodiscard]] std::span<const Builtin> precisionBuiltins();
[[nodiscard]] std::span<const Builtin> gradientBuiltins();
[[nodiscard]] std::span<const Builtin> scanBuiltins();
[[nodiscard]] std::span<const Builtin> choiceBuiltins();

[[nodiscard]] const Builtin *builtinNamed(std::string_view name);
[[nodiscard]] std::vector<std::string> builtinNames();

// Functions that belong to the language but are not done yet: the reason and an alternative. Empty if there is no such function.
[[nodiscard]] std::string_view unsupportedFunction(std::string_view name);

} // namespace sw::language
