// Runs whose kernels compare every load and store with its memory: on every device, and for kernels that a person edited.

#include "engine/api/front_end.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::command {
namespace {

constexpr const char *kProgram = "input x: f32[64]\noutput z = x - 2.5\n";
const char *const kDevices[] = {"interpreter", "llvm", "c", "opencl"};

class CheckedAccesses : public CommandTest {
protected:
    CheckedAccesses()
    {
        addHostedBackends(m_hosted, STEPWELL_HOST_PROGRAM);
        m_program = write("p.sw", kProgram);
    }
    Outcome callHosted(const std::vector<std::string> &words) const
    {
        return runCommand(words, {m_registry, findResourceFolder(), {}, nullptr, &m_hosted});
    }
    bool isThere(const std::string &device) const { return m_registry.device(device).has_value(); }

    // The lowered text of the kernel that stores z, one element at a time.
    std::string loweredText(const std::string &device) const
    {
        const Outcome shown =
            call({"edit", m_program, "--kernel", "z", "--stage", "lowered", "--device", device, "--plain", "--no-optimize"});
        EXPECT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
        return shown.output;
    }
    Outcome runWith(const std::string &device, const std::string &text, const std::vector<std::string> &more) const
    {
        const std::string file = write("k.lowered", text);
        std::vector<std::string> words{"run", m_program, "--device", device, "--no-optimize", "--code", "z=" + file};
        words.insert(words.end(), more.begin(), more.end());
        return callHosted(words);
    }

    BackendRegistry m_hosted;
    std::string m_program;
};

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what << "\n" << text;
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::size_t lineOf(const std::string &text, const std::string &what)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(what)), '\n')) +
           1;
}

TEST_F(CheckedAccesses, anEditedStoreBesideItsBufferIsToldWithItsLine)
{
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        SCOPED_TRACE(device);
        const std::string own = loweredText(device);
        // A line of its own for the index, and one that says nothing.
        const std::size_t store = own.find("store f32 %z[");
        ASSERT_NE(store, std::string::npos) << own;
        const std::size_t begin = own.rfind('\n', store) + 1;
        std::string text = own;
        const std::size_t index = store + std::string("store f32 %z[").size();
        const std::string place = own.substr(index, own.find(']', index) - index);
        text.replace(index, place.size(), "%moved");
        text.insert(begin, "# three further\n  %three = const i64 3\n  %moved = add i64 " + place + ", %three\n");
        const Outcome outcome = runWith(device, text, {"--check-accesses"});
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output << outcome.errors;
        const std::string told = format(
            "index 64 is out of range for the 64 elements of argument 0, z (stored by line {} of its lowered text) (3 such "
            "indices in k0_sub)",
            lineOf(text, "store f32 %z["));
        EXPECT_NE(outcome.errors.find(told), std::string::npos) << told << "\n" << outcome.errors << text;
        EXPECT_NE(outcome.errors.find("p.sw:2:"), std::string::npos) << outcome.errors;
        EXPECT_NE(outcome.errors.find("are checked while they run"), std::string::npos) << outcome.errors;
    }
}

TEST_F(CheckedAccesses, anEditedLoadBesideItsBufferReadsNothing)
{
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        SCOPED_TRACE(device);
        const std::string own = loweredText(device);
        const std::size_t load = own.find("load f32 %x[") + std::string("load f32 %x[").size();
        const std::string place = own.substr(load, own.find(']', load) - load);
        std::string text = own;
        text.replace(load, place.size(), "%moved");
        text.insert(own.rfind('\n', load) + 1, "  %far = const i64 -1000000000\n  %moved = add i64 " + place + ", %far\n");
        const Outcome outcome = runWith(device, text, {"--check-accesses"});
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output << outcome.errors;
        const std::string told = format("for the 64 elements of argument 1, x (loaded by line {} of its lowered text) (64 such",
                                        lineOf(text, "load f32 %x["));
        EXPECT_NE(outcome.errors.find(told), std::string::npos) << told << "\n" << outcome.errors << text;
    }
}

TEST_F(CheckedAccesses, vectorsAreToldWithTheElementsThatTheyTouch)
{
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        SCOPED_TRACE(device);
        const std::string text = "kernel \"k\" symbol \"k\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1]\n"
                                 "  %z = define_global f32[64] argument 0 written\n"
                                 "  %x = define_global f32[64] argument 1\n"
                                 "  %at = const i64 61\n"
                                 "  %v = load f32x4 %x[%at]\n"
                                 "  store f32x4 %z[%at], %v\n"
                                 "end\n";
        const Outcome outcome = runWith(device, text, {"--check-accesses"});
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output << outcome.errors;
        for (const char *told : {"index 61 is out of range for the 64 elements of argument 1, x (4 from there on are loaded by "
                                 "line 5 of its lowered",
                                 "index 61 is out of range for the 64 elements of argument 0, z (4 from there on are stored by "
                                 "line 6 of its lowered"})
            EXPECT_NE(outcome.errors.find(told), std::string::npos) << told << "\n" << outcome.errors;
    }
}

// Kernels that the compiler made stay in their memory, and compute the same.
TEST_F(CheckedAccesses, examplesRunAsTheyDoWithoutChecks)
{
    const std::filesystem::path examples = std::filesystem::path(findResourceFolder()) / "examples";
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        for (const char *name : {"softmax", "conv", "attention", "views", "lengths", "reductions"}) {
            SCOPED_TRACE(format("{} on {}", name, device));
            const std::string program = (examples / (std::string(name) + ".sw")).string();
            const Outcome plain = call({"run", program, "--device", device, "--output-dir", path("plain")});
            const Outcome checked =
                call({"run", program, "--device", device, "--check-accesses", "--output-dir", path("checked")});
            ASSERT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
            EXPECT_EQ(checked.exitCode, ExitCode::Success) << checked.errors;
            EXPECT_NE(checked.errors.find("accesses to memory"), std::string::npos) << checked.errors;
            for (const auto &entry : std::filesystem::directory_iterator(path("plain"))) {
                if (entry.path().extension() != ".npy")
                    continue;
                const HostTensor a = readNpyFile(entry.path()).value();
                const HostTensor b = readNpyFile(path("checked") / entry.path().filename()).value();
                EXPECT_TRUE(a.isIdenticalTo(b)) << entry.path();
            }
            std::filesystem::remove_all(path("plain"));
            std::filesystem::remove_all(path("checked"));
        }
    }
}

// Only lowered instructions can be checked.
TEST_F(CheckedAccesses, anEditedSourceIsSaidNotToBeChecked)
{
    if (!isThere("c"))
        GTEST_SKIP();
    std::string text = call({"edit", m_program, "--kernel", "z", "--device", "c", "--plain"}).output;
    text = replaced(text, "\n{\n", "\n{\n    ;\n");
    const Outcome outcome =
        callHosted({"run", m_program, "--device", "c", "--code", "z=" + write("k.c", text), "--check-accesses"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_NE(outcome.errors.find("the accesses of k0_sub are not checked: its source is edited"), std::string::npos)
        << outcome.errors;
}

// What lies beside the buffers of OpenCL shows what an edited source wrote there.
TEST_F(CheckedAccesses, anEditedOpenClSourceThatWritesBesideItsBufferIsTold)
{
    if (!isThere("opencl"))
        GTEST_SKIP();
    const std::string own = call({"edit", m_program, "--kernel", "z", "--device", "opencl", "--plain"}).output;
    struct Case {
        const char *statement;
        const char *told;
    };
    for (const Case &one : {Case{"    out0[70] = 1.0f;", "it wrote 24 bytes behind the end of argument 0, which has 256 bytes"},
                            Case{"    out0[-2] = 1.0f;", "it wrote 8 bytes before the beginning of argument 0, which has 256"}}) {
        const std::string text = replaced(own, "        return;\n", std::string("        return;\n") + one.statement + "\n");
        const Outcome outcome = callHosted({"run", m_program, "--device", "opencl", "--code", "z=" + write("k.cl", text)});
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output;
        EXPECT_NE(outcome.errors.find(one.told), std::string::npos) << outcome.errors;
        EXPECT_NE(outcome.errors.find("kernel k0_sub"), std::string::npos) << outcome.errors;
        EXPECT_NE(outcome.errors.find("0: z"), std::string::npos) << outcome.errors;
    }
    EXPECT_EQ(callHosted({"run", m_program, "--device", "opencl", "--guard"}).exitCode, ExitCode::Success);
}

} // namespace
} // namespace sw::command
