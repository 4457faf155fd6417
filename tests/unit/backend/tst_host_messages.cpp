// What two processes say to each other, and what becomes of it when it is broken.

#include "engine/backend/host/host_server.h"
#include "engine/backend/interpreter/interpreter_backend.h"

#include <gtest/gtest.h>

#include <random>
#include <sys/socket.h>

namespace sw {
namespace {

Artifact someArtifact()
{
    return {.id = ArtifactId(7U), .symbol = "add", .log = "a warning", .compileTime = std::chrono::milliseconds(3)};
}

std::vector<MachineInstruction> someInstructions()
{
    return {{.address = 4,
             .bytes = {0x90, 0xc3},
             .text = "nop",
             .sourceLine = 3,
             .tag = CodeTag::Spill,
             .isInferred = true,
             .target = 0},
            {.address = 6, .bytes = {0xeb, 0xfe}, .text = "jmp", .sourceLine = 4, .tag = CodeTag::Instruction, .target = 6}};
}

CompileOutcome someOutcome()
{
    const SourceRange where{"k.ll", 3, 4, 3, 9};
    return {.errors = {Diagnostic::error(Code::Compile, where, "no such type").withHint("write another")},
            .artifact = someArtifact()};
}

TEST(HostMessages, comeBackAsTheyWere)
{
    const std::string bytes = packed(someOutcome());
    CompileOutcome read;
    ASSERT_TRUE(unpack(bytes, read));
    EXPECT_EQ(toText(read.errors), toText(someOutcome().errors));
    EXPECT_EQ(read.artifact.id, ArtifactId(7U));
    EXPECT_EQ(read.artifact.compileTime, std::chrono::milliseconds(3));
    EXPECT_EQ(packed(read), bytes);
}

TEST(HostMessages, bringDevicesBackAsTheyWere)
{
    const DeviceInfo device{.id = "llvm",
                            .backend = "llvm",
                            .description = "LLVM on a processor",
                            .threads = 3,
                            .vectorBytes = 64,
                            .vectorRegisters = 32,
                            .maxWorkgroup = 2,
                            .localMemoryBytes = 5,
                            .firstLevelBytes = 48 << 10,
                            .firstLevelWays = 12,
                            .cacheBytesPerCore = 2 << 20,
                            .sharedCacheBytes = 16 << 20,
                            .bufferAlignment = 128,
                            .hasF64 = false,
                            .hasF16 = true,
                            .tensorInstructions = 6,
                            .scratchBytes = 7,
                            .driver = "LLVM 22"};
    DeviceInfo read;
    ASSERT_TRUE(unpack(packed(device), read));
    EXPECT_EQ(read, device);
}

TEST(HostMessages, bringMachineCodeBackAsItWas)
{
    const std::string bytes = packed(someInstructions());
    std::vector<MachineInstruction> read;
    ASSERT_TRUE(unpack(bytes, read));
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].bytes, someInstructions()[0].bytes);
    EXPECT_EQ(read[0].tag, CodeTag::Spill);
    EXPECT_TRUE(read[0].isInferred);
    EXPECT_FALSE(read[1].isInferred);
    EXPECT_EQ(packed(read), bytes);
}

TEST(HostMessages, areRefusedWhenTooShortOrTooLong)
{
    const std::string bytes = packed(someOutcome());
    CompileOutcome read;
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, size), read)) << size;
    EXPECT_FALSE(unpack(bytes + "x", read));
}

TEST(HostMessages, areReadSafelyWhateverTheirBytes)
{
    std::mt19937 random(1);
    const std::string bytes = packed(std::vector{someOutcome(), someOutcome()}, someInstructions());
    for (int round = 0; round < 20000; ++round) {
        std::string changed = bytes;
        for (int i = 0; i < 3; ++i)
            changed[random() % changed.size()] = static_cast<char>(random());
        std::vector<CompileOutcome> read;
        std::vector<MachineInstruction> instructions;
        if (!unpack(changed, read, instructions))
            continue;
        for (const MachineInstruction &instruction : instructions)
            EXPECT_FALSE(nameOf(instruction.tag).empty());
    }
}

// Notes of notes, each of which is a step deeper in the reader.
TEST(HostMessages, areRefusedWhenTheyNestWithoutEnd)
{
    const Diagnostics leaf = {Diagnostic::error(Code::Run, {}, "x")};
    const std::string one = packed(leaf);
    // The list's length and its only item, up to the length of the item's notes, where the next level goes.
    const std::string level = one.substr(0, one.size() - sizeof(std::uint64_t));
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i)
        deep += level;
    deep += packed(Diagnostics());
    Diagnostics read;
    EXPECT_FALSE(unpack(deep, read));
    // A few levels are fine: an error, its note, and the note's own.
    Diagnostics nested = leaf;
    nested.front().notes = leaf;
    nested.front().notes.front().notes = leaf;
    ASSERT_TRUE(unpack(packed(nested), read));
    EXPECT_EQ(toText(read), toText(nested));
}

TEST(HostMessages, arriveWholeOrAsErrors)
{
    SocketPair pair = makeSocketPair().value();
    const int raw = pair.theirs.get();
    MessageSocket socket(std::move(pair.ours));
    const std::string noise = "this is no message of a stepwell-host at all";
    ASSERT_GT(::send(raw, noise.data(), noise.size(), 0), 0);
    EXPECT_FALSE(socket.receive());

    SocketPair other = makeSocketPair().value();
    MessageSocket reader(std::move(other.ours));
    {
        MessageSocket writer(std::move(other.theirs));
        ASSERT_TRUE(writer.send({HostCall::Launch, 5, std::string(100000, 'x')}));
        const auto message = reader.receive();
        ASSERT_TRUE(message && *message);
        EXPECT_EQ((*message)->number, 5U);
        EXPECT_EQ((*message)->body.size(), 100000U);
    }
    const auto end = reader.receive();
    ASSERT_TRUE(end);
    EXPECT_FALSE(*end);
}

TEST(HostServer, endsWithAnErrorWhenWhatComesIsNoMessage)
{
    SocketPair pair = makeSocketPair().value();
    const auto backend = makeInterpreterBackend();
    HostServer server(*backend, std::move(pair.theirs), StagingMemory::make().value());
    const std::string noise = "this is no message of a stepwell-host at all";
    ASSERT_GT(::send(pair.ours.get(), noise.data(), noise.size(), 0), 0);
    bool hasFailed = false;
    const auto ended = server.serve([&](const Result<Done> &result) { hasFailed = !result; });
    EXPECT_TRUE(hasFailed); // known to the program that must end there
    EXPECT_FALSE(ended);
}

TEST(HostServer, answersBrokenCallsAndGoesOn)
{
    SocketPair pair = makeSocketPair().value();
    const auto backend = makeInterpreterBackend();
    HostServer server(*backend, std::move(pair.theirs), StagingMemory::make().value());
    Result<Done> ended = Done{};
    std::jthread thread([&] { ended = server.serve([](const Result<Done> &) {}); });
    std::optional<MessageSocket> client(std::in_place, std::move(pair.ours));

    std::uint32_t number = 0;
    for (std::uint32_t call = 0; call < static_cast<std::uint32_t>(HostCall::Cancel); ++call) {
        for (const std::string &body : {std::string("\x01\xff\x00\xff", 4), packed(HostSession{99}, std::int64_t{1} << 60)}) {
            ASSERT_TRUE(client->send({static_cast<HostCall>(call), number, body}));
            const auto reply = client->receive();
            ASSERT_TRUE(reply && *reply);
            EXPECT_EQ((*reply)->number, number++);
            const bool takesNothing = static_cast<HostCall>(call) == HostCall::Probe;
            const bool isOkay = (*reply)->body.substr(0, 8) == packed(Diagnostics());
            EXPECT_EQ(isOkay, takesNothing) << call;
        }
    }
    client.reset();
    thread.join();
    EXPECT_TRUE(ended);
}

} // namespace
} // namespace sw
