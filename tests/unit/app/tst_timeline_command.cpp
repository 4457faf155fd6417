// stepwellc timeline, and the counters of stepwellc bench. No times are tested.

#include "engine/base/json_value.h"
#include "tests/unit/app/command_fixture.h"

#include <sstream>

namespace sw::command {
namespace {

class TimelineCommand : public CommandTest {
protected:
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
    std::string m_file = write("program.sw", "input x: f32[64, 64]\noutput y = softmax(x @ x, axis = -1)\n");
};

TEST_F(TimelineCommand, printsBothTimelines)
{
    const Outcome outcome = call({"timeline", m_file, "--repeat", "3"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {"program.sw on llvm", "compiled in ", "compiler, stages", "lower", "llvm, thread 0",
                             " of 3, whose time is the median: ", "gap before", "llvm, kernels", "longest gap", "host, calls"})
        EXPECT_TRUE(contains(outcome.output, part)) << part << '\n' << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "counters")) << "nobody asked";
}

TEST_F(TimelineCommand, writesATrace)
{
    const Outcome outcome = call({"timeline", m_file, "--device", "interpreter", "-o", path("trace.json")});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "note: interpreter does not tell when its kernels ran"));
    std::ifstream stream(path("trace.json"));
    std::stringstream text;
    text << stream.rdbuf();
    const Result<JsonValue> json = parseJson(text.str(), "trace.json");
    ASSERT_TRUE(json) << toText(json.error());
    ASSERT_NE(json->array(), nullptr);
    EXPECT_EQ(call({"timeline", m_file, "-o", path("nowhere/trace.json")}).exitCode, ExitCode::Error);
}

TEST_F(TimelineCommand, answersInJson)
{
    const Outcome outcome = call({"timeline", m_file, "--repeat", "2", "--counters", "--json"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    const Result<JsonValue> json = parseJson(outcome.output, "answer");
    ASSERT_TRUE(json) << toText(json.error());
    EXPECT_EQ(*json->find("version")->integer(), 1);
    EXPECT_EQ(*json->find("runs")->integer(), 2);
    for (const char *timeline : {"compilation", "run"}) {
        ASSERT_NE(json->find(timeline), nullptr);
        EXPECT_FALSE(json->find(timeline)->find("events")->array()->empty());
        EXPECT_FALSE(json->find(timeline)->find("lanes")->array()->empty());
    }
    const JsonValue *counters = json->find("counters");
    ASSERT_NE(counters, nullptr);
    const JsonValue &first = counters->find("kernels")->array()->front();
    EXPECT_EQ(*first.find("runs")->integer() == 0, !counters->find("reason")->text()->empty())
        << "either it counts or it says why not";
}

TEST_F(TimelineCommand, refusesWhatItCannotDo)
{
    EXPECT_EQ(call({"timeline", m_file, "--repeat", "0"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"timeline", m_file, "--device", "nowhere"}).exitCode, ExitCode::Unsupported);
    EXPECT_EQ(call({"timeline", path("absent.sw")}).exitCode, ExitCode::Error);
    const Outcome broken = call({"timeline", write("broken.sw", "output y = nothing\n")});
    EXPECT_EQ(broken.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(broken.errors, "broken.sw:1:")) << broken.errors;
}

TEST_F(TimelineCommand, benchCountsOrSaysWhyNot)
{
    const std::vector<std::string> words{"bench", m_file, "--repeat", "2", "--device", "interpreter"};
    EXPECT_FALSE(contains(call(words).output, "counters"));
    std::vector<std::string> counting = words;
    counting.emplace_back("--counters");
    const Outcome plain = call(counting);
    ASSERT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
    EXPECT_TRUE(contains(plain.output, "no hardware counters: interpreter does not count")) << plain.output;
    counting.emplace_back("--json");
    counting.insert(counting.end(), {"--with", "--no-fuse"});
    const Result<JsonValue> json = parseJson(call(counting).output, "answer");
    ASSERT_TRUE(json) << toText(json.error());
    EXPECT_EQ(*json->find("counters")->find("reason")->text(), "interpreter does not count");
    EXPECT_NE(json->find("with")->find("counters"), nullptr);
}

} // namespace
} // namespace sw::command
