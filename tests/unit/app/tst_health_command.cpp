#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class HealthCommand : public CommandTest {
protected:
    std::string m_file = write("program.sw", "input large: f32[2]\ninput x: f32[2]\ns = large + x\noutput y = s - large\n"
                                             "output r = sqrt(x)\n");
    std::string given(const char *name, double value) const
    {
        const std::string file = path(std::string(name) + ".npy");
        EXPECT_TRUE(writeNpyFile(file, HostTensor::filled(Scalar::of(DType::F32, value), Shape({2}))));
        return std::string(name) + "=" + file;
    }
};

TEST_F(HealthCommand, listsWhereSomethingBegins)
{
    const Outcome outcome = call({"health", m_file, "--input", given("large", 1e8), "--input", given("x", -1)});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_NE(outcome.output.find("24.0 of 24 bits lost, 0.0 before: 0.0 instead of -1.0 at [0]"), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("2 of 2 elements are NaN, the first at [0]"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("sqrt"), std::string::npos) << outcome.output;
}

TEST_F(HealthCommand, takesTheNumberOfBits)
{
    const std::string large = given("large", 1e8);
    const std::string x = given("x", 1);
    const Outcome outcome = call({"health", m_file, "--bits", "24", "--input", large, "--input", x});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    EXPECT_NE(outcome.output.find("none loses more than 24 bits"), std::string::npos) << outcome.output;
    EXPECT_EQ(call({"health", m_file, "--bits", "few"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"health", m_file, "--bits", "-1"}).exitCode, ExitCode::Usage);
}

TEST_F(HealthCommand, writesJson)
{
    const Outcome outcome = call({"health", m_file, "--json", "--input", given("large", 1e8), "--input", given("x", 1)});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    for (const char *part : {"\"version\": 1", "\"bits\": 12", "\"kind\": \"lost bits\"", "\"label\": \"sub\"", "\"line\": 4",
                             "\"bits_lost\": 24", "\"label\": \"large\""})
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << " in " << outcome.output;
}

} // namespace
} // namespace sw::command
