// How bench and compare measure: what can be set, and what they say of several programs that run in turn. No times are tested.

#include "app/commands/common.h"
#include "app/commands/measuring.h"
#include "engine/execute/figures_store.h"
#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace sw::command {
namespace {

class MeasuringCommands : public CommandTest {
protected:
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
    static Result<MeasurePlan> plan(std::vector<std::string> words)
    {
        constexpr std::array kOptions{kPrecisionOption, kBudgetOption, kRepeatOption};
        return planOf(Arguments::parse(words, kOptions).value(), 3U);
    }

    std::string m_file = write("program.sw", "input x: f32[64]\noutput y = exp(x) + 1.0\n");
};

TEST_F(MeasuringCommands, readsPrecisionAndBudget)
{
    EXPECT_EQ(plan({})->repeats, 3U);
    EXPECT_EQ(plan({"--repeat", "7"})->repeats, 7U);
    const MeasurePlan precise = plan({"--precision", "0.5%", "--budget", "250ms"}).value();
    EXPECT_FALSE(precise.repeats);
    EXPECT_DOUBLE_EQ(precise.precision, 0.005);
    EXPECT_EQ(precise.budget, std::chrono::milliseconds(250));
    EXPECT_DOUBLE_EQ(plan({"--precision", "2"})->precision, 0.02);
    EXPECT_EQ(plan({"--budget", "1.5"})->budget, std::chrono::milliseconds(1500));
    EXPECT_EQ(plan({"--budget", "2min"})->budget, std::chrono::minutes(2));
    for (const std::vector<std::string> &words : {std::vector<std::string>{"--precision", "0"},
                                                  {"--precision", "1s"},
                                                  {"--precision", "101"},
                                                  {"--precision", "nan"},
                                                  {"--budget", "-1"},
                                                  {"--budget", "5h"},
                                                  {"--budget", ""},
                                                  {"--budget", "inf"},
                                                  {"--budget", "1e9"},
                                                  {"--repeat", "2", "--budget", "1"},
                                                  {"--repeat", "0"}})
        EXPECT_FALSE(plan(words)) << words[1];
    EXPECT_EQ(call({"bench", m_file, "--budget", "soon"}).exitCode, ExitCode::Usage);
}

TEST_F(MeasuringCommands, benchMeasuresTwoCompilationsInTurn)
{
    const std::vector<std::string> words{"bench", m_file, "--device", "interpreter", "--with", "--no-fuse", "--budget", "50ms"};
    const Outcome plain = call(words);
    ASSERT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
    EXPECT_TRUE(contains(plain.output, "95 % band"));
    EXPECT_TRUE(contains(plain.output, "with the other options: "));
    std::vector<std::string> json = words;
    json.emplace_back("--json");
    const Outcome outcome = call(json);
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {"\"with\": {", "\"ratio\": {", "\"confidence\"", "\"pairs\"", "\"difference\"", "\"low\"",
                             "\"high\"", "\"runs\"", "\"notes\""})
        EXPECT_TRUE(contains(outcome.output, part)) << part;
    EXPECT_EQ(call({"bench", m_file, "--with", "--device nowhere", "--budget", "1ms"}).exitCode, ExitCode::Unsupported);
    EXPECT_EQ(call({"bench", m_file, "--with", "--what", "--budget", "1ms"}).exitCode, ExitCode::Usage);
}

TEST_F(MeasuringCommands, compareSaysWhetherTimesDiffer)
{
    const Outcome once = call({"compare", m_file, "--devices", "interpreter,interpreter"});
    EXPECT_TRUE(contains(once.output, "too few runs to tell a difference")) << once.output;
    const Outcome often = call({"compare", m_file, "--devices", "interpreter,interpreter", "--repeat", "16", "--json"});
    EXPECT_FALSE(contains(often.output, "\"difference\": \"unknown\""));
    EXPECT_TRUE(contains(often.output, "\"pairs\": 8"));
}

TEST_F(MeasuringCommands, sweepsADimension)
{
    const std::string program = write("rows.sw", "n: dim[1, 64] = 8\ninput x: f32[n, 4]\noutput y = exp(x) + 1.0\n");
    const std::vector<std::string> words{"sweep", program, "--dim", "n=1..40:3", "--device", "interpreter", "--repeat", "1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), words.begin(), words.end());
        return call(more);
    };
    const Outcome csv = with({"--csv", "-o", path("plot.svg")});
    ASSERT_EQ(csv.exitCode, ExitCode::Success) << csv.errors;
    EXPECT_EQ(std::ranges::count(csv.output, '\n'), 4);
    // Exactly so many rows are computed: the program is compiled for each value.
    const std::string first = csv.output.substr(csv.output.find('\n') + 1);
    EXPECT_TRUE(first.starts_with("1,"));
    EXPECT_TRUE(contains(csv.output, "\n6,"));
    EXPECT_TRUE(contains(csv.output, "\n40,"));
    EXPECT_GT(std::filesystem::file_size(path("plot.svg")), 500U);
    EXPECT_TRUE(contains(with({}).output, "rows.sw on interpreter"));
    EXPECT_TRUE(contains(with({"--json"}).output, "\"changes\""));
    const Outcome threads = call({"sweep", program, "--threads", "1..2", "--device", "llvm", "--repeat", "1", "--csv"});
    EXPECT_EQ(threads.exitCode, ExitCode::Success) << threads.errors;
    EXPECT_EQ(std::ranges::count(threads.output, '\n'), 3);
    for (const std::vector<std::string> &wrong :
         {std::vector<std::string>{}, {"--dim", "n=4"}, {"--dim", "n=4..2"}, {"--dim", "n=1..2", "--threads", "1..2"}}) {
        std::vector<std::string> all{"sweep", program};
        all.insert(all.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(call(all).exitCode, ExitCode::Usage);
    }
    EXPECT_EQ(call({"sweep", program, "--dim", "m=1..2", "--repeat", "1"}).exitCode, ExitCode::Error);
}

// With the sizes that the compiler would have chosen, and others; what it refuses is told.
TEST_F(MeasuringCommands, sweepsATile)
{
    const std::string program = write("product.sw", "input x: f32[64, 96]\ninput w: f32[96, 128]\noutput y = x @ w\n");
    const Outcome loops = call({"show", program, "--stage", "loops"});
    const std::size_t at = loops.output.find("split ");
    ASSERT_NE(at, std::string::npos) << loops.output;
    const std::size_t blank = loops.output.find(' ', at + 6);
    const std::string tile = "k0_matmul:" + loops.output.substr(at + 6, blank - at - 6);
    const std::int64_t size = std::stoll(loops.output.substr(blank + 1));
    const auto swept = [&](const std::string &range) {
        return call({"sweep", program, "--tile", range, "--repeat", "1", "--json"});
    };
    const Outcome whole = swept(format("{}={}..{}:2", tile, size, 1'000'000));
    ASSERT_EQ(whole.exitCode, ExitCode::Success) << whole.errors;
    EXPECT_TRUE(contains(whole.output, format("\"value\": {}", size))) << whole.output;
    EXPECT_TRUE(contains(whole.output, format("{} = 1000000: ", tile))) << "a note says why there is no such point\n"
                                                                        << whole.output;
    EXPECT_FALSE(contains(whole.output, "\"value\": 1000000"));
    const auto fails = [&](const std::string &range, ExitCode code, std::string_view text) {
        const Outcome outcome = swept(range);
        EXPECT_EQ(outcome.exitCode, code) << range;
        EXPECT_TRUE(contains(outcome.errors, text)) << outcome.errors;
    };
    fails(tile + "=1000000..1000000", ExitCode::Error, "no value can be measured");
    fails("k0_matmul:nothing=1..2", ExitCode::Error, "has no split of");
    fails("k9:i0=1..2", ExitCode::Error, "there is no kernel");
    fails("k0=1..2", ExitCode::Usage, "a tile is KERNEL:AXIS");
}

// The input fits the first value only: what was measured is told, and why it ended.
TEST_F(MeasuringCommands, aSweepThatFailsKeepsItsPoints)
{
    const std::string program = write("rows.sw", "n: dim[1, 64] = 3\ninput x: f32[n]\noutput y = exp(x)\n");
    ASSERT_TRUE(writeNpyFile(path("x.npy"), HostTensor(DType::F32, {3})));
    const std::vector<std::string> words{"sweep",    program,       "--dim",    "n=3..4", "--input", "x=" + path("x.npy"),
                                         "--device", "interpreter", "--repeat", "1",      "--csv"};
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_FALSE(outcome.errors.empty());
    EXPECT_TRUE(contains(outcome.output, "\n3,")) << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "\n4,"));
    std::stop_source stop;
    stop.request_stop();
    const Outcome stopped = runCommand(words, {m_registry, findResourceFolder(), stop.get_token(), nullptr});
    EXPECT_NE(stopped.exitCode, ExitCode::Success);
    EXPECT_TRUE(stopped.output.empty());
}

// Roofs as if they had been measured.
TEST_F(MeasuringCommands, rooflineSaysWhatBoundsKernels)
{
    const FiguresStore store(m_folder / "figures");
    const std::uint32_t threads = m_registry.device("interpreter").value().device.threads;
    ASSERT_TRUE(store.keepRoofs(
        processorName(), threads,
        {.roofs = {{RoofKind::Memory, "L1 read", threads, 1 << 20, 1e-9}, {RoofKind::Compute, "scalar", threads, 0, 1e9}},
         .measuredOn = "2001-02-03"}));
    m_figures = &store;
    const Outcome plain = call({"roofline", m_file, "--device", "interpreter", "--repeat", "2"});
    ASSERT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
    for (const char *part : {"measured 2001-02-03", "L1 read", "off by", "memory bound: ", "of the measured L1 read rate"})
        EXPECT_TRUE(contains(plain.output, part)) << part << plain.output;
    const Outcome json = call({"roofline", m_file, "--device", "interpreter", "--repeat", "2", "--json"});
    for (const char *part : {"\"roofs\"", "\"level_bytes\": 1048576", "\"bound\": \"memory\"", "\"part\"", "\"estimate_error\""})
        EXPECT_TRUE(contains(json.output, part)) << part << json.output;
}

} // namespace
} // namespace sw::command
