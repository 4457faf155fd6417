#include "engine/backend/host/message_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace sw {

namespace {

constexpr std::uint32_t kMagic = 0x48575453; // "STWH"
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

struct Header {
    std::uint32_t magic = kMagic;
    std::uint32_t protocol = kHostProtocol;
    std::uint32_t call = 0;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
};

Diagnostic broken(std::string_view what)
{
    return Diagnostic::error(Code::Run, {}, "{}", what);
}

bool sendAll(int socket, const void *data, std::size_t size)
{
    const char *at = static_cast<const char *>(data);
    while (size > 0) {
        const ssize_t count = ::send(socket, at, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

// The number of bytes received before the end of the stream.
std::size_t receiveAll(int socket, void *data, std::size_t size)
{
    std::size_t got = 0;
    while (got < size) {
        const ssize_t count = recv(socket, static_cast<char *>(data) + got, size - got, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        got += static_cast<std::size_t>(count);
    }
    return got;
}

} // namespace

Result<Done> MessageSocket::send(const HostMessage &message)
{
    const Header header{.call = static_cast<std::uint32_t>(message.call), .number = message.number, .bytes = message.body.size()};
    if (!sendAll(m_socket.get(), &header, sizeof header) || !sendAll(m_socket.get(), message.body.data(), message.body.size()))
        return broken("the other process is gone");
    return Done{};
}

Result<std::optional<HostMessage>> MessageSocket::receive()
{
    Header header;
    const std::size_t got = receiveAll(m_socket.get(), &header, sizeof header);
    if (got == 0)
        return std::optional<HostMessage>();
    if (got < sizeof header)
        return broken("the other process ended in the middle of a message");
    if (header.magic != kMagic)
        return broken("what came is no message of a stepwell-host");
    if (header.protocol != kHostProtocol)
        return broken(format("the other process speaks version {} of the protocol, this one {}", header.protocol, kHostProtocol));
    if (header.call > static_cast<std::uint32_t>(HostCall::Reply) || header.bytes > kLargestBody)
        return broken(format("a message of kind {} with {} bytes, which there is not", header.call, header.bytes));
    HostMessage message{.call = static_cast<HostCall>(header.call), .number = header.number};
    // Memory grows as bytes arrive, so that a large length alone takes no memory.
    while (message.body.size() < header.bytes) {
        const std::size_t before = message.body.size();
        message.body.resize(before + std::min(kPieceBytes, header.bytes - before));
        if (receiveAll(m_socket.get(), message.body.data() + before, message.body.size() - before) < message.body.size() - before)
            return broken("the other process ended in the middle of a message");
    }
    return std::optional(std::move(message));
}

bool MessageSocket::waitFor(std::chrono::milliseconds longest) const
{
    pollfd watched{m_socket.get(), POLLIN, 0};
    return poll(&watched, 1, static_cast<int>(longest.count())) > 0;
}

Result<SocketPair> makeSocketPair()
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return Diagnostic::error(Code::Run, {}, "no socket to another process: {}", std::strerror(errno));
    return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

} // namespace sw
