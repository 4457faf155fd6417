#include "engine/base/json_value.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>

namespace sw {

namespace {

// Goes through the text and leaves where it is for whoever wants to say so.
class TrackedCharacter {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    TrackedCharacter(const char *at, const char **seen) : m_at(at), m_seen(seen) {}

    reference operator*() const { return *m_at; }
    TrackedCharacter &operator++()
    {
        *m_seen = ++m_at;
        return *this;
    }
    bool operator==(const TrackedCharacter &other) const { return m_at == other.m_at; }

private:
    const char *m_at;
    const char **m_seen;
};

// What the library's exception says between the place, which we say ourselves, and the characters before it, which may be many.
std::string_view reasonOf(std::string_view words)
{
    constexpr std::string_view kBefore = " - ";
    constexpr std::string_view kBehind = "; last read";
    const std::size_t at = words.find(kBefore);
    const std::string_view reason = at == std::string_view::npos ? words : words.substr(at + kBefore.size());
    return reason.substr(0, reason.find(kBehind));
}

// Takes the events of the library's parser. Each function says whether to go on.
class JsonBuilder {
public:
    JsonBuilder(std::string_view text, std::string_view file) : m_text(text), m_file(file), m_seen(text.data()) {}

    Result<JsonValue> build()
    {
        const TrackedCharacter begin(m_text.data(), &m_seen);
        const TrackedCharacter end(m_text.data() + m_text.size(), &m_seen);
        if (nlohmann::json::sax_parse(begin, end, this))
            return std::move(m_value);
        return std::move(*m_failure);
    }

    bool null() { return add(JsonValue()); }
    bool boolean(bool truth) { return add(JsonValue(truth)); }
    bool number_integer(std::int64_t number) // NOLINT(readability-identifier-naming): the library's name, and below
    {
        if (m_levels.empty() || m_levels.back().kind != LevelKind::Integers)
            return add(JsonValue(number));
        m_levels.back().integers.push_back(number);
        return true;
    }
    bool number_unsigned(std::uint64_t number) // NOLINT(readability-identifier-naming)
    {
        return number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                   ? number_integer(static_cast<std::int64_t>(number))
                   : add(JsonValue(static_cast<double>(number)));
    }
    bool number_float(double number, const std::string & /*digits*/) // NOLINT(readability-identifier-naming)
    {
        return add(JsonValue(number));
    }
    bool string(std::string &text) { return add(JsonValue(std::move(text))); }
    bool binary(nlohmann::json::binary_t & /*bytes*/) { return fail(Code::Syntax, "JSON has no bytes"); }

    bool start_object(std::size_t /*members*/) { return begin(LevelKind::Object); } // NOLINT(readability-identifier-naming)
    bool key(std::string &name)
    {
        JsonValue::Object &members = m_levels.back().members;
        if (members.size() == kMostJsonNames)
            return fail(Code::Limit, format("an object with more than {} names", kMostJsonNames));
        if (std::ranges::find(members, name, &JsonValue::Object::value_type::first) != members.end())
            return fail(Code::Syntax, format("the name {} is there twice", sw::quoted(name)));
        members.emplace_back(std::move(name), JsonValue());
        return true;
    }
    bool end_object() // NOLINT(readability-identifier-naming)
    {
        JsonValue object(std::move(m_levels.back().members));
        m_levels.pop_back();
        return add(std::move(object));
    }
    bool start_array(std::size_t /*elements*/) { return begin(LevelKind::Integers); } // NOLINT(readability-identifier-naming)
    bool end_array()                                                                  // NOLINT(readability-identifier-naming)
    {
        Level level = std::move(m_levels.back());
        m_levels.pop_back();
        return add(level.kind == LevelKind::Integers ? JsonValue(std::move(level.integers)) : JsonValue(std::move(level.values)));
    }

    bool parse_error(std::size_t /*position*/, const std::string & /*token*/, // NOLINT(readability-identifier-naming)
                     const nlohmann::json::exception &error)
    {
        return fail(Code::Syntax, std::string(reasonOf(error.what())));
    }

private:
    // An array begins as one of integers, and becomes one of values with the first that is none.
    enum class LevelKind : unsigned char { Integers, Values, Object };
    struct Level {
        LevelKind kind = LevelKind::Integers;
        JsonValue::Integers integers;
        JsonValue::Array values;
        JsonValue::Object members; // the last one has its name before its value
    };

    bool begin(LevelKind kind)
    {
        if (m_levels.size() == static_cast<std::size_t>(kMostJsonLevels))
            return fail(Code::Limit, format("nested deeper than {} levels", kMostJsonLevels));
        m_levels.emplace_back().kind = kind;
        return true;
    }

    bool add(JsonValue value)
    {
        if (m_levels.empty()) {
            m_value = std::move(value);
            return true;
        }
        Level &level = m_levels.back();
        if (level.kind == LevelKind::Object) {
            level.members.back().second = std::move(value);
            return true;
        }
        if (level.kind == LevelKind::Integers) {
            level.kind = LevelKind::Values;
            for (const std::int64_t number : std::exchange(level.integers, {}))
                level.values.emplace_back(number);
        }
        level.values.push_back(std::move(value));
        return true;
    }

    // The place is the last character that was read.
    bool fail(Code code, const std::string &reason)
    {
        const auto read = static_cast<std::size_t>(m_seen - m_text.data());
        const std::string_view before = m_text.substr(0, read == 0 ? 0 : read - 1);
        const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
        const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
        const auto column = static_cast<std::uint32_t>(before.size() - lineStart + 1);
        m_failure = Diagnostic::error(code, SourceRange{std::string(m_file), line, column, line, column + 1}, "{}", reason);
        return false;
    }

    std::string_view m_text;
    std::string_view m_file;
    const char *m_seen; // behind the last character that was read
    std::vector<Level> m_levels;
    JsonValue m_value;
    std::optional<Diagnostic> m_failure;
};

} // namespace

const JsonValue *JsonValue::find(std::string_view name) const
{
    const Object *members = object();
    if (members == nullptr)
        return nullptr;
    const auto found = std::ranges::find(*members, name, &Object::value_type::first);
    return found == members->end() ? nullptr : &found->second;
}

Result<JsonValue> parseJson(std::string_view text, std::string_view file)
{
    return JsonBuilder(text, file).build();
}

} // namespace sw
