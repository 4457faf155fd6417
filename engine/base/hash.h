#pragma once
// 64-bit hashing for caches and value numbering (FNV-1a with a final mix). Not safe against adversarial input.

#include <cstdint>
#include <string_view>

namespace sw {

class Hasher {
public:
    Hasher &add(std::string_view bytes)
    {
        for (const char c : bytes)
            addByte(static_cast<unsigned char>(c));
        return add(static_cast<std::uint64_t>(bytes.size()));
    }
    Hasher &add(std::uint64_t word)
    {
        for (int i = 0; i < 8; ++i)
            addByte(static_cast<unsigned char>(word >> (8 * i)));
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const
    {
        std::uint64_t x = m_state;
        x ^= x >> 33U;
        x *= 0xff51afd7ed558ccdULL;
        x ^= x >> 33U;
        return x;
    }

private:
    void addByte(unsigned char byte) { m_state = (m_state ^ byte) * 0x100000001b3ULL; }

    std::uint64_t m_state = 0xcbf29ce484222325ULL;
};

// The same for words alone and for tables in memory: quicker, and its values are no one else's business.
class WordHasher {
public:
    WordHasher &add(std::uint64_t word)
    {
        m_state = (m_state ^ word) * 0x9e3779b97f4a7c15ULL;
        m_state ^= m_state >> 32U;
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const { return m_state; }

private:
    std::uint64_t m_state = 0x243f6a8885a308d3ULL;
};

} // namespace sw
