#include "tests/support/wrong_backend.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class MatrixCommand : public CommandTest {
protected:
    MatrixCommand() { m_registry.add(test::makeWrongBackend()); }
    std::string m_file = write("program.sw", "input x: f32[8, 16]\noutput softmax(x)\n");
    static bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
};

TEST_F(MatrixCommand, comparesDevicesAndOptions)
{
    const Outcome outcome = call({"matrix", m_file, "--devices", "interpreter,llvm", "--with", "--no-fuse --threads 1", "--with",
                                  "--device c --no-optimize", "--repeat", "1"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.output << outcome.errors;
    const std::string heading = outcome.output.substr(0, outcome.output.find('\n'));
    for (const char *title :
         {"interpreter  ", "llvm  ", "interpreter, not fused, 1 thread", "llvm, not fused, 1 thread", "c, plain loops"})
        EXPECT_TRUE(contains(heading, title)) << heading;
    EXPECT_FALSE(contains(heading, "interpreter, plain loops")) << heading;
    EXPECT_TRUE(contains(outcome.output, "output output"));
}

TEST_F(MatrixCommand, endsWithTheExitCodeOfWhatItFound)
{
    const std::vector<std::string> words{"matrix", m_file, "--repeat", "1", "--devices"};
    const auto with = [&](const std::string &devices, const std::string &format) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {devices, format});
        return call(all);
    };
    const Outcome wrong = with("interpreter,wrong", "--json");
    EXPECT_EQ(wrong.exitCode, ExitCode::Different) << wrong.output;
    EXPECT_TRUE(contains(wrong.output, "\"conformance\": \"different\"")) << wrong.output;
    EXPECT_TRUE(contains(wrong.output, "\"version\": 1"));
    const Outcome absent = with("interpreter,nothing", "--csv");
    EXPECT_EQ(absent.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(absent.output, "run,,nothing,")) << absent.output;
    EXPECT_EQ(with(",", "--csv").exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"matrix", m_file, "--with", "--no-such"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"matrix", m_file, "--with", "more"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"matrix", m_file, "--with", "--device 'c"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"matrix", m_file, "--with", "--threads none"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"matrix", m_file, "--with", "--overrides " + path("none")}).exitCode, ExitCode::Error);
}

} // namespace
} // namespace sw::command
