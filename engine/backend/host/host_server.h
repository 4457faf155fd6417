#pragma once
// The host's side: answers the calls of one other process with a backend of this one, one after the other. Another thread reads
// the socket meanwhile, so that a call can be cancelled while it runs.

#include "engine/backend/host/message_socket.h"
#include "engine/backend/host/staging_memory.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace sw {

class HostServer {
public:
    HostServer(Backend &backend, Descriptor socket, StagingMemory staging);

    // Returns when the other side has closed its end, or has sent what is no message, which is an error. Calls `onEnd` with the
    // same first, from the thread that noticed: a call that is running then may never return, so a program ends there.
    Result<Done> serve(const std::function<void(const Result<Done> &)> &onEnd);

private:
    struct Request {
        HostMessage message;
        std::stop_source stop;
    };

    Result<Done> readRequests();
    std::optional<Request> next();
    [[nodiscard]] std::string answer(const HostMessage &message, const std::stop_token &stop);
    [[nodiscard]] Result<std::string> called(const HostMessage &message, const std::stop_token &stop);
    [[nodiscard]] Result<std::string> open(const std::string &body);
    [[nodiscard]] Result<std::string> compile(const std::string &body, const std::stop_token &stop);
    [[nodiscard]] Result<std::string> launch(const std::string &body, const std::stop_token &stop);
    [[nodiscard]] Result<std::string> transfer(const std::string &body, bool isUpload);
    [[nodiscard]] Result<Backend::Opened *> opened(HostSession session);

    Backend &m_backend;
    MessageSocket m_socket;
    StagingMemory m_staging;
    std::map<HostSession, Backend::Opened> m_opened;
    HostSession m_nextSession = 0;

    std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    std::deque<Request> m_waiting;
    std::map<std::uint32_t, std::stop_source> m_unanswered; // by number of the call
    bool m_isEnded = false;
};

} // namespace sw
