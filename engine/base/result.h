#pragma once
// A value, or the diagnostics that say why there is none. The names are those of std::expected<T, Diagnostics>.

#include "engine/base/assert.h"
#include "engine/base/diagnostic.h"

#include <utility>
#include <variant>

namespace sw {

// The error side by itself, so that "return Failure(...)" and SW_TRY work for every Result<T>.
struct Failure {
    Diagnostics diagnostics;

    explicit Failure(Diagnostics all) : diagnostics(std::move(all)) {}
};

template <class T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Diagnostic error) : m_state(std::in_place_index<1>, Diagnostics{std::move(error)}) {}
    Result(Failure failure) : m_state(std::in_place_index<1>, std::move(failure.diagnostics)) {}

    [[nodiscard]] bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }

    [[nodiscard]] T &value() &
    {
        SW_ASSERT(has_value(), "a value, not: " + toText(error()));
        return std::get<0>(m_state);
    }
    [[nodiscard]] const T &value() const &
    {
        SW_ASSERT(has_value(), "a value, not: " + toText(error()));
        return std::get<0>(m_state);
    }
    [[nodiscard]] T &&value() && { return std::move(value()); }
    [[nodiscard]] T &operator*() & { return value(); }
    [[nodiscard]] const T &operator*() const & { return value(); }
    [[nodiscard]] T &&operator*() && { return std::move(value()); }
    [[nodiscard]] T *operator->() { return &value(); }
    [[nodiscard]] const T *operator->() const { return &value(); }

    [[nodiscard]] const Diagnostics &error() const { return std::get<1>(m_state); }
    [[nodiscard]] Failure failure() const { return Failure(error()); }

private:
    std::variant<T, Diagnostics> m_state;
};

// The value of steps that return nothing: Result<Done> check(...); return Done{};
struct Done {};

} // namespace sw

#define SW_CONCAT_INNER(a, b) a##b
#define SW_CONCAT(a, b) SW_CONCAT_INNER(a, b)

// SW_TRY(auto shape, broadcast(a, b)): declares shape, or returns the diagnostics from the enclosing function.
#define SW_TRY(declaration, expression)                 \
    auto SW_CONCAT(swResult, __LINE__) = (expression);  \
    if (!SW_CONCAT(swResult, __LINE__))                 \
        return SW_CONCAT(swResult, __LINE__).failure(); \
    declaration = std::move(SW_CONCAT(swResult, __LINE__)).value()

// SW_CHECK(verify(graph)): returns the diagnostics when the step failed.
#define SW_CHECK(expression)         \
    do {                             \
        auto swStep = (expression);  \
        if (!swStep)                 \
            return swStep.failure(); \
    } while (false)
