// Tuning on real devices: what is tried, what is refused, what is kept, and that later commands use it and say so. No times are
// tested.

#include "engine/api/session_file/session_file.h"
#include "engine/api/tune/use_tunings.h"
#include "engine/base/json_value.h"
#include "engine/execute/figures_store.h"
#include "tests/support/wrong_backend.h"
#include "tests/unit/app/command_fixture.h"

#include <algorithm>
#include <array>
#include <fstream>

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
    TuneCommands() { m_figures = &m_store; }

    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
    static bool hasVectorsOfTwo(const std::string &transforms)
    {
        return std::ranges::any_of(std::array{"i0", "i0.i", "i0.o"}, [&](const char *axis) {
            return contains(transforms, format("split {} 2;", axis)) &&
                   contains(transforms, format("set_type {}.i vector", axis));
        });
    }

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
    // Keeps another list than the compiler's choice.
    KernelTuning keepAnother()
    {
        KernelTuning tuning = tuned(request(m_file), 12);
        const auto other =
            std::ranges::find_if(tuning.search.candidates, [](const Candidate &one) { return one.number > 0 && one.time > 0; });
        EXPECT_NE(other, tuning.search.candidates.end());
        tuning.search.best = other->number;
        EXPECT_TRUE(keepTuning(tuningsBeside(m_store), tuning, 7));
        return tuning;
    }
    std::string loops(const std::vector<std::string> &more = {}) const
    {
        std::vector<std::string> words{"show", m_file, "--stage", "loops"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
        return outcome.output;
    }

    FiguresStore m_store{m_folder / "figures"};
    std::string m_file = write("program.sw", "input a: f32[96, 80]\ninput b: f32[80, 64]\noutput c = a @ b\n");
};

TEST_F(TuneCommands, laterCompilationsUseWhatIsKeptAndSaySo)
{
    const std::string before = loops();
    const KernelTuning tuning = keepAnother();
    const std::string with = loops();
    EXPECT_TRUE(contains(with, "# tuned: ")) << with;
    EXPECT_TRUE(contains(with, ", seed 7\n")) << with;
    for (const Transform &transform : tuning.search.candidates[tuning.search.best].transforms)
        EXPECT_TRUE(contains(with, "    " + toText(transform) + "  # tuned: ")) << toText(transform);
    EXPECT_EQ(loops({"--no-tunings"}), before);
    // A list by hand takes its place.
    const std::string overrides = write("by_hand.overrides", "stepwell overrides 1\n" + overrideOf(tuning, 0) + "\n");
    EXPECT_FALSE(contains(loops({"--overrides", overrides}), "tuned"));
    // It computes the same.
    const std::vector<std::string> run{"run", m_file, "--output-dir", path("tuned")};
    ASSERT_EQ(call(run).exitCode, ExitCode::Success);
    ASSERT_EQ(call({"run", m_file, "--no-tunings", "--output-dir", path("plain")}).exitCode, ExitCode::Success);
    EXPECT_NE(call({"diff", path("plain/c.npy"), path("tuned/c.npy")}).exitCode, ExitCode::Error);
    // It holds for equal kernels of other programs, and not for another number of threads or another shape.
    const std::string equal = write("other.sw", "input p: f32[96, 80]\ninput q: f32[80, 64]\noutput r = p @ q\n");
    const std::string wider = write("wider.sw", "input p: f32[96, 80]\ninput q: f32[80, 128]\noutput r = p @ q\n");
    const auto isTuned = [&](const std::string &file, std::uint32_t threads, bool strict) {
        CompileRequest asked = request(file);
        asked.threads = threads;
        asked.options.strict = strict;
        ProgramCompiler compiler(m_registry);
        asked.options.tunings = KeptTunings(&m_store).current();
        asked.until = CompileUntil::Lowered;
        const Compilation made = compiler.compile(asked, {});
        EXPECT_TRUE(made.succeeded);
        return std::ranges::any_of(made.loops->nests.front()->transforms,
                                   [](const Transform &one) { return one.reason.starts_with("tuned: "); });
    };
    EXPECT_TRUE(isTuned(equal, 0, false));
    EXPECT_FALSE(isTuned(equal, 7, false));
    EXPECT_FALSE(isTuned(wider, 0, false));
    EXPECT_FALSE(isTuned(equal, 0, true));
}

// A kernel that was tuned for tiles of a matrix keeps no such tiles where they are switched off.
TEST_F(TuneCommands, tensorInstructionsThatAreOffTakeTheirTuningsAlong)
{
    const KernelTuning tuning = tuned(request(m_file), 1);
    Tuning kept{.transforms = tuning.search.candidates.front().transforms, .gain = 2, .measuredOn = "2026-01-01"};
    kept.transforms.push_back({.kind = TransformKind::Tensorize});
    const auto tunings = std::make_shared<const Tunings>(Tunings{.byKey = {{tuning.key, kept}}});
    for (const bool isOn : {true, false}) {
        CompileRequest asked = request(m_file);
        asked.options.tunings = tunings;
        asked.options.tensorInstructions = isOn;
        asked.until = CompileUntil::Lowered;
        ProgramCompiler compiler(m_registry);
        const Compilation made = compiler.compile(asked, {});
        // The list is not legal here, so the note says whether it was looked at.
        EXPECT_EQ(made.loops->notes.size(), isOn ? 1U : 0U);
        EXPECT_TRUE(made.succeeded);
    }
}

// What is written or run is compiled with what the command line leaves on.
TEST_F(TuneCommands, sessionsSweepsAndColumnsKnowEverySwitch)
{
    keepAnother();
    ASSERT_NE(loops(), loops({"--no-tunings"}));
    const std::string session = path("kept.stepwell");
    ASSERT_EQ(call({"save", m_file, "-o", session, "--no-run", "--no-tunings", "--no-tensor-instructions"}).exitCode,
              ExitCode::Success);
    const Result<SessionContents> kept = openSession(session);
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->tunings);
    EXPECT_FALSE(kept->tensorInstructions);
    EXPECT_TRUE(kept->fuse && kept->optimize);
    // What is compiled from it is compiled so, too; --device makes the command compile.
    const auto compiledFrom = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--stage", "loops", "--device", "llvm"});
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
        return outcome.output;
    };
    EXPECT_FALSE(contains(compiledFrom({"show", session}), "# tuned: "));
    ASSERT_EQ(call({"save", m_file, "-o", session, "--no-run"}).exitCode, ExitCode::Success);
    const Result<SessionContents> usual = openSession(session);
    ASSERT_TRUE(usual);
    EXPECT_TRUE(usual->tunings && usual->tensorInstructions);
    EXPECT_TRUE(contains(compiledFrom({"show", session}), "# tuned: "));
    EXPECT_FALSE(contains(compiledFrom({"show", session, "--no-tunings"}), "# tuned: "));

    const Outcome matrix = call(
        {"matrix", m_file, "--devices", "llvm", "--with", "--no-tunings --no-tensor-instructions", "--repeat", "1", "--csv"});
    EXPECT_EQ(matrix.exitCode, ExitCode::Success) << matrix.errors;
    EXPECT_TRUE(contains(matrix.output, "llvm, no tensor instructions, no tunings")) << matrix.output;
    for (const std::string_view option : {"--no-tunings", "--no-tensor-instructions", "--no-fuse", "--no-optimize"}) {
        const Outcome swept = call({"sweep", m_file, "--threads", "1..1", "--repeat", "1", std::string(option), "--json"});
        EXPECT_EQ(swept.exitCode, ExitCode::Success) << option << swept.errors;
    }
}

TEST_F(TuneCommands, whatCannotBeUsedIsAWarning)
{
    const std::string before = loops();
    const KernelTuning tuning = keepAnother();
    // A list that is no longer legal.
    const TuningStore store = tuningsBeside(m_store);
    const Tuning stale{.transforms = {parseTransform("split gone 2").value()}, .gain = 2, .measuredOn = "2026-01-01"};
    ASSERT_TRUE(store.keep(tuning.key, stale, "c"));
    const Outcome refused = call({"show", m_file, "--stage", "loops"});
    EXPECT_EQ(refused.exitCode, ExitCode::Success);
    EXPECT_EQ(refused.output, before);
    EXPECT_TRUE(contains(refused.errors, "the tuning of k0_matmul (tuned: 2.00 x, 2026-01-01, seed 1) is not used: "))
        << refused.errors;
    EXPECT_TRUE(contains(refused.errors, "gone")) << refused.errors;
    // A file that is damaged.
    std::ofstream(store.fileOf(tuning.key), std::ios::binary) << "stepwell tuning 2\nkey";
    const Outcome damaged = call({"show", m_file, "--stage", "loops"});
    EXPECT_EQ(damaged.output, before);
    EXPECT_TRUE(contains(damaged.errors, "is not used: it is damaged")) << damaged.errors;
}

TEST_F(TuneCommands, aCandidateThatComputesSomethingElseIsRefused)
{
    m_registry.add(std::make_unique<WrongCpu>());
    CompileRequest asked = request(write("sum.sw", "input x: f32[100]\ninput z: f32[100]\noutput y = x + z\n"));
    asked.device = "wrong";
    const KernelTuning tuning = tuned(asked, 120);
    EXPECT_TRUE(contains(tuning.values, "bit for bit"));
    std::size_t wrong = 0;
    for (const Candidate &candidate : tuning.search.candidates) {
        const bool isOfTwo = hasVectorsOfTwo(textOf(candidate.transforms));
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
