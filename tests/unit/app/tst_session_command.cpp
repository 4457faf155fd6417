// stepwellc save, and sessions as the FILE of every command.

#include "engine/api/front_end.h"
#include "engine/api/report_data.h"
#include "engine/api/session_file/session_file.h"
#include "engine/types/npy.h"
#include "tests/support/page_data.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class SessionCommand : public CommandTest {
protected:
    SessionCommand()
    {
        m_program = write(
            "a.sw", "n: dim[1, 64]\ninput x: f32[n, 16]\nparam w: f32[16, 4] = random(3)\noutput softmax(x @ w, axis = -1)\n");
        m_session = path("kept/a.stepwell");
        std::filesystem::create_directories(path("kept"));
    }
    void save(std::vector<std::string> options) const
    {
        std::vector<std::string> words{"save", m_program, "-o", m_session};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome outcome = call(words);
        ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    }

    std::string m_program;
    std::string m_session;
};

TEST_F(SessionCommand, isShownAsItsProgramIs)
{
    save({"--device", "c", "--dim", "n=8"});
    for (const char *stage : {"program", "graph", "schedule", "loops", "code", "machine"})
        EXPECT_EQ(call({"show", m_session, "--stage", stage}).output,
                  call({"show", m_program, "--device", "c", "--stage", stage}).output)
            << stage;
    const std::string kernel = openSession(m_session)->report.kernels.front().name;
    for (const char *stage : {"code", "machine"})
        EXPECT_EQ(call({"show", m_session, "--stage", stage, "--kernel", kernel}).output,
                  call({"show", m_program, "--device", "c", "--stage", stage, "--kernel", kernel}).output);
    EXPECT_EQ(call({"show", m_session, "--stage", "machine", "--kernel", "k9_none"}).exitCode, ExitCode::Usage);
}

// No backend at all: what was kept is there, and what has to be compiled says why it cannot be.
TEST_F(SessionCommand, isExploredWhereNothingCompiles)
{
    save({"--device", "c", "--dim", "n=8"});
    const std::string machine = call({"show", m_session, "--stage", "machine"}).output;
    const BackendRegistry nothing;
    const auto callBare = [&](const std::vector<std::string> &words) {
        return runCommand(words, {nothing, findResourceFolder(), {}, nullptr});
    };
    EXPECT_EQ(callBare({"show", m_session, "--stage", "machine"}).output, machine);
    EXPECT_EQ(callBare({"show", m_session, "--stage", "graph", "--json"}).exitCode, ExitCode::Success);
    const Outcome page = callBare({"report", m_session, "-o", path("a.html")});
    EXPECT_EQ(page.exitCode, ExitCode::Success) << page.errors;
    const Result<Report> report = parseReportData(reportOfPage(readTextFile(path("a.html")).value()), "page");
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->kernels.front().medianNanoseconds);
    const Outcome run = callBare({"run", m_session});
    EXPECT_EQ(run.exitCode, ExitCode::Unsupported) << run.errors;
    EXPECT_NE(run.errors.find("device"), std::string::npos) << run.errors;
}

// With the inputs, the seed, the dimensions and the device that it was saved with.
TEST_F(SessionCommand, runsAsItWasSaved)
{
    const HostTensor x = HostTensor::ofValues(DType::F32, Shape({8, 16}), std::vector<double>(128, 0.25));
    ASSERT_TRUE(writeNpyFile(path("x.npy"), x));
    save({"--device", "c", "--input", "x=" + path("x.npy"), "--seed", "5"});
    std::filesystem::remove(m_program);
    std::filesystem::remove(path("x.npy"));
    const Outcome run = call({"run", m_session, "--output-dir", path("out")});
    ASSERT_EQ(run.exitCode, ExitCode::Success) << run.errors;
    const HostTensor output = readNpyFile(path("out/output.npy")).value();
    const SessionContents session = openSession(m_session).value();
    EXPECT_EQ(session.inputs.seed, 5U);
    EXPECT_EQ(session.device, "c");
    ASSERT_EQ(session.report.outputs.size(), 1U);
    EXPECT_EQ(session.report.outputs.front()->texts(0, 32, ValueFormat::Hexadecimal),
              TensorView("o", output).texts(0, 32, ValueFormat::Hexadecimal));
}

TEST_F(SessionCommand, compilesWithItsOptionsUnlessOthersAreGiven)
{
    save({"--device", "c", "--dim", "n=8", "--no-fuse"});
    const std::string fused = call({"show", m_program, "--device", "c", "--stage", "schedule"}).output;
    const std::string unfused = call({"show", m_program, "--device", "c", "--stage", "schedule", "--no-fuse"}).output;
    ASSERT_NE(fused, unfused);
    EXPECT_EQ(call({"show", m_session, "--stage", "schedule"}).output, unfused);
    EXPECT_EQ(call({"show", m_session, "--stage", "schedule", "--device", "c"}).output, unfused); // compiled
    EXPECT_NE(call({"show", m_session, "--stage", "code", "--device", "llvm"}).output,
              call({"show", m_session, "--stage", "code"}).output);
}

TEST_F(SessionCommand, keepsTheRewritesOfPasses)
{
    save({"--device", "c", "--no-run", "--dim", "n=8"});
    const SessionContents session = openSession(m_session).value();
    std::uint32_t all = 0;
    for (const PassEntry &pass : session.report.passes)
        all += pass.rewrites;
    std::size_t kept = 0;
    for (const PassRewrites &pass : session.rewrites)
        kept += pass.rewrites.size();
    EXPECT_GT(kept, 0U);
    EXPECT_EQ(kept, all);
}

TEST_F(SessionCommand, withMessagesOfAnUnknownKindIsShown)
{
    save({"--device", "c", "--no-run", "--dim", "n=8"});
    SessionContents session = openSession(m_session).value();
    session.report.messages.push_back({MessageSeverity::Warning, "soup", "it is too hot", {}});
    ASSERT_TRUE(saveSession(session, m_session, Durability::Cached));
    const Outcome outcome = call({"report", m_session, "-o", path("a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    EXPECT_NE(outcome.errors.find("it is too hot"), std::string::npos) << outcome.errors;
}

TEST_F(SessionCommand, refusesWhatIsNoSession)
{
    EXPECT_EQ(call({"save", m_program}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"save", m_program, "-o", path("a.zip")}).exitCode, ExitCode::Usage);
    const Outcome outcome = call({"run", write("b.stepwell", "not a zip")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_NE(outcome.errors.find("is not a whole archive"), std::string::npos) << outcome.errors;
}

} // namespace
} // namespace sw::command
