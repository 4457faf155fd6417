// Tuning on real devices: what is tried, what is refused, and what is told. No times are tested.

#include "engine/api/tune/tune_run.h"
#include "engine/base/json_value.h"
#include "tests/support/wrong_backend.h"
#include "tests/unit/app/command_fixture.h"

#include <algorithm>

namespace sw::command {
namespace {

// The wrong device, as a CPU with vectors of four, of which it adds up those of two wrongly.
class WrongCpu : public test::WrongBackend {
public:
    WrongCpu() : WrongBackend("= add f32x2 ", "= sub f32x2 ") {}
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        SW_TRY(std::vector<DeviceInfo> devices, WrongBackend::probe());
        devices.front().kind = DeviceKind::Cpu;
        devices.front().vectorBytes = 16;
        return devices;
    }
};

class TuneCommands : public CommandTest {
protected:
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

    CompileRequest request(const std::string &file) const
    {
        CompileRequest made;
        made.program.fileName = file;
        made.program.resourceFolder = findResourceFolder();
        return made;
    }
    // Of the only kernel.
    KernelTuning tuned(const CompileRequest &request, std::size_t candidates)
    {
        ProgramCompiler compiler(m_registry);
        std::vector<KernelTuning> tunings;
        const TunePlan plan{.candidates = candidates, .budget = {}};
        const auto ended = runTuning(compiler, plan, request, [](const Compilation &) { return RunInputs(); }, tunings, {});
        EXPECT_TRUE(ended) << toText(ended.error());
        EXPECT_EQ(tunings.size(), 1U);
        return tunings.front();
    }
    std::string m_file = write("program.sw", "input a: f32[96, 80]\ninput b: f32[80, 64]\noutput c = a @ b\n");
};

TEST_F(TuneCommands, aCandidateThatComputesSomethingElseIsRefused)
{
    m_registry.add(std::make_unique<WrongCpu>());
    CompileRequest asked = request(write("sum.sw", "input x: f32[100]\ninput z: f32[100]\noutput y = x + z\n"));
    asked.device = "wrong";
    const KernelTuning tuning = tuned(asked, 60);
    EXPECT_TRUE(contains(tuning.values, "bit for bit"));
    std::size_t wrong = 0;
    for (const Candidate &candidate : tuning.search.candidates) {
        const bool isOfTwo =
            contains(textOf(candidate.transforms), " 2; set_type i0.i") || contains(textOf(candidate.transforms), "split i0.i 2");
        if (candidate.trial.state == TrialState::Wrong) {
            ++wrong;
            EXPECT_TRUE(contains(candidate.trial.told, "y differs")) << candidate.trial.told;
            EXPECT_EQ(candidate.time, 0);
        } else if (isOfTwo && candidate.trial.state == TrialState::Timed) {
            ADD_FAILURE() << textOf(candidate.transforms);
        }
    }
    EXPECT_GT(wrong, 0U);
    EXPECT_EQ(tuning.search.candidates[tuning.search.best].trial.state, TrialState::Timed);
}

TEST_F(TuneCommands, tellsWhatItTried)
{
    const Outcome outcome = call({"tune", m_file, "--candidates", "8", "--seed", "3", "--json"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    const Result<JsonValue> json = parseJson(outcome.output, "tune");
    ASSERT_TRUE(json);
    const JsonValue &kernel = json->find("kernels")->array()->front();
    EXPECT_EQ(*kernel.find("name")->text(), "k0_matmul");
    EXPECT_EQ(kernel.find("candidates")->array()->size(), 9U);
    const JsonValue &first = kernel.find("candidates")->array()->front();
    EXPECT_EQ(*first.find("from")->text(), "model");
    ASSERT_NE(first.find("time")->fraction(), nullptr);
    EXPECT_EQ(*first.find("time")->fraction(), 1);
    EXPECT_NE(first.find("predicted_cycles"), nullptr);
    const Outcome plain =
        call({"tune", m_file, "--candidates", "3", "--kernel", "matmul/add", "--export", path("found.overrides")});
    ASSERT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
    EXPECT_TRUE(contains(plain.output, "candidate  from "));
    EXPECT_TRUE(contains(plain.output, "4 candidates; all candidates were tried"));
    EXPECT_EQ(call({"check", m_file}).exitCode, ExitCode::Success);
    EXPECT_FALSE(
        contains(call({"show", m_file, "--stage", "loops", "--overrides", path("found.overrides")}).errors, "not applied"));
}

TEST_F(TuneCommands, saysWhatCannotBeTuned)
{
    EXPECT_EQ(call({"tune", m_file, "--kernel", "nobody"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"tune", m_file, "--budget", "soon"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"tune", m_file, "--candidates", "0"}).exitCode, ExitCode::Usage);
    const Outcome interpreter = call({"tune", m_file, "--device", "interpreter", "--candidates", "2"});
    EXPECT_EQ(interpreter.exitCode, ExitCode::Success);
    EXPECT_TRUE(contains(interpreter.output, "not tuned, interpreter is no CPU")) << interpreter.output;
    const KernelTuning tuning = tuned(request(m_file), 1);
    const std::string overrides = write("by_hand.overrides", "stepwell overrides 1\n" + overrideOf(tuning, 0) + "\n");
    const Outcome pinned = call({"tune", m_file, "--overrides", overrides, "--candidates", "2"});
    EXPECT_TRUE(contains(pinned.output, "gives its loops")) << pinned.output;
}

TEST_F(TuneCommands, aStopKeepsWhatThereIs)
{
    ProgramCompiler compiler(m_registry);
    std::stop_source stop;
    std::vector<KernelTuning> tunings;
    const TunePlan plan{.budget = {}};
    const auto ended = runTuning(
        compiler, plan, request(m_file), [](const Compilation &) { return RunInputs(); }, tunings, stop.get_token(),
        [&](const std::vector<KernelTuning> &soFar) {
            if (soFar.back().search.candidates.size() == 3)
                stop.request_stop();
        });
    EXPECT_FALSE(ended);
    ASSERT_EQ(tunings.size(), 1U);
    EXPECT_EQ(tunings.front().search.candidates.size(), 3U);
    EXPECT_EQ(tunings.front().search.end, SearchEnd::Stopped);
}

} // namespace
} // namespace sw::command
