#pragma once
// A second process that builds and translates some of the kernels of a compilation: PoCL translates one kernel at a time in a
// process, however many threads ask. What it makes lies in the driver's cache, where this process finds it, and only there: when
// the assistant cannot be started, crashes or hangs, this process does the work itself.

#include "engine/backend/host/message_socket.h"

#include <filesystem>
#include <stop_token>
#include <sys/types.h>

namespace sw {

struct AssistantJob {
    std::string device = {};               // its id
    std::string text = {};                 // of the program
    std::vector<std::string> symbols = {}; // its kernels; the assistant begins with the last
};

// When and how to start one.
struct AssistantOptions {
    std::filesystem::path program = {}; // stepwell-host; empty: no assistant
    // A program from the cache is built in less time than this, and needs none.
    std::chrono::milliseconds delay{60};
    // How long an assistant that says nothing is waited for when there is nothing else left to do.
    std::chrono::milliseconds patience{20000};
};

class ClAssistant {
public:
    // There is a program and a processor for it.
    [[nodiscard]] static bool isPossible(const AssistantOptions &options);
    // Nothing: it cannot be started.
    static std::unique_ptr<ClAssistant> start(const AssistantOptions &options, const AssistantJob &job);
    ~ClAssistant(); // ends the process
    ClAssistant(const ClAssistant &) = delete;
    ClAssistant &operator=(const ClAssistant &) = delete;

    // Waits until the program is in the cache, or the assistant ends or loses our patience.
    void awaitProgram(const std::stop_token &stop);
    // Tells it to leave the first kernels to us.
    void leave(std::size_t kernels);
    // How many kernels it has begun, from the last one on. The last of these may not be finished yet.
    [[nodiscard]] std::size_t begun();
    // It has said nothing for longer than our patience counts as an end.
    [[nodiscard]] bool hasEnded();

private:
    ClAssistant(pid_t id, MessageSocket socket, std::chrono::milliseconds patience)
        : m_id(id), m_socket(std::move(socket)), m_patience(patience)
    {
    }
    void read(std::chrono::milliseconds longest); // what it has said; waits at most this long for the first

    pid_t m_id;
    MessageSocket m_socket;
    std::chrono::milliseconds m_patience;
    std::chrono::steady_clock::time_point m_lastNews = std::chrono::steady_clock::now();
    bool m_isBuilt = false;
    bool m_hasEnded = false;
    std::size_t m_begun = 0;
};

// The other side: reads its job from the socket, does it and ends the process. Closing the socket ends it too. Returns an exit
// code if there is no job.
int assistTranslating(Descriptor socket);

} // namespace sw
