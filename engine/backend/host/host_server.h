#pragma once
// The host's side: answers the calls of another process, one after the other, with a backend of this process. A second thread
// reads the socket meanwhile, so that a call can be cancelled while it runs.

#include "engine/backend/host/message_socket.h"
#include "engine/backend/host/staging_memory.h"
#include "engine/backend/work_recorder.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace sw {

class HostServer {
public:
    HostServer(Backend &backend, Descriptor socket, StagingMemory staging);

    // Returns when the other side closes its end; receiving something that is no message is an error. First calls `onEnd` with
    // the same result, from the thread that noticed: a running call may never return then, so a program exits there.
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
    [[nodiscard]] Result<std::string> submit(const std::string &body, const std::stop_token &stop);
    [[nodiscard]] Result<std::string> transfer(const std::string &body, bool isUpload);
    [[nodiscard]] Result<std::string> queueUpload(const std::string &body, const std::stop_token &stop);
    // The recorder that the call is about, null when that part of the device has none, and the argument behind it, if any.
    [[nodiscard]] Result<WorkRecorder *> recorderIn(const std::string &body, WithCounters *counters);
    [[nodiscard]] Result<Backend::Opened *> opened(HostSession session);

    Backend &m_backend;
    MessageSocket m_socket;
    StagingMemory m_staging;
    std::map<HostSession, Backend::Opened> m_opened;
    HostSession m_nextSession = 0;
    std::vector<std::byte> m_parts; // of an upload whose last part is still to come

    std::mutex m_mutex; // guards the members below
    std::condition_variable m_changed;
    std::deque<Request> m_waiting;
    std::map<std::uint32_t, std::stop_source> m_unanswered; // by call number
    bool m_isEnded = false;
};

} // namespace sw
