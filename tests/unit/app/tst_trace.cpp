#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

constexpr std::string_view kProgram = "input x: f32[3, 4]\n"
                                      "output total = kernel(sum(log(x), axis = 1), name = \"rows\")\n";

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class TraceCommand : public CommandTest {
protected:
    Outcome trace(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {"trace", m_file, "--device", "interpreter", "--kernel", "rows"});
        return call(words);
    }

    std::string m_file = write("program.sw", kProgram);
};

TEST_F(TraceCommand, showsTheBeginning)
{
    const Outcome outcome = trace({});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "step 0, work item [0, 0, 0]")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "next  line ")) << outcome.output;
}

TEST_F(TraceCommand, showsTheLastStepsBackward)
{
    const Outcome outcome = trace({"--back", "--until", "store"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "wrote %")) << outcome.output;
    const Outcome last = trace({"--back", "--steps", "2", "--json"});
    EXPECT_TRUE(contains(last.output, "\"version\": 1")) << last.output;
    EXPECT_TRUE(contains(last.output, "\"line\": 0")) << last.output; // the end
}

// The inputs are made from the seed, some of them negative: their logarithm is none.
TEST_F(TraceCommand, findsWhatIsNotANumber)
{
    const Outcome outcome = trace({"--until", "nan"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "nan")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "*")) << outcome.output;
}

TEST_F(TraceCommand, saysHowFarItLooked)
{
    const Outcome outcome = trace({"--until", "fault"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "fault never comes in ")) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, " steps of kernel ")) << outcome.errors;
}

// A right kernel stores none, and what was compared is told.
TEST_F(TraceCommand, comparesWithTheReference)
{
    const Outcome outcome = trace({"--until", "difference"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "stores no difference on the way from step 0: %total holds value %")) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, "of the 3 elements that are stored, none is further off than allowed"))
        << outcome.errors;
}

// A lowered text has no graph that says what it should compute.
TEST_F(TraceCommand, saysThatALoweredTextHasNoReference)
{
    const std::string text =
        write("alone.lowered", "kernel \"k0\" symbol \"k0\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0]\n"
                               "  %x = define_global f32[2] argument 0 written\n"
                               "  %i = const i64 1\n"
                               "  %v = const f32 3.0\n"
                               "  store f32 %x[%i], %v\n"
                               "end\n");
    const Outcome outcome = call({"trace", text, "--kernel", "0", "--until", "difference"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "%x is not compared: the graph does not compute what it holds")) << outcome.errors;
}

TEST_F(TraceCommand, listsWhatThereIs)
{
    const auto errors = [&](const std::vector<std::string> &words) {
        const Outcome outcome = trace(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Usage) << outcome.output;
        return outcome.errors;
    };
    EXPECT_TRUE(contains(errors({"--at", "attic=3"}), "has no loop \"attic\"; there are "));
    EXPECT_TRUE(contains(errors({"--at", "attic"}), "a place is NAME=NUMBER"));
    EXPECT_TRUE(contains(errors({"--until", "rain"}), "there is no condition \"rain\"; there are nan, inf"));
    EXPECT_TRUE(contains(errors({"--until", "line:1"}), "has no instruction in line 1"));
    EXPECT_TRUE(contains(errors({"--until", "value:attic"}), "has no value \"attic\"; there are %"));
    EXPECT_TRUE(contains(errors({"--until", "element:x"}), "an element is NAME[NUMBER]"));
    const Outcome noKernel = call({"trace", m_file});
    EXPECT_EQ(noKernel.exitCode, ExitCode::Usage);
    const Outcome otherKernel = call({"trace", m_file, "--kernel", "attic"});
    EXPECT_EQ(otherKernel.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(otherKernel.errors, "there is no kernel \"attic\"; there are ")) << otherKernel.errors;
}

TEST_F(TraceCommand, goesToAPlace)
{
    const std::string text =
        write("loops.lowered", "kernel \"k0\" symbol \"k0\" id 0 global [2, 1, 1] local [1, 1, 1] arguments [0]\n"
                               "  %x = define_global f32[6] argument 0 written\n"
                               "  %n = const i64 3\n"
                               "  %i = range %n\n"
                               "    %v = load f32 %x[%i]\n"
                               "    %w = add f32 %v, %v\n"
                               "    store f32 %x[%i], %w\n"
                               "  end_range %i\n"
                               "end\n");
    const Outcome outcome = call({"trace", text, "--kernel", "0", "--at", "i=2,global_x=1", "--until", "store", "--steps", "1"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "work item [1, 0, 0], i = 2 of 3")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "last  line 7     store f32 %x[%i], %w")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "wrote %x[2]: ")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "the run is at its end")) << outcome.output;
}

} // namespace
} // namespace sw::command
