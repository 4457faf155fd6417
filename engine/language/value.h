#pragma once
// The value of an expression while the program is traced. Only tensors are computed when the program runs; all other values are
// known now. Numbers are weak: next to a tensor they take its type.

#include "engine/graph/builder.h"
#include "engine/language/syntax_tree.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sw::language {

struct Module;  // module.h
struct Builtin; // builtins.h
struct Value;

// Wide enough for every sum and difference of 64-bit integers of either sign.
__extension__ using WideInteger = __int128;

struct Nothing { // None
};
struct Broken { // its computation failed and was reported: values that need it are not computed and report nothing
};
struct Dots { // ...
};
// An integer from 2^63 to 2^64 - 1; smaller ones are int64_t. See integers.h.
struct LargeInteger {
    std::uint64_t value = 0;
};
struct TensorValue {
    NodeId node;
};
struct ListValue {
    std::shared_ptr<const std::vector<Value>> items;
    std::uint32_t depth = 1; // nesting depth of lists
};
// An integer that is known only at run time, never a constant.
struct DimensionValue {
    std::shared_ptr<const SymbolicExpr> expr;
};
// One of: a definition in a module, a built-in function, an operation of the table.
struct FunctionValue {
    std::string_view name = {};
    const Module *module = nullptr;
    StatementId definition = {};
    const Builtin *builtin = nullptr;
    std::optional<Op> op = {};
};

struct Value {
    std::variant<Nothing, Broken, Dots, bool, std::int64_t, LargeInteger, double, std::string, DType, TensorValue, DimensionValue,
                 ListValue, FunctionValue>
        is;

    Value() : is(Nothing{}) {}
    Value(Nothing value) : is(value) {}
    Value(Broken value) : is(value) {}
    Value(Dots value) : is(value) {}
    Value(bool value) : is(value) {}
    Value(std::int64_t value) : is(value) {}
    Value(LargeInteger value) : is(value) {}
    Value(double value) : is(value) {}
    Value(std::string value) : is(std::move(value)) {}
    Value(DType value) : is(value) {}
    Value(TensorValue value) : is(value) {}
    Value(DimensionValue value) : is(std::move(value)) {}
    Value(ListValue value) : is(std::move(value)) {}
    Value(FunctionValue value) : is(value) {}
    // Out of line: GCC 12 warns wrongly about the inlined variant's members.
    Value(const Value &other);
    Value(Value &&other) noexcept;
    Value &operator=(const Value &other);
    Value &operator=(Value &&other) noexcept;
    ~Value();

    template <class T>
    [[nodiscard]] const T *as() const
    {
        return std::get_if<T>(&is);
    }
    template <class T>
    [[nodiscard]] bool isA() const
    {
        return std::holds_alternative<T>(is);
    }
    [[nodiscard]] bool isInteger() const { return isA<std::int64_t>() || isA<LargeInteger>(); }
    [[nodiscard]] bool isNumber() const { return isA<bool>() || isInteger() || isA<double>(); }
    // These are for numbers only.
    [[nodiscard]] double asDouble() const;
    [[nodiscard]] std::int64_t asInt() const; // of a bool or int64_t; wideOf takes any integer
};

inline constexpr std::size_t kMaxListItems = 1'000'000;
inline constexpr std::uint32_t kMaxListDepth = 32;

// The caller checks limits: see Tracer::makeList.
[[nodiscard]] Value listOf(std::vector<Value> items);
[[nodiscard]] Value listOf(std::span<const std::int64_t> items);

// An extent becomes an integer or a dimension.
[[nodiscard]] Value extentValue(const SymbolicExpr &extent);
[[nodiscard]] Value extentsOf(const Shape &shape); // a list
// The extent that an integer or a dimension stands for.
[[nodiscard]] std::optional<SymbolicExpr> asExtent(const Value &value);

// Compares values that are known now as Python does; tensors are equal when they are the same node, dimensions when they are
// equal in every run.
[[nodiscard]] bool isEqual(const Value &a, const Value &b);

// The type that a number or a nested list of numbers has by default: bool, i32 or f32. Nothing if the value contains anything
// else.
[[nodiscard]] std::optional<DType> defaultType(const Value &value);

// Returns "f32[2, 3]", "the integer 3", "a list of 2", for messages.
[[nodiscard]] std::string describe(const Value &value, const GraphBuilder &builder);
// Returns "3" or "[2, 3]", as part of a message that a program makes.
[[nodiscard]] std::string plainText(const Value &value, const GraphBuilder &builder);

} // namespace sw::language
