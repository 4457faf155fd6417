#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class ValuesCommand : public CommandTest {
protected:
    std::string m_file =
        write("program.sw", "input x: f32[5, 2]\ndef step(s, p):\n    h = s[0] * 2 + p[0]\n    return [[h], []]\n"
                            "k = x + 1\noutput scan(step, [ones([2])], [k])[0][0]\n");
    std::string m_given = given();
    std::string given() const
    {
        const std::string file = path("x.npy");
        EXPECT_TRUE(writeNpyFile(file, HostTensor::filled(Scalar::of(DType::F32, -1.0), Shape({5, 2}))));
        return "x=" + file;
    }
};

// The state doubles: 2 after the first step.
TEST_F(ValuesCommand, tellsAStepOfAScan)
{
    for (const char *by : {"reference", "device"})
        for (const auto &[step, value] : {std::pair{"0", "2.0"}, {"3", "16.0"}, {"4", "32.0"}}) {
            const Outcome outcome = call(
                {"values", m_file, "scan/step/h", "--by", by, "--step", step, "--input", m_given, "--device", "interpreter"});
            EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
            EXPECT_EQ(outcome.output, format("scan/step/h in step {} of 0 to 4: f32[2] = [{}, {}]\n", step, value, value)) << by;
        }
    EXPECT_NE(call({"values", m_file, "scan/step/h", "--input", m_given}).output.find("step 4 of 0 to 4"), std::string::npos);
}

TEST_F(ValuesCommand, writesAllOfAValue)
{
    const Outcome outcome = call({"values", m_file, "k", "--input", m_given, "-o", path("k.npy"), "--json"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {"\"version\": 1", "\"value\": \"k\"", "\"dtype\": \"f32\"", "\"first\": ["})
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << " in " << outcome.output;
    EXPECT_EQ(outcome.output.find("\"step\""), std::string::npos);
    const auto read = readNpyFile(path("k.npy"));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->isIdenticalTo(HostTensor::filled(Scalar::of(DType::F32, 0.0), Shape({5, 2}))));
}

TEST_F(ValuesCommand, refusesWhatIsNotThere)
{
    const auto refused = [&](std::vector<std::string> words, const char *message) {
        words.insert(words.begin(), {"values", m_file});
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Usage) << message;
        EXPECT_NE(outcome.errors.find(message), std::string::npos) << outcome.errors;
    };
    refused({"scan/step/h", "--step", "5"}, "--step needs a number from 0 to 4, not \"5\"");
    refused({"scan/step/h", "--step", "-1"}, "--step needs a number from 0 to 4");
    refused({"k", "--step", "0"}, "k is not in the body of a scan: it has no steps");
    refused({"nothing"}, "the program has no value \"nothing\"");
    refused({"%999"}, "the program has no value \"%999\"");
    refused({"scan/step/h", "--by", "hand"}, "--by is reference or device");
}

} // namespace
} // namespace sw::command
