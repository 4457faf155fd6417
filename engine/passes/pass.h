#pragma once
// A pass as a row of a list, and how a function becomes such a row. A pass is a pure function from a stage to the next one, or to
// the same one:
//
//   Result<std::optional<Graph>> foldConstants(const Graph &, PassContext &);      // same stage; nullopt: nothing to do
//   Result<Schedule> makeSchedule(const GraphPtr &, PassContext &);                // next stage; keeps the one it was given
//   makePass<foldConstants>("fold-constants", "Fold constants", "Evaluates nodes whose inputs are all constant.")
//
// The stage types are read off the signature, and isConnected checks a whole list at compile time.

#include "engine/base/result.h"
#include "engine/passes/pass_context.h"
#include "engine/passes/stage.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sw {

struct PassInfo {
    std::string_view id;    // "fold-constants"
    std::string_view title; // "Fold constants"
    std::string_view doc;   // a sentence
    StageLevel input = StageLevel::Graph;
    StageLevel output = StageLevel::Graph;
    Result<Stage> (*run)(const Stage &, PassContext &) = nullptr; // the same pointer: nothing changed
    // Stopped between two rewrites, the pass returns a stage that can be printed but that its verifier would not accept.
    bool isIncompleteBetween = false;
};

namespace detail {

template <class T>
struct LevelOf;
template <>
struct LevelOf<Graph> : std::integral_constant<StageLevel, StageLevel::Graph> {};
template <>
struct LevelOf<Schedule> : std::integral_constant<StageLevel, StageLevel::Schedule> {};
template <>
struct LevelOf<LoopProgram> : std::integral_constant<StageLevel, StageLevel::Loops> {};
template <>
struct LevelOf<LoweredProgram> : std::integral_constant<StageLevel, StageLevel::Lowered> {};

// A pass takes its stage as a value, or as the shared pointer when its result refers to it.
template <class T>
struct StageOf {
    using Type = T;
    static constexpr bool kIsPointer = false;
};
template <class T>
struct StageOf<std::shared_ptr<const T>> {
    using Type = T;
    static constexpr bool kIsPointer = true;
};

template <class T>
struct IsOptional : std::false_type {
    using Value = T;
};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
    using Value = T;
};

template <auto Function, class Out, class In>
Result<Stage> runPass(const Stage &stage, PassContext &context)
{
    using Input = typename StageOf<In>::Type;
    using Output = typename IsOptional<Out>::Value;
    const auto &input = std::get<std::shared_ptr<const Input>>(stage);
    const auto call = [&]() -> Result<Out> {
        if constexpr (StageOf<In>::kIsPointer)
            return Function(input, context);
        else
            return Function(*input, context);
    };
    Result<Out> made = call();
    if (!made)
        return made.failure();
    if constexpr (IsOptional<Out>::value) {
        if (!made->has_value())
            return Stage(stage);
        return Stage(std::make_shared<const Output>(std::move(**made)));
    } else {
        return Stage(std::make_shared<const Output>(std::move(*made)));
    }
}

template <auto Function, class Out, class In>
constexpr PassInfo passRow(Result<Out> (*)(const In &, PassContext &), PassInfo row)
{
    row.input = LevelOf<typename StageOf<In>::Type>::value;
    row.output = LevelOf<typename IsOptional<Out>::Value>::value;
    row.run = &runPass<Function, Out, In>;
    return row;
}

} // namespace detail

template <auto Function>
constexpr PassInfo makePass(std::string_view id, std::string_view title, std::string_view doc)
{
    return detail::passRow<Function>(Function, PassInfo{id, title, doc});
}

constexpr PassInfo incompleteBetweenRewrites(PassInfo pass)
{
    pass.isIncompleteBetween = true;
    return pass;
}

// Whether each pass accepts the stage that the one before it made, and none skips a stage.
constexpr bool isConnected(std::span<const PassInfo> passes)
{
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const int step = static_cast<int>(passes[i].output) - static_cast<int>(passes[i].input);
        if (step < 0 || step > 1)
            return false;
        if (i > 0 && passes[i].input != passes[i - 1].output)
            return false;
    }
    return true;
}

} // namespace sw
