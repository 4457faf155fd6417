#include "tests/support/wrong_backend.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class ReduceCommand : public CommandTest {
protected:
    ReduceCommand() { m_registry.add(test::makeWrongBackend()); }
    std::string m_file =
        write("program.sw", "input x: f32[8, 16]\nh = exp(x) * 2\nm = maximum(h, 1 - x)\noutput tanh(m) + sum(h)\n");
    static bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
    static std::string read(const std::string &file)
    {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(ReduceCommand, writesAProgramThatStillDiffers)
{
    const std::string small = path("small.sw");
    const Outcome outcome = call({"reduce", m_file, "--devices", "interpreter,wrong", "-o", small});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, small)) << outcome.output;
    const std::string text = read(small);
    EXPECT_TRUE(contains(text, "maximum(")) << text;
    EXPECT_TRUE(contains(text, "# stepwellc compare small.sw --devices interpreter,wrong\n")) << text;
    // The command in it shows what it says.
    EXPECT_EQ(call({"compare", small, "--devices", "interpreter,wrong"}).exitCode, ExitCode::Different);
}

TEST_F(ReduceCommand, writesJsonAndRefusesWhatIsNothing)
{
    const Outcome json = call({"reduce", m_file, "--devices", "wrong", "-o", path("other.sw"), "--json", "--budget", "30"});
    EXPECT_EQ(json.exitCode, ExitCode::Success) << json.errors;
    EXPECT_TRUE(contains(json.output, "\"compared_with\": \"reference\"")) << json.output;
    const Outcome right = call({"reduce", m_file, "--devices", "interpreter,llvm", "-o", path("none.sw")});
    EXPECT_EQ(right.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(right.errors, "there is nothing to reduce")) << right.errors;
    EXPECT_FALSE(std::filesystem::exists(path("none.sw")));
    EXPECT_EQ(call({"reduce", m_file, "--devices", "wrong"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"reduce", m_file, "-o", path("none.sw")}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"reduce", m_file, "--devices", "wrong", "-o", path("none.sw"), "--budget", "0"}).exitCode, ExitCode::Usage);
}

} // namespace
} // namespace sw::command
