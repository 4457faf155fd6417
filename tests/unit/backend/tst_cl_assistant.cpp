// A second process translates OpenCL kernels too: the driver finds what it made, and nothing depends on it.

#include "engine/backend/opencl/cl_assistant.h"
#include "engine/backend/opencl/opencl_backend.h"
#include "engine/backend/opencl/program_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/backend/backend_fixture.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sys/stat.h>
#include <thread>

namespace sw::test {
namespace {

constexpr std::int64_t kElements = 256;
constexpr std::size_t kKernels = 8;

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

std::vector<pid_t> assistants()
{
    std::vector<pid_t> found = children();
    std::erase_if(found, [](pid_t id) {
        std::string name;
        std::ifstream(format("/proc/{}/comm", id)) >> name;
        return name != "stepwell-host"; // the driver starts linkers
    });
    return found;
}

// PoCL's translations of the kernels whose symbol has that word in it, with what changes when a file is replaced.
std::map<std::string, ino_t> translations(const std::string &word)
{
    std::map<std::string, ino_t> found;
    for (const auto &file : std::filesystem::recursive_directory_iterator(std::getenv("POCL_CACHE_DIR"))) {
        struct stat facts{};
        if (file.path().extension() == ".so" && file.path().filename().string().find(word) != std::string::npos &&
            stat(file.path().c_str(), &facts) == 0)
            found.emplace(file.path().string(), facts.st_ino);
    }
    return found;
}

class ClAssistantTest : public testing::Test {
protected:
    void SetUp() override
    {
        // The driver asks once in a process, and the cache must not know the kernels.
        setenv("POCL_CACHE_DIR", folder.path().c_str(), 0);
        std::filesystem::create_directories(std::getenv("POCL_CACHE_DIR"));
        std::filesystem::create_directories(folder.path());
        word = format("{}x{}", getpid(), std::chrono::steady_clock::now().time_since_epoch().count());
        for (std::size_t i = 0; i < kKernels; ++i) {
            kernels.push_back(vectorBinaryKernel(i % 2 == 0 ? Op::Add : Op::Mul, DType::F32, kElements, 4, 16 << (i / 2)));
            kernels.back().name = kernels.back().symbol = format("shared{}_{}", word, i);
        }
        open({});
        if (opened.compiler == nullptr)
            GTEST_SKIP() << missing;
        if (device.description.find("Portable Computing Language") == std::string::npos)
            GTEST_SKIP() << "the driver is not PoCL";
        for (const LoweredKernel &kernel : kernels)
            sources.push_back(backend->renderer().render(kernel, device).value());
    }
    void TearDown() override
    {
        opened.runtime.reset();
        opened.compiler.reset();
    }

    void open(const AssistantOptions &options)
    {
        opened.runtime.reset();
        opened.compiler.reset();
        backend = makeOpenClBackend(options);
        const auto devices = backend->probe();
        if (!devices) {
            missing = toText(devices.error());
            return;
        }
        device = devices->front();
        opened = std::move(backend->open(device, {}).value());
    }

    static AssistantOptions atOnce(std::filesystem::path program)
    {
        return {.program = std::move(program), .delay = std::chrono::milliseconds(0)};
    }

    // Compiles every kernel, runs it, and checks what it computes.
    void expectResults()
    {
        const auto artifacts = opened.compiler->compile(sources, {});
        ASSERT_EQ(artifacts.size(), kKernels);
        ASSERT_TRUE(opened.compiler->finish({}));
        for (std::size_t i = 0; i < kKernels; ++i) {
            ASSERT_TRUE(artifacts[i]) << toText(artifacts[i].error());
            std::vector<DeviceBufferId> buffers;
            HostTensor tensor(DType::F32, {kElements});
            for (std::int64_t k = 0; k < kElements; ++k)
                tensor.set(k, Scalar::of(DType::F32, static_cast<double>(k)));
            for (int argument = 0; argument < 3; ++argument) {
                buffers.push_back(opened.runtime->allocate(static_cast<std::int64_t>(tensor.byteSize())).value());
                ASSERT_TRUE(opened.runtime->upload(buffers.back(), 0, tensor.bytes()));
            }
            ASSERT_TRUE(opened.runtime->launch({artifacts[i]->id, buffers, kernels[i].globalSize, kernels[i].localSize}, {}));
            ASSERT_TRUE(opened.runtime->download(buffers.back(), 0, tensor.mutableBytes()));
            for (std::int64_t k = 0; k < kElements; ++k)
                ASSERT_EQ(tensor.at(k).asDouble(), static_cast<double>(i % 2 == 0 ? 2 * k : k * k)) << "kernel " << i;
            for (const DeviceBufferId buffer : buffers)
                opened.runtime->free(buffer);
            const auto code = opened.compiler->machineCode(artifacts[i]->id);
            ASSERT_TRUE(code) << toText(code.error());
            EXPECT_FALSE(code->empty());
        }
    }

    TemporaryFolder folder;
    std::string word; // in the symbols of this test's kernels
    std::vector<LoweredKernel> kernels;
    std::vector<RenderedSource> sources;
    std::unique_ptr<Backend> backend;
    std::string missing;
    DeviceInfo device;
    Backend::Opened opened;
};

TEST_F(ClAssistantTest, makesWhatTheCompilerFindsInTheCache)
{
    std::vector<const RenderedSource *> together;
    AssistantJob job{.device = device.id};
    for (const RenderedSource &source : sources) {
        together.push_back(&source);
        job.symbols.push_back(source.symbol);
    }
    job.text = combinedProgram(together);
    const auto assistant = ClAssistant::start(atOnce(STEPWELL_HOST_PROGRAM), job);
    ASSERT_NE(assistant, nullptr);
    assistant->awaitProgram({});
    while (!assistant->hasEnded())
        std::this_thread::yield();
    EXPECT_EQ(assistant->begun(), kKernels);
    const auto made = translations(word);
    EXPECT_EQ(made.size(), kKernels);
    // This process compiles the same program, finds everything, and replaces nothing.
    expectResults();
    EXPECT_EQ(translations(word), made);
}

TEST_F(ClAssistantTest, leavesTheFirstKernelsToTheOtherProcess)
{
    std::vector<const RenderedSource *> together;
    AssistantJob job{.device = device.id};
    for (const RenderedSource &source : sources) {
        together.push_back(&source);
        job.symbols.push_back(source.symbol);
    }
    job.text = combinedProgram(together);
    const auto assistant = ClAssistant::start(atOnce(STEPWELL_HOST_PROGRAM), job);
    ASSERT_NE(assistant, nullptr);
    assistant->leave(kKernels - 2);
    while (!assistant->hasEnded())
        std::this_thread::yield();
    EXPECT_EQ(translations(word).size(), 2);
}

TEST_F(ClAssistantTest, translatesEveryKernelOnce)
{
    open(atOnce(STEPWELL_HOST_PROGRAM));
    expectResults();
    EXPECT_EQ(translations(word).size(), kKernels);
    EXPECT_TRUE(children().empty()) << "an assistant that outlives its work";
}

TEST_F(ClAssistantTest, mayFailInEveryWay)
{
    for (const char *program : {"/nowhere/stepwell-host", "/bin/false", "/bin/cat", STEPWELL_FAULTY_ASSISTANT})
        for (const char *fault : {"mute", "hang", "die", "nonsense"}) {
            SCOPED_TRACE(format("{} {}", program, fault));
            setenv("STEPWELL_FAULT", fault, 1);
            AssistantOptions options = atOnce(program);
            options.patience = std::chrono::milliseconds(100);
            open(options);
            expectResults();
            EXPECT_TRUE(children().empty()) << "an assistant that outlives its work";
        }
}

TEST_F(ClAssistantTest, mayBeKilled)
{
    open(atOnce(STEPWELL_HOST_PROGRAM));
    std::atomic<bool> isOver = false;
    std::size_t killed = 0;
    std::thread killer([&] {
        while (!isOver && killed == 0)
            for (const pid_t id : assistants())
                killed += kill(id, SIGKILL) == 0 ? 1 : 0;
    });
    expectResults();
    isOver = true;
    killer.join();
    EXPECT_EQ(killed, 1);
    EXPECT_EQ(translations(word).size(), kKernels);
}

TEST_F(ClAssistantTest, endsWhenCompilingIsCancelled)
{
    open(atOnce(STEPWELL_HOST_PROGRAM));
    std::stop_source stop;
    std::thread canceller([&] {
        while (assistants().empty())
            std::this_thread::yield();
        stop.request_stop();
    });
    const auto artifacts = opened.compiler->compile(sources, stop.get_token());
    canceller.join();
    EXPECT_TRUE(children().empty());
}

TEST_F(ClAssistantTest, isNotStartedForOneKernelNorForWhatTheCacheHas)
{
    const std::filesystem::path trace = folder.path() / "started";
    setenv("STEPWELL_TRACE", trace.c_str(), 1);
    setenv("STEPWELL_FAULT", "die", 1);
    open(atOnce(STEPWELL_FAULTY_ASSISTANT));
    ASSERT_TRUE(opened.compiler->compile({sources.data(), 1}, {}).front());
    EXPECT_FALSE(std::filesystem::exists(trace));

    // Longer than any build takes, so whatever is built is as fast as from the cache.
    AssistantOptions options = atOnce(STEPWELL_FAULTY_ASSISTANT);
    options.delay = std::chrono::hours(1);
    open(options);
    expectResults();
    EXPECT_FALSE(std::filesystem::exists(trace));

    open(atOnce(STEPWELL_FAULTY_ASSISTANT));
    expectResults();
    EXPECT_TRUE(std::filesystem::exists(trace));
    unsetenv("STEPWELL_TRACE");
}

} // namespace
} // namespace sw::test
