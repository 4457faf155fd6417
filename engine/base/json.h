#pragma once
// Writes JSON text: keys stand in the order they are written, so that equal data gives equal bytes. Numbers
// that JSON has no form for (infinities, NaN) are written as the strings "inf", "-inf", "nan".

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Indented: by two spaces, a line for each value. Compact: without blanks, all on one line.
enum class JsonLayout : std::uint8_t { Indented, Compact };

class JsonWriter {
public:
    explicit JsonWriter(JsonLayout layout = JsonLayout::Indented) : m_layout(layout) {}

    JsonWriter &beginObject() { return open('{', '}'); }
    JsonWriter &endObject() { return close(); }
    JsonWriter &beginArray() { return open('[', ']'); }
    JsonWriter &endArray() { return close(); }
    // Inside an object: each value follows its key.
    JsonWriter &key(std::string_view name);

    JsonWriter &value(std::string_view text);
    JsonWriter &value(const char *text) { return value(std::string_view(text)); }
    JsonWriter &value(const std::string &text) { return value(std::string_view(text)); }
    JsonWriter &value(bool truth);
    JsonWriter &value(double number);
    JsonWriter &value(std::int64_t number);
    JsonWriter &value(std::uint64_t number);
    JsonWriter &value(int number) { return value(static_cast<std::int64_t>(number)); }
    JsonWriter &value(std::uint32_t number) { return value(static_cast<std::uint64_t>(number)); }
    JsonWriter &null();
    // An array on one line, whatever the layout: a column of a table.
    JsonWriter &integers(std::span<const std::int64_t> numbers);

    template <class T>
    JsonWriter &field(std::string_view name, const T &content)
    {
        key(name);
        return value(content);
    }

    // The whole text with a final line feed; asserts that every object and array is closed.
    [[nodiscard]] std::string text() const;

private:
    struct Level {
        char closing = '}';
        bool isEmpty = true;
    };

    JsonWriter &open(char opening, char closing);
    JsonWriter &close();
    JsonWriter &raw(std::string_view text);
    void separate();
    void indent();

    JsonLayout m_layout;
    std::string m_text;
    std::vector<Level> m_levels;
    bool m_afterKey = false;
};

// A string as a JSON literal with its quotes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string jsonQuoted(std::string_view text);

} // namespace sw
