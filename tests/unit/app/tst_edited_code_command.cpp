// Edited texts of kernels on the command line, those that crash or never end among them.

#include "engine/api/front_end.h"
#include "engine/backend/host/hosted_backend.h"
#include "tests/unit/app/command_fixture.h"

#include <algorithm>

namespace sw::command {
namespace {

constexpr const char *kProgram = "input x: f32[64]\noutput y = sum(x, keepdims = true) * 2.0\noutput z = x - 2.5\n";

class EditedCodeCommand : public CommandTest {
protected:
    EditedCodeCommand()
    {
        addHostedBackends(m_hosted, STEPWELL_HOST_PROGRAM);
        m_program = write("p.sw", kProgram);
    }
    void SetUp() override
    {
        if (const auto found = m_registry.device("c"); !found)
            GTEST_SKIP() << toText(found.error());
    }
    Outcome callHosted(const std::vector<std::string> &words) const
    {
        return runCommand(words, {m_registry, findResourceFolder(), {}, nullptr, &m_hosted});
    }
    // The text of the kernel that stores z, with a statement at the beginning of its body.
    std::string codeWith(const std::string &statement, const std::string &kernel = "z") const
    {
        const Outcome shown = call({"edit", m_program, "--kernel", kernel, "--device", "c", "--plain"});
        EXPECT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
        std::string text = shown.output;
        const std::size_t body = text.find("\n{\n");
        EXPECT_NE(body, std::string::npos) << text;
        return text.insert(body + 3, statement + "\n");
    }
    Outcome runWith(const std::string &statement, std::vector<std::string> more = {}, const std::string &kernel = "z") const
    {
        const std::string file = write("k.c", codeWith(statement, kernel));
        std::vector<std::string> words{"run", m_program, "--device", "c", "--code", kernel + "=" + file};
        words.insert(words.end(), more.begin(), more.end());
        return callHosted(words);
    }

    BackendRegistry m_hosted;
    std::string m_program;
};

TEST_F(EditedCodeCommand, anEditIsWrittenAsAnOverrideThatChangesNothing)
{
    for (const char *stage : {"code", "lowered"}) {
        const std::string file = path("p.overrides");
        const Outcome written = call({"edit", m_program, "--kernel", "z", "--device", "c", "--stage", stage, "-o", file});
        EXPECT_EQ(written.exitCode, ExitCode::Success) << written.errors;
        const Outcome again =
            call({"edit", m_program, "--kernel", "z", "--device", "c", "--stage", stage, "--name", "second", "-o", file});
        EXPECT_EQ(again.exitCode, ExitCode::Success) << again.errors;
        // Of the two, one is on, and it is the kernel's own text.
        const Result<std::string> text = readTextFile(file);
        ASSERT_TRUE(text);
        EXPECT_NE(text->find("off code z c "), std::string::npos) << *text;
        EXPECT_NE(text->find("\"second\""), std::string::npos) << *text;
        const Outcome with = callHosted({"show", m_program, "--stage", "code", "--device", "c", "--overrides", file});
        EXPECT_EQ(with.output, call({"show", m_program, "--stage", "code", "--device", "c"}).output);
        EXPECT_EQ(with.errors, "");
        std::filesystem::remove(file);
    }
}

TEST_F(EditedCodeCommand, valuesAreToldBeforeTimes)
{
    const std::string same = write("k.c", codeWith("    ;"));
    for (const char *command : {"run", "bench"}) {
        const Outcome equal = callHosted({command, m_program, "--device", "c", "--code", "z=" + same});
        EXPECT_EQ(equal.exitCode, ExitCode::Success) << equal.errors;
        EXPECT_EQ(equal.output.rfind("with the edited code, results are the same\n", 0), 0U) << equal.output;
        const std::string wrong = write("w.c", codeWith("    gx = 0; out0[0] = 1.0f; return;"));
        const Outcome different = callHosted({command, m_program, "--device", "c", "--code", "z=" + wrong});
        EXPECT_EQ(different.exitCode, ExitCode::Different) << different.output;
        EXPECT_EQ(different.output.rfind("WRONG: with the edited code, results differ", 0), 0U) << different.output;
        const Outcome json = callHosted({command, m_program, "--device", "c", "--code", "z=" + wrong, "--json"});
        EXPECT_NE(json.output.find("\"edited_results\""), std::string::npos) << json.output;
    }
    EXPECT_EQ(callHosted({"compare", m_program, "--devices", "interpreter,c", "--code", "z=" + same}).exitCode,
              ExitCode::Success);
    const std::string wrong = write("w.c", codeWith("    out0[0] = 1.0f; return;"));
    EXPECT_EQ(callHosted({"compare", m_program, "--devices", "interpreter,c", "--code", "z=" + wrong}).exitCode,
              ExitCode::Different);
}

TEST_F(EditedCodeCommand, compilersNameTheLineOfTheFile)
{
    const std::string file = write("bad.c", codeWith("    this is no code;"));
    std::string text = codeWith("    this is no code;");
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("this is")), '\n') + 1;
    const Outcome outcome = callHosted({"run", m_program, "--device", "c", "--code", "z=" + file});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    EXPECT_NE(outcome.errors.find(format("{}:{}:", file, line)), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("is not applied"), std::string::npos) << outcome.errors;
}

// Each of these ends the process that runs it, and no other one: the next run works.
TEST_F(EditedCodeCommand, aKernelThatCrashesIsTold)
{
    struct Case {
        std::string statement;
        std::string told;
        bool isAtLine = true;
    };
    const Case cases[] = {
        {"    out0[64] = 1.0f;", "it wrote 0 bytes behind the end of argument 0, which has 256 bytes"},
        {"    out0[70] = 1.0f;", "it wrote 24 bytes behind the end of argument 0"},
        {"    out0[-2000] = 1.0f;", "it wrote 8000 bytes before the beginning of argument 0"},
        {"    out0[-1] = 1.0f;", "it wrote 4 bytes before the beginning of argument 0", false},
        {"    volatile i64 q = 7 / gx;", "it divided by zero"},
        {"    *(volatile int *)0 = 1;", "it wrote through a null pointer"},
        {"    __builtin_trap();", "it came to an instruction"},
    };
    for (const Case &one : cases) {
        const Outcome outcome = runWith(one.statement);
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << one.statement << outcome.output;
        EXPECT_NE(outcome.errors.find(one.told), std::string::npos) << one.statement << "\n" << outcome.errors;
        EXPECT_NE(outcome.errors.find("kernel k"), std::string::npos) << outcome.errors;
        if (one.isAtLine) { // the optimizer moves no other statement there
            EXPECT_NE(outcome.errors.find("of its source: " + one.statement.substr(4)), std::string::npos) << outcome.errors;
        }
        EXPECT_NE(outcome.errors.find("0: z"), std::string::npos) << outcome.errors;
        EXPECT_EQ(callHosted({"run", m_program, "--device", "c", "--guard"}).exitCode, ExitCode::Success);
    }
}

// Between the buffer's last byte and the page behind it there is room for its alignment.
TEST_F(EditedCodeCommand, aWriteBesideASmallBufferIsTold)
{
    const Outcome outcome = runWith("    out0[3] = 1.0f;", {}, "y");
    EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output;
    EXPECT_NE(outcome.errors.find("it wrote 8 bytes behind the end of argument 0, which has 4 bytes"), std::string::npos)
        << outcome.errors;
}

TEST_F(EditedCodeCommand, aKernelThatNeverEndsIsEndedAtTheLimit)
{
    const Outcome outcome = runWith("    volatile int stay = 1;\n    while (stay) {}", {"--limit", "0.5"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error) << outcome.output;
    EXPECT_NE(outcome.errors.find("the run took longer than 0.5 s and was ended, in item"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("kernel k"), std::string::npos) << outcome.errors;
    EXPECT_EQ(runWith("    ;", {"--limit", "60"}).exitCode, ExitCode::Success);
}

TEST_F(EditedCodeCommand, optionsThatCannotBeAreUsageErrors)
{
    const std::string file = write("k.txt", "text\n");
    for (const std::vector<std::string> &more : {std::vector<std::string>{"--code", "z=" + file},
                                                 {"--code", file},
                                                 {"--limit", "soon"},
                                                 {"--limit", "0"},
                                                 {"--limit", "-1"},
                                                 {"--limit", "nan"}}) {
        std::vector<std::string> words{"run", m_program};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Usage) << more.front() << more.back() << outcome.errors;
    }
    EXPECT_EQ(call({"edit", m_program, "--kernel", "nothing"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"edit", m_program}).exitCode, ExitCode::Usage);
}

// An edited text belongs to its work items, whose number depends on the threads.
TEST_F(EditedCodeCommand, isOfAsManyThreadsAsAreAskedFor)
{
    const std::string program = write("large.sw", "input x: f32[512, 512]\noutput y = x @ x\n");
    const auto edited = [&](const char *threads) {
        return call({"edit", program, "--kernel", "0", "--device", "c", "--stage", "lowered", "--threads", threads, "--plain"});
    };
    EXPECT_EQ(edited("1").exitCode, ExitCode::Success) << edited("1").errors;
    EXPECT_NE(edited("1").output, edited("4").output);
    const Outcome explained = call({"explain", program, "--kernel", "0", "--device", "c", "--threads", "4"});
    EXPECT_EQ(explained.exitCode, ExitCode::Success) << explained.errors;
    EXPECT_NE(explained.output.find("over 4 threads"), std::string::npos) << explained.output;
}

} // namespace
} // namespace sw::command
