#pragma once
// How far a long piece of work is, for who waits for it: one step after the other, some of which are so many equal pieces. The
// threads that work tell; any thread asks.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace sw {

class WorkProgress {
public:
    // Both texts are literals: they live as long as the process.
    struct State {
        std::string_view step = {}; // "Lower loops"; empty: no work has begun
        std::string_view unit = {}; // "kernels"
        std::uint64_t done = 0;
        std::uint64_t all = 0; // 0: the step is one piece
    };

    void begin(std::string_view step);
    // The current step is so many pieces, none of which is done yet.
    void expect(std::uint64_t all, std::string_view unit);
    void advance(std::uint64_t pieces = 1) { m_done.fetch_add(pieces, std::memory_order_relaxed); }
    // The work is over.
    void end() { begin({}); }

    [[nodiscard]] State now() const;

private:
    mutable std::mutex m_mutex; // of all but m_done
    State m_state;
    std::atomic<std::uint64_t> m_done = 0;
};

// "Lower loops, 12 of 40 kernels"; empty before the work begins.
[[nodiscard]] std::string toText(const WorkProgress::State &state);

} // namespace sw
