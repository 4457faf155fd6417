#pragma once
// Messages over a socket: a header with what it is and how long, then the body.

#include "engine/backend/host/host_messages.h"
#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <chrono>
#include <optional>

namespace sw {

struct HostMessage {
    HostCall call = HostCall::Reply;
    std::uint32_t number = 0; // of the call that it is, or answers
    std::string body = {};
};

class MessageSocket {
public:
    explicit MessageSocket(Descriptor socket) : m_socket(std::move(socket)) {}

    // Errors: the other side is gone.
    Result<Done> send(const HostMessage &message);
    // Nothing: the other side has closed the socket between two messages. Errors: it is gone in the middle of one, or what came
    // is no message of this protocol.
    Result<std::optional<HostMessage>> receive();
    // Whether receive would find something, waiting no longer than this.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds longest) const;

private:
    Descriptor m_socket;
};

// Both ends of one, closed on exec.
struct SocketPair {
    Descriptor ours;
    Descriptor theirs;
};
[[nodiscard]] Result<SocketPair> makeSocketPair();

} // namespace sw
