#pragma once
// Destroys large things while nobody waits. Destroying a compilation takes as long as making some of its stages, and a thread
// that frees what another thread allocated makes every allocation of the other one wait. So it happens between compilations.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sw {

class Disposal {
public:
    // Parts of what was made together; they are destroyed one by one, in this order.
    struct Batch {
        std::vector<std::shared_ptr<const void>> parts;
        bool isLarge = false; // its memory is worth returning to the system
    };
    // While one lives, nothing is destroyed on the other thread.
    class Pause {
    public:
        // Waits for the part that is being destroyed, and for batches beyond kMostWaiting.
        explicit Pause(Disposal &of);
        ~Pause();
        Pause(const Pause &) = delete;
        Pause &operator=(const Pause &) = delete;

    private:
        Disposal &m_of;
    };

    // So many batches may wait when a pause begins: what they hold is memory that others miss.
    static constexpr std::size_t kMostWaiting = 3;

    Disposal();
    ~Disposal(); // destroys everything
    Disposal(const Disposal &) = delete;
    Disposal &operator=(const Disposal &) = delete;

    void add(Batch batch);

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Batch> m_waiting;
    std::size_t m_pauses = 0;
    bool m_isDestroying = false; // the thread, a part
    bool m_isEnding = false;
    std::thread m_thread;
};

} // namespace sw
