#pragma once
// Reads JSON text into values. Made for large files of which nobody knows who wrote them: nesting is limited, every error names
// the place in the text, and an array of integers takes eight bytes per number.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sw {

class JsonValue {
public:
    using Integers = std::vector<std::int64_t>; // an array with nothing but integers in it; also the empty array
    using Array = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>; // in the order of the text; names are different

    JsonValue() = default; // null
    template <class T>
    explicit JsonValue(T content) : m_content(std::move(content))
    {
    }

    [[nodiscard]] bool isNull() const { return std::holds_alternative<std::monostate>(m_content); }
    // Null when the value is of another kind. A number without a fraction is an integer.
    [[nodiscard]] const bool *truth() const { return std::get_if<bool>(&m_content); }
    [[nodiscard]] const std::int64_t *integer() const { return std::get_if<std::int64_t>(&m_content); }
    [[nodiscard]] const double *fraction() const { return std::get_if<double>(&m_content); }
    [[nodiscard]] const std::string *text() const { return std::get_if<std::string>(&m_content); }
    [[nodiscard]] const Integers *integers() const { return std::get_if<Integers>(&m_content); }
    // Of arrays that hold more than integers.
    [[nodiscard]] const Array *array() const { return std::get_if<Array>(&m_content); }
    [[nodiscard]] const Object *object() const { return std::get_if<Object>(&m_content); }
    // The value of an object's name; null: it is no object, or has no such name.
    [[nodiscard]] const JsonValue *find(std::string_view name) const;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Integers, Array, Object> m_content;
};

// RFC 8259, with one value and nothing behind it. file: for messages. Errors: Code::Syntax with line and column, Code::Limit when
// it is nested deeper than kMostJsonLevels, or an object has more than kMostJsonNames names.
[[nodiscard]] Result<JsonValue> parseJson(std::string_view text, std::string_view file);

inline constexpr int kMostJsonLevels = 64;
inline constexpr std::size_t kMostJsonNames = 4096;

} // namespace sw
