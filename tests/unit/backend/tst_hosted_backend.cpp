// Backends in processes of their own: the same answers as in this one, and life after a death.

#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/execute/opened_device.h"
#include "tests/unit/backend/backend_fixture.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace sw::test {
namespace {

constexpr std::int64_t kElements = 4096;

// The processes that this one has started.
std::vector<pid_t> children()
{
    std::vector<pid_t> found;
    for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(thread.path() / "children");
        for (pid_t id = 0; list >> id;)
            found.push_back(id);
    }
    return found;
}

HostTensor counted(std::int64_t first)
{
    HostTensor tensor(DType::F32, {kElements});
    for (std::int64_t i = 0; i < kElements; ++i)
        tensor.set(i, Scalar::of(DType::F32, static_cast<double>(first + i)));
    return tensor;
}

class HostedBackendTest : public testing::TestWithParam<const char *> {
protected:
    HostedBackendTest() { addHostedBackends(m_registry, STEPWELL_HOST_PROGRAM); }

    void SetUp() override
    {
        backend = m_registry.find(GetParam());
        ASSERT_NE(backend, nullptr);
        const auto devices = backend->probe();
        if (!devices)
            GTEST_SKIP() << toText(devices.error());
        device = devices->front();
        auto made = backend->open(device, {});
        ASSERT_TRUE(made) << toText(made.error());
        opened = std::move(*made);
        source = backend->renderer().render(kernel, device).value();
    }
    void TearDown() override
    {
        opened.runtime.reset();
        opened.compiler.reset();
    }

    Result<Artifact> compile() { return std::move(opened.compiler->compile({&source, 1}, {}).front()); }

    // x + y by the artifact.
    Result<HostTensor> add(ArtifactId artifact)
    {
        std::vector<DeviceBufferId> buffers;
        for (const HostTensor &tensor : {counted(0), counted(7), HostTensor(DType::F32, {kElements})}) {
            SW_TRY(const DeviceBufferId buffer, opened.runtime->allocate(static_cast<std::int64_t>(tensor.byteSize())));
            SW_CHECK(opened.runtime->upload(buffer, 0, tensor.bytes()));
            buffers.push_back(buffer);
        }
        SW_CHECK(opened.runtime->launch({artifact, buffers, kernel.globalSize, kernel.localSize}, {}));
        HostTensor sum(DType::F32, {kElements});
        SW_CHECK(opened.runtime->download(buffers.back(), 0, sum.mutableBytes()));
        for (const DeviceBufferId buffer : buffers)
            opened.runtime->free(buffer);
        return sum;
    }

    static void expectSum(const Result<HostTensor> &sum)
    {
        ASSERT_TRUE(sum) << toText(sum.error());
        for (std::int64_t i = 0; i < kElements; ++i)
            ASSERT_EQ(sum->at(i).asDouble(), static_cast<double>(2 * i + 7));
    }

    // The host that started last, which is this backend's. It is dead on return, and its end is still to be seen.
    static void killHost()
    {
        const std::vector<pid_t> hosts = children();
        ASSERT_FALSE(hosts.empty());
        ASSERT_EQ(kill(hosts.back(), SIGKILL), 0);
        siginfo_t end{};
        ASSERT_EQ(waitid(P_PID, static_cast<id_t>(hosts.back()), &end, WEXITED | WNOWAIT), 0);
    }

    BackendRegistry m_registry;
    Backend *backend = nullptr;
    DeviceInfo device;
    Backend::Opened opened;
    LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 512);
    RenderedSource source;
};

TEST_P(HostedBackendTest, compilesAndRunsAsInThisProcess)
{
    const auto artifact = compile();
    ASSERT_TRUE(artifact) << toText(artifact.error());
    expectSum(add(artifact->id));
    OpenBackend own(GetParam());
    const auto same = own.compile(kernel);
    ASSERT_TRUE(same);
    const auto machine = opened.compiler->machineCode(artifact->id);
    const auto sameMachine = own.compiler->machineCode(same->id);
    ASSERT_EQ(machine.has_value(), sameMachine.has_value());
    if (machine) {
        EXPECT_EQ(machine->size(), sameMachine->size());
    }
    EXPECT_EQ(artifact->symbol, same->symbol);
    EXPECT_EQ(device.description, own.device.description);
}

TEST_P(HostedBackendTest, placesErrorsOfTheText)
{
    source.text.insert(source.text.find('\n') + 1, "this is no code\n");
    const auto artifact = compile();
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().front().code, Code::Compile);
    EXPECT_TRUE(artifact.error().front().where.isKnown());
    OpenBackend own(GetParam());
    const auto same = std::move(own.compiler->compile({&source, 1}, {}).front());
    ASSERT_FALSE(same);
    EXPECT_EQ(toText(artifact.error()), toText(same.error()));
}

TEST_P(HostedBackendTest, startsAHostAnewThatDiedWhileIdle)
{
    const auto artifact = compile();
    ASSERT_TRUE(artifact);
    const auto buffer = opened.runtime->allocate(64);
    ASSERT_TRUE(buffer);
    killHost();
    // Nobody was waiting for it: a new one compiles the kernel again and runs it. Only memory is lost.
    const auto other = opened.runtime->allocate(64);
    ASSERT_TRUE(other) << toText(other.error());
    expectSum(add(artifact->id));
    std::array<std::byte, 64> bytes{};
    const auto lost = opened.runtime->download(*buffer, 0, bytes);
    ASSERT_FALSE(lost);
    EXPECT_NE(lost.error().front().message.find("was lost"), std::string::npos) << toText(lost.error());
    opened.runtime->free(*buffer);
    opened.runtime->free(*other);
    const auto again = compile();
    ASSERT_TRUE(again);
    expectSum(add(again->id));
}

TEST_P(HostedBackendTest, movesMoreThanTheSharedMemoryHolds)
{
    const std::size_t size = (std::size_t{70} << 20) + 3;
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i * 2654435761U >> 24);
    const auto buffer = opened.runtime->allocate(static_cast<std::int64_t>(size));
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(opened.runtime->upload(*buffer, 0, bytes));
    std::vector<std::byte> back(size - 5);
    ASSERT_TRUE(opened.runtime->download(*buffer, 5, back));
    EXPECT_TRUE(std::equal(back.begin(), back.end(), bytes.begin() + 5));
}

TEST_P(HostedBackendTest, tellsOnceThatItWasEndedHoweverManyKernelsWait)
{
    const auto ready = OpenedDevice::open(m_registry, GetParam(), {});
    ASSERT_TRUE(ready) << toText(ready.error());
    RenderedSource other = source;
    other.text += '\n';
    const std::array sources = {source, other};
    // One that does not come back when it is cancelled is ended.
    ASSERT_EQ(kill(children().back(), SIGSTOP), 0);
    std::stop_source stop;
    stop.request_stop();
    const auto failed = (*ready)->compile(sources, stop.get_token());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().front().code, Code::Cancelled);
    EXPECT_EQ(failed.error().size(), 1U) << toText(failed.error());
    const auto again = (*ready)->compile(sources, {});
    EXPECT_TRUE(again) << toText(again.error());
}

TEST_P(HostedBackendTest, compilesInAHostThatIsStartedAnew)
{
    const auto ready = OpenedDevice::open(m_registry, GetParam(), {});
    ASSERT_TRUE(ready) << toText(ready.error());
    RenderedSource other = source;
    other.text += '\n';
    const std::array sources = {source, other};
    killHost();
    const auto compiled = (*ready)->compile(sources, {});
    ASSERT_TRUE(compiled) << toText(compiled.error());
    // So does reading the machine code of what the dead one had compiled.
    killHost();
    const auto machine = (*ready)->machineCode(*compiled->front());
    EXPECT_TRUE(machine) << toText(machine.error());
}

INSTANTIATE_TEST_SUITE_P(All, HostedBackendTest, testing::Values("llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

TEST(HostedBackends, endWithTheirOwner)
{
    {
        BackendRegistry registry;
        addHostedBackends(registry, STEPWELL_HOST_PROGRAM);
        EXPECT_TRUE(children().empty()); // none is started before it is needed
        ASSERT_TRUE(registry.find("llvm")->probe());
        EXPECT_EQ(children().size(), 1U);
    }
    EXPECT_TRUE(children().empty());
}

TEST(HostedBackends, sayWhenTheirProgramIsMissing)
{
    BackendRegistry registry;
    addHostedBackends(registry, "/nowhere/stepwell-host");
    const auto devices = registry.find("llvm")->probe();
    ASSERT_FALSE(devices);
    EXPECT_EQ(devices.error().front().code, Code::DeviceUnavailable);
    EXPECT_NE(devices.error().front().message.find("/nowhere/stepwell-host"), std::string::npos);
    EXPECT_TRUE(registry.find("interpreter")->probe());
}

TEST(HostedBackends, sayWhenTheirProgramIsAnother)
{
    BackendRegistry registry;
    addHostedBackends(registry, "/bin/true");
    const auto devices = registry.find("opencl")->probe();
    ASSERT_FALSE(devices);
    EXPECT_NE(devices.error().front().message.find("ended with code 0"), std::string::npos) << toText(devices.error());
}

// One work item that runs for years.
LoweredKernel endlessKernel()
{
    LoweredBuilder builder(kernelFrame("endless"));
    const Origin origin = anyOrigin();
    const auto out = builder.defineGlobal(origin, {BufferId(0U), DType::F32, 1, true, "out"});
    const auto sum = builder.acc(origin, DType::F32, 1, "sum");
    builder.assign(origin, sum, builder.constant(origin, Scalar::of(DType::F32, 0.0)));
    const auto i = builder.beginRange(origin, std::int64_t{1} << 60, "i");
    builder.assign(origin, sum, builder.alu(origin, Op::Add, {sum, builder.cast(origin, DType::F32, i)}));
    builder.endRange(origin);
    builder.store(origin, out, builder.index(origin, 0), sum);
    return builder.take();
}

// How long the process has computed, in ticks of the system's clock.
std::int64_t ticksOf(pid_t process)
{
    std::ifstream file(format("/proc/{}/stat", process));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    constexpr int kBefore = 11; // fields between the name and the time
    std::string skipped;
    for (int i = 0; i < kBefore; ++i)
        fields >> skipped;
    std::int64_t ticks = 0;
    fields >> ticks;
    return ticks;
}

TEST(HostedBackends, sayWhatEndedThemWhileAKernelRan)
{
    HostProcess host(STEPWELL_HOST_PROGRAM, "llvm");
    const LlvmRenderer renderer;
    std::vector<DeviceInfo> devices;
    ASSERT_TRUE(unpack(host.call(HostCall::Probe, {}).value(), devices));
    HostSession session = 0;
    bool queuesUploads = true;
    ASSERT_TRUE(unpack(host.call(HostCall::Open, packed(devices.front(), DeviceOptions())).value(), session, queuesUploads));
    EXPECT_FALSE(queuesUploads) << "a processor has the bytes at once";
    const std::vector<RenderedSource> sources = {renderer.render(endlessKernel(), devices.front()).value()};
    std::vector<CompileOutcome> outcomes;
    ASSERT_TRUE(unpack(host.call(HostCall::Compile, packed(session, sources)).value(), outcomes));
    DeviceBufferId buffer;
    ASSERT_TRUE(unpack(host.call(HostCall::Allocate, packed(session, std::int64_t{4})).value(), buffer));
    HostLaunch launch;
    launch.artifact = outcomes.front().artifact.id;
    launch.buffers = {buffer};
    const pid_t id = host.processId();
    // The host does nothing but wait until the launch has reached it.
    std::jthread killer([id, before = ticksOf(id)](const std::stop_token &stop) {
        while (ticksOf(id) < before + 2 && !stop.stop_requested())
            std::this_thread::yield();
        kill(id, SIGKILL);
    });
    const auto launched = host.call(HostCall::Launch, packed(session, launch));
    ASSERT_FALSE(launched);
    const std::string &message = launched.error().front().message;
    EXPECT_NE(message.find("signal 9 (Killed) while running a kernel"), std::string::npos) << message;
    EXPECT_TRUE(host.call(HostCall::Probe, {}));
}

// A work item that does not end is no reason to wait.
TEST(HostedBackends, comeBackFromALaunchThatIsCancelled)
{
    const auto backend = makeHostedBackend("llvm", std::make_unique<LlvmRenderer>(), STEPWELL_HOST_PROGRAM,
                                           {.cancelled = std::chrono::milliseconds(50)});
    const DeviceInfo device = backend->probe().value().front();
    Backend::Opened opened = backend->open(device, {}).value();

    const RenderedSource source = backend->renderer().render(endlessKernel(), device).value();
    const auto artifact = std::move(opened.compiler->compile({&source, 1}, {}).front());
    ASSERT_TRUE(artifact) << toText(artifact.error());
    const std::array buffers = {opened.runtime->allocate(4).value()};
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    const auto launched = opened.runtime->launch({artifact->id, buffers, {1, 1, 1}, {1, 1, 1}}, stop.get_token());
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().front().code, Code::Cancelled) << toText(launched.error());
    EXPECT_TRUE(opened.runtime->allocate(4));
    opened.runtime.reset();
}

} // namespace
} // namespace sw::test
