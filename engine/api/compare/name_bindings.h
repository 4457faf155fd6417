#pragma once
// Which counted name of one text stands for which of the other. A name is bound where it is defined in both, or where it is read
// first; from then on a line agrees only when its names are bound to each other.

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

class NameBindings {
public:
    NameBindings() : m_before(64), m_after(64) {}

    // Forgets all names: what comes next has its own.
    void clear()
    {
        m_before.clear();
        m_after.clear();
    }

    void define(std::uint64_t before, std::uint64_t after)
    {
        m_before.at(before) = after;
        m_after.at(after) = before;
    }
    // Only one of the texts has a definition here: what reads it has no partner.
    void defineBefore(std::uint64_t name) { m_before.at(name) = kAlone; }
    void defineAfter(std::uint64_t name) { m_after.at(name) = kAlone; }

    // Whether two names that are read stand for each other. Binds them when neither was seen yet.
    bool agree(std::uint64_t before, std::uint64_t after)
    {
        std::uint64_t &to = m_before.at(before);
        std::uint64_t &from = m_after.at(after);
        if (to == kUnknown && from == kUnknown) {
            to = after;
            from = before;
        }
        return to == after && from == before;
    }

private:
    static constexpr std::uint64_t kUnknown = 0;
    static constexpr std::uint64_t kAlone = ~std::uint64_t{0};

    // From hashes to hashes; clearing costs nothing.
    class Table {
    public:
        explicit Table(std::size_t size) : m_slots(size) {}
        void clear()
        {
            ++m_round;
            m_used = 0;
        }
        std::uint64_t &at(std::uint64_t key)
        {
            if (m_used * 2 >= m_slots.size())
                grow();
            return slotOf(key);
        }

    private:
        struct Slot {
            std::uint64_t key = 0;
            std::uint64_t value = 0;
            std::uint32_t round = 0;
        };
        std::uint64_t &slotOf(std::uint64_t key)
        {
            const std::size_t mask = m_slots.size() - 1;
            for (std::size_t i = key * 0x9e3779b97f4a7c15ULL >> 20U & mask;; i = (i + 1) & mask) {
                Slot &slot = m_slots[i];
                if (slot.round != m_round) {
                    slot = {key, kUnknown, m_round};
                    ++m_used;
                }
                if (slot.key == key)
                    return slot.value;
            }
        }
        void grow()
        {
            std::vector<Slot> old = std::exchange(m_slots, std::vector<Slot>(m_slots.size() * 2));
            m_used = 0;
            for (const Slot &slot : old)
                if (slot.round == m_round)
                    slotOf(slot.key) = slot.value;
        }

        std::vector<Slot> m_slots;
        std::size_t m_used = 0;
        std::uint32_t m_round = 1;
    };

    Table m_before;
    Table m_after;
};

} // namespace sw
