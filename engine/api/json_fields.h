#pragma once
// Takes the members of a JSON object one by one. The first thing that is missing, of another kind or out of range is kept as the
// error, and everything after it reads as nothing, so that a reader needs to look at the end only.

#include "engine/base/json_value.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// What went wrong first, in words: "documents: items: label: ..."
class JsonFailure {
public:
    void note(std::string text)
    {
        if (m_text.empty())
            m_text = std::move(text);
    }
    [[nodiscard]] bool isNoted() const { return !m_text.empty(); }
    [[nodiscard]] const std::string &text() const { return m_text; }

private:
    std::string m_text;
};

class JsonFields {
public:
    // value: may be null, or something else than an object, which is noted. name: of the value, for messages.
    JsonFields(const JsonValue *value, std::string name, JsonFailure &failure);

    [[nodiscard]] bool has(std::string_view name) const { return m_object != nullptr && m_object->find(name) != nullptr; }
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] bool truth(std::string_view name) const;
    [[nodiscard]] double fraction(std::string_view name) const; // an integer counts, too
    [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t low = 0,
                                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
    [[nodiscard]] std::uint32_t index(std::string_view name) const; // 0 to 2^32 - 2
    [[nodiscard]] const JsonValue::Integers &integers(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    // The values of an array that does not hold integers alone.
    [[nodiscard]] std::vector<const JsonValue *> values(std::string_view name) const;
    // The objects of an array.
    [[nodiscard]] std::vector<JsonFields> objects(std::string_view name) const;
    [[nodiscard]] JsonFields object(std::string_view name) const;
    void fail(std::string_view name, std::string_view why) const { m_failure->note(format("{}: {}: {}", m_name, name, why)); }

private:
    [[nodiscard]] const JsonValue *member(std::string_view name) const;

    const JsonValue *m_object = nullptr; // null: there is none
    std::string m_name;
    JsonFailure *m_failure;
};

} // namespace sw
