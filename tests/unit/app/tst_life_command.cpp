#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

constexpr std::string_view kProgram = "input x: f32[64]\noutput y = exp(x * 1.0) + 2.0\n";

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class LifeCommand : public CommandTest {
protected:
    Outcome life(const std::string &value, const std::string &json = {}) const
    {
        std::vector<std::string> words{"explain", m_file, "--device", "c", "--life", value};
        if (!json.empty())
            words.push_back(json);
        return call(words);
    }

    std::string m_file = write("program.sw", kProgram);
};

TEST_F(LifeCommand, printsTheStepsInTheirOrder)
{
    const Outcome outcome = life("exp");
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    std::size_t at = 0;
    for (const char *stage : {"program", "graph", "schedule", "loops", "lowered", "code"}) {
        at = outcome.output.find(std::string("\n  ") + stage, at);
        ASSERT_NE(at, std::string::npos) << stage << " in " << outcome.output;
    }
    EXPECT_TRUE(contains(outcome.output, "written in line 2")) << outcome.output;
    EXPECT_TRUE(contains(life("exp", "--json").output, "\"pass\": \"build-loops\"")) << life("exp", "--json").output;
}

TEST_F(LifeCommand, takesANumberOrAPath)
{
    const Outcome path = life("y");
    EXPECT_EQ(path.exitCode, ExitCode::Success) << path.errors;
    ASSERT_TRUE(path.output.starts_with('%')) << path.output;
    const Outcome number = life(path.output.substr(0, path.output.find(' ')));
    EXPECT_EQ(number.output, path.output);
}

TEST_F(LifeCommand, saysWhichValuesThereAre)
{
    for (const char *value : {"%1000", "nothing"}) {
        const Outcome outcome = life(value);
        EXPECT_EQ(outcome.exitCode, ExitCode::Usage);
        EXPECT_TRUE(contains(outcome.errors, value)) << outcome.errors;
        EXPECT_TRUE(contains(outcome.errors, "nodes are %0 to ")) << outcome.errors;
    }
}

} // namespace
} // namespace sw::command
