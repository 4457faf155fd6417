#pragma once
// Values as bytes, for two processes of the same machine and build: numbers as they lie in memory, strings and lists preceded by
// their length. One function per structure, `exchange`, serves both directions, so that they cannot differ:
//
//   template <class Wire, Is<Point> T> void exchange(Wire &wire, T &point) { wire(point.x, point.y); }
//
// A reader trusts nothing: input that is too short, too long or out of range makes it fail, and all later values are empty.

#include "engine/base/id.h"

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sw {

template <class T, class Structure>
concept Is = std::same_as<std::remove_const_t<T>, Structure>;

template <class T>
concept WireNumber = (std::integral<T> || std::floating_point<T> || std::is_enum_v<T>);

class WireWriter {
public:
    template <class... T>
    void operator()(const T &...values)
    {
        (write(values), ...);
    }
    // An enumerator; `last` is the last valid one.
    template <class E>
    void below(const E &value, E)
    {
        write(value);
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

private:
    template <class T>
    void write(const T &value)
    {
        if constexpr (WireNumber<T>)
            m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
        else
            exchange(*this, value);
    }
    void write(const std::string &text)
    {
        write(static_cast<std::uint64_t>(text.size()));
        m_bytes += text;
    }
    template <class Tag>
    void write(const Id<Tag> &id)
    {
        write(id.value);
    }
    void write(const std::chrono::nanoseconds &time) { write(static_cast<std::int64_t>(time.count())); }
    template <class T>
    void write(const std::vector<T> &list)
    {
        write(static_cast<std::uint64_t>(list.size()));
        for (const T &item : list)
            write(item);
    }
    template <class T, std::size_t N>
    void write(const std::array<T, N> &list)
    {
        for (const T &item : list)
            write(item);
    }

    std::string m_bytes;
};

class WireReader {
public:
    explicit WireReader(std::string_view bytes) : m_rest(bytes) {}

    template <class... T>
    void operator()(T &...values)
    {
        (read(values), ...);
    }
    template <class E>
    void below(E &value, E last)
    {
        read(value);
        if (static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(last)) {
            value = E{};
            fail();
        }
    }
    // All the expected bytes were there, and no others.
    [[nodiscard]] bool isWhole() const { return !m_hasFailed && m_rest.empty(); }
    [[nodiscard]] bool hasFailed() const { return m_hasFailed; }
    [[nodiscard]] std::string_view rest() const { return m_rest; } // what has not been read yet

private:
    // Nesting of structures. Notes of diagnostics nest, and broken bytes could make them nest until the stack overflows.
    static constexpr int kMaxDepth = 32;

    void fail();
    void readBytes(void *into, std::size_t size); // leaves `into` unchanged when there are fewer bytes
    template <class T>
    void read(T &value)
    {
        if constexpr (WireNumber<T>) {
            value = T{};
            readBytes(&value, sizeof value);
        } else if (m_depth == kMaxDepth) {
            fail();
        } else {
            ++m_depth;
            exchange(*this, value);
            --m_depth;
        }
    }
    void read(bool &value)
    {
        std::uint8_t byte = 0;
        below(byte, std::uint8_t{1});
        value = byte != 0;
    }
    void read(std::string &text)
    {
        const std::uint64_t size = readLength();
        text.assign(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
    }
    template <class Tag>
    void read(Id<Tag> &id)
    {
        read(id.value);
    }
    void read(std::chrono::nanoseconds &time)
    {
        std::int64_t count = 0;
        read(count);
        time = std::chrono::nanoseconds(count);
    }
    // Every item takes at least one byte, so a length is never larger than the number of bytes that follow it.
    template <class T>
    void read(std::vector<T> &list)
    {
        list.clear();
        for (std::uint64_t rest = readLength(); rest > 0 && !m_hasFailed; --rest)
            read(list.emplace_back());
    }
    template <class T, std::size_t N>
    void read(std::array<T, N> &list)
    {
        for (T &item : list)
            read(item);
    }
    std::uint64_t readLength();

    std::string_view m_rest;
    int m_depth = 0;
    bool m_hasFailed = false;
};

} // namespace sw
