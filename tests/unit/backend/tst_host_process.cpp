// Hosts that answer nonsense, or nothing: programs that take a host's place and send what they are told to.

#include "engine/backend/host/host_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace sw::test {
namespace {

constexpr std::size_t kHeaderBytes = 24;

// As it travels.
std::string bytesOf(const HostMessage &message)
{
    SocketPair pair = makeSocketPair().value();
    const int raw = pair.theirs.get();
    MessageSocket socket(std::move(pair.ours));
    SW_ASSERT(socket.send(message).has_value(), "a socket that takes a small message");
    std::string bytes(kHeaderBytes + message.body.size(), '\0');
    SW_ASSERT(read(raw, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a message that arrives whole");
    return bytes;
}

std::string replyBytes(std::uint32_t number, const std::string &body)
{
    return bytesOf({.call = HostCall::Reply, .number = number, .body = body});
}

bool isGone(pid_t id)
{
    return kill(id, 0) != 0 && errno == ESRCH;
}

class FakeHost : public testing::Test {
protected:
    FakeHost()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "stepwell-host-XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
    }
    ~FakeHost() override { std::filesystem::remove_all(m_folder); }
    FakeHost(const FakeHost &) = delete;
    FakeHost &operator=(const FakeHost &) = delete;

    // A host that sends these bytes, then takes what comes until its socket is closed, or ends at once.
    enum class Then : std::uint8_t { Stays, Ends };
    std::filesystem::path programThatSends(const std::string &bytes, Then then = Then::Stays)
    {
        const std::filesystem::path program = m_folder / "host";
        std::ofstream(m_folder / "host.bytes", std::ios::binary) << bytes;
        std::ofstream(program) << "#!/bin/sh\ncat \"$0.bytes\" >&3\n"
                               << (then == Then::Stays ? "exec cat <&3 >/dev/null\n" : "exit 3\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        return program;
    }

private:
    std::filesystem::path m_folder;
};

TEST_F(FakeHost, isEndedWhenItSendsNoise)
{
    HostProcess host(programThatSends("this is no message of a stepwell-host at all"), "llvm");
    ASSERT_TRUE(host.generation());
    const pid_t id = host.processId();
    const auto answer = host.call(HostCall::Probe, {});
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().front().message.find("no message"), std::string::npos) << toText(answer.error());
    EXPECT_EQ(host.processId(), 0);
    EXPECT_TRUE(isGone(id));
}

TEST_F(FakeHost, isEndedWhenItsAnswerCannotBeRead)
{
    const std::string errors = packed(Diagnostics{Diagnostic::error(Code::Run, {}, "it does not work")});
    for (const std::string &body : {std::string(), std::string(3, 'x'), errors.substr(0, errors.size() - 1)}) {
        HostProcess host(programThatSends(replyBytes(0, body)), "llvm");
        const auto answer = host.call(HostCall::Launch, {});
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().front().message.find("cannot be read"), std::string::npos) << toText(answer.error());
        EXPECT_EQ(host.processId(), 0);
    }
}

TEST_F(FakeHost, isEndedWhenItAnswersAnotherCall)
{
    const std::string fine = packed(Diagnostics());
    for (const std::string &bytes : {replyBytes(7, fine), bytesOf({.call = HostCall::Launch, .number = 0, .body = fine})}) {
        HostProcess host(programThatSends(bytes), "llvm");
        EXPECT_FALSE(host.call(HostCall::Launch, {}));
        EXPECT_EQ(host.processId(), 0);
    }
}

TEST_F(FakeHost, mayEndAnywhereInAMessage)
{
    const std::string whole = replyBytes(0, packed(Diagnostics(), std::string("a text")));
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        HostProcess host(programThatSends(whole.substr(0, size), Then::Ends), "llvm");
        const auto answer = host.call(HostCall::Probe, {});
        ASSERT_FALSE(answer) << size;
        EXPECT_FALSE(answer.error().front().message.empty());
        EXPECT_EQ(host.processId(), 0);
    }
}

TEST_F(FakeHost, thatPromisesMoreThanItSendsTakesNoMemory)
{
    std::string bytes = replyBytes(0, packed(Diagnostics()));
    const std::uint64_t promised = kLargestBody;
    bytes.replace(kHeaderBytes - sizeof promised, sizeof promised, reinterpret_cast<const char *>(&promised), sizeof promised);
    HostProcess host(programThatSends(bytes, Then::Ends), "llvm");
    EXPECT_FALSE(host.call(HostCall::Probe, {}));
    const std::uint64_t tooMany = kLargestBody + 1;
    bytes.replace(kHeaderBytes - sizeof tooMany, sizeof tooMany, reinterpret_cast<const char *>(&tooMany), sizeof tooMany);
    HostProcess other(programThatSends(bytes), "llvm");
    EXPECT_FALSE(other.call(HostCall::Probe, {}));
    EXPECT_EQ(other.processId(), 0);
}

// The next call finds a new process, whose first answer is that of the second call.
TEST_F(FakeHost, thatDoesNotAnswerIsReplaced)
{
    const HostPatience patience{.cancelled = std::chrono::milliseconds(20), .quick = std::chrono::milliseconds(20)};
    HostProcess host(programThatSends({}), "llvm", patience);
    const auto silent = host.call(HostCall::Open, {});
    ASSERT_FALSE(silent);
    EXPECT_NE(silent.error().front().message.find("did not answer within 20 ms"), std::string::npos) << toText(silent.error());
    EXPECT_EQ(host.processId(), 0);
    programThatSends(replyBytes(1, packed(Diagnostics(), std::uint32_t{42})));
    const auto answer = host.call(HostCall::Compile, {});
    ASSERT_TRUE(answer) << toText(answer.error());
    EXPECT_EQ(*answer, packed(std::uint32_t{42}));
    EXPECT_EQ(host.generation().value(), 2U);
}

TEST_F(FakeHost, thatDoesNotComeBackFromACancelledCallIsEnded)
{
    HostProcess host(programThatSends({}), "llvm", {.cancelled = std::chrono::milliseconds(20)});
    for (const HostCall call : {HostCall::Compile, HostCall::Launch}) {
        std::stop_source stop;
        std::jthread stopper([&] { stop.request_stop(); });
        const auto answer = host.call(call, {}, stop.get_token());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().front().code, Code::Cancelled) << toText(answer.error());
        EXPECT_EQ(host.processId(), 0);
    }
}

// Files of ours that are not closed on exec are none of the host's; none of its own stay here.
TEST_F(FakeHost, hasNoFilesOfOurs)
{
    const auto files = [](const std::string &process) {
        std::vector<std::string> found;
        std::error_code error;
        for (const auto &file : std::filesystem::directory_iterator("/proc/" + process + "/fd", error))
            found.push_back(std::filesystem::read_symlink(file.path(), error).string());
        return found;
    };
    // Above the numbers that a host is given files under, where it would be replaced and prove nothing.
    constexpr int kHigh = 100;
    const Descriptor low(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const Descriptor ours(fcntl(low.get(), F_DUPFD, kHigh));
    ASSERT_TRUE(ours.isOpen());
    const std::string name = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::size_t before = files("self").size();
    {
        HostProcess host(programThatSends(replyBytes(0, packed(Diagnostics()))), "llvm");
        ASSERT_TRUE(host.call(HostCall::Probe, {}));
        EXPECT_GT(files("self").size(), before);
        const std::vector<std::string> theirs = files(std::to_string(host.processId()));
        EXPECT_FALSE(theirs.empty());
        EXPECT_EQ(std::ranges::count(theirs, name), 0);
    }
    EXPECT_EQ(files("self").size(), before);
}

} // namespace
} // namespace sw::test
