#pragma once
// Messages over a socket: a header that gives the kind, the number and the length, then the body.

#include "engine/backend/host/host_messages.h"
#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <chrono>
#include <optional>

namespace sw {

struct HostMessage {
    HostCall call = HostCall::Reply;
    std::uint32_t number = 0; // of the call that this message makes or answers
    std::string body = {};
};

class MessageSocket {
public:
    explicit MessageSocket(Descriptor socket) : m_socket(std::move(socket)) {}

    // Errors: the other side is gone.
    Result<Done> send(const HostMessage &message);
    // Nothing: the other side has closed the socket between two messages. Errors: it closed in the middle of a message, or the
    // bytes are not a message of this protocol.
    Result<std::optional<HostMessage>> receive();
    // Whether receive would find something; waits at most this long.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds longest) const;

private:
    Descriptor m_socket;
};

// Both ends of a socket; exec closes them.
struct SocketPair {
    Descriptor ours;
    Descriptor theirs;
};
[[nodiscard]] Result<SocketPair> makeSocketPair();

} // namespace sw
