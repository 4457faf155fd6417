// Where the commands take the figures of their estimates from, and that they say so.

#include "engine/execute/figures_store.h"
#include "tests/unit/app/command_fixture.h"

#include <algorithm>

namespace sw::command {
namespace {

constexpr const char *kProgram = "input x: f32[64]\n"
                                 "output y = exp(x)\n";

class DeviceFiguresCommands : public CommandTest {
protected:
    DeviceFiguresCommands() { m_figures = &m_store; }

    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
    [[nodiscard]] DeviceInfo interpreter() const { return m_registry.device("interpreter").value().device; }
    void plant() const
    {
        DeviceFigures figures{.rates = {.memoryBytesPerNanosecond = 2.5, .launchNanoseconds = 6e6}, .measuredOn = "2001-02-03"};
        figures.rates.tensorOperationsPerNanosecond[indexOf(TensorInstruction::AmxBf16)] = 2900;
        figures.rates.caches[1] = {.holds = 16 << 20, .bytesPerNanosecond = 31.5};
        ASSERT_TRUE(m_store.keep(interpreter(), figures));
    }

    std::string m_file = write("program.sw", kProgram);
    FiguresStore m_store{m_folder / "figures"};
};

TEST_F(DeviceFiguresCommands, devicesSaysWhereFiguresComeFrom)
{
    EXPECT_TRUE(contains(call({"devices"}).output, "figures assumed: 10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns"));
    EXPECT_TRUE(contains(call({"devices", "--json"}).output, "\"source\": \"assumed\",\n        \"measured_on\": null"));
    EXPECT_FALSE(std::filesystem::exists(m_folder / "figures")) << "nobody has asked to measure";
    plant();
    EXPECT_TRUE(contains(call({"devices"}).output, "figures measured on this machine, 2001-02-03: 2.5 GB/s"));
    const std::string json = call({"devices", "--json"}).output;
    for (const char *part :
         {"\"source\": \"measured\"", "\"measured_on\": \"2001-02-03\"", "\"memory_gb_per_s\": 2.5", "\"gflop_per_s\"",
          "\"transfer_gb_per_s\"", "\"launch_ns\": 6", "\"amx_bf16\": 2900", "\"bytes\": 16777216", "\"gb_per_s\": 31.5"})
        EXPECT_TRUE(contains(json, part)) << part;
}

TEST_F(DeviceFiguresCommands, measuresEveryDeviceWhenAsked)
{
    plant();
    const Outcome outcome = call({"devices", "--measure"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_FALSE(contains(outcome.output, "2001-02-03")) << "measured anew";
    EXPECT_FALSE(contains(outcome.output, "assumed")) << outcome.output;
    for (const char *id : {"interpreter", "llvm"})
        EXPECT_TRUE(m_store.find(m_registry.device(id).value().device)) << id;
    m_figures = nullptr;
    EXPECT_EQ(call({"devices", "--measure"}).exitCode, ExitCode::Unsupported);
}

TEST_F(DeviceFiguresCommands, onlyBenchMeasuresByItself)
{
    for (const std::vector<std::string> &words : {std::vector<std::string>{"run", m_file},
                                                  {"show", m_file, "--stage", "schedule", "--json"},
                                                  {"explain", m_file},
                                                  {"compare", m_file, "--devices", "interpreter,interpreter"}}) {
        std::vector<std::string> all = words;
        if (words.front() != "compare")
            all.insert(all.end(), {"--device", "interpreter"});
        EXPECT_EQ(call(all).exitCode, ExitCode::Success) << words.front();
        EXPECT_FALSE(std::filesystem::exists(m_folder / "figures")) << words.front();
    }
    const Outcome bench = call({"bench", m_file, "--device", "interpreter", "--repeat", "2"});
    EXPECT_TRUE(contains(bench.output, "figures of interpreter, measured on this machine, 20")) << bench.output;
    EXPECT_TRUE(m_store.find(interpreter()));
}

TEST_F(DeviceFiguresCommands, benchKeepsWhatWasMeasured)
{
    plant();
    const Outcome bench = call({"bench", m_file, "--device", "interpreter", "--repeat", "2", "--json"});
    for (const char *part :
         {"\"estimate_ns\": 60", "\"critical_path\"", "\"steps\"", "\"figures\"", "\"measured_on\": \"2001-02-03\""})
        EXPECT_TRUE(contains(bench.output, part)) << part << bench.output;
}

TEST_F(DeviceFiguresCommands, estimatesAreByThemButTheTextIsNot)
{
    const std::vector<std::string> show{"show", m_file, "--stage", "schedule", "--device", "interpreter"};
    const std::string before = call(show).output;
    plant();
    EXPECT_EQ(call(show).output, before);
    std::vector<std::string> json = show;
    json.emplace_back("--json");
    EXPECT_TRUE(contains(call(json).output, "\"estimated by\": \"measured on this machine, 2001-02-03: 2.5 GB/s"));

    const std::string explained = call({"explain", m_file, "--device", "interpreter"}).output;
    EXPECT_TRUE(contains(explained, "critical path, estimated: 6.0 ms: k0_")) << explained;
    EXPECT_TRUE(contains(explained, "figures of interpreter, measured on this machine, 2001-02-03: 2.5 GB/s")) << explained;
    const std::string run = call({"run", m_file, "--device", "interpreter"}).output;
    EXPECT_TRUE(contains(run, "critical path, estimated: 6.0 ms: k0_")) << run;
    EXPECT_TRUE(contains(call({"run", m_file, "--device", "interpreter", "--json"}).output, "\"critical_path\""));
    EXPECT_TRUE(contains(call({"compare", m_file, "--devices", "interpreter,llvm", "--json"}).output, "\"source\": \"assumed\""))
        << "that of llvm";
}

TEST_F(DeviceFiguresCommands, damagedFilesAreAsIfThereWereNone)
{
    plant();
    std::ofstream(m_store.fileOf(interpreter())) << "nonsense";
    EXPECT_TRUE(contains(call({"run", m_file, "--device", "interpreter"}).output, "figures of interpreter, assumed: 10 GB/s"));
    EXPECT_EQ(call({"bench", m_file, "--device", "interpreter", "--repeat", "1"}).exitCode, ExitCode::Success);
    EXPECT_TRUE(m_store.find(interpreter())) << "measured anew";
}

} // namespace
} // namespace sw::command
