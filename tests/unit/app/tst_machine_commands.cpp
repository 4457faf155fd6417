// Loops of machine code, code for other processors and the passes of LLVM, from the command line.

#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class MachineCommands : public CommandTest {
protected:
    std::string m_file = write("program.sw", "input x: f32[64, 1000]\noutput sum(x * x, axis = 1)\n");
};

TEST_F(MachineCommands, tellOfLoopsAndRegisters)
{
    const Outcome outcome = call({"show", m_file, "--stage", "machine", "--mca"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "; registers in use at most: ")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "; loop 1")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "rounds per work item")) << outcome.output;
    const std::string json = call({"show", m_file, "--stage", "machine", "--mca", "--json"}).output;
    EXPECT_TRUE(contains(json, "\"version\": 1"));
    EXPECT_TRUE(contains(json, "\"peak\": "));
    EXPECT_TRUE(contains(json, "\"header\": "));
}

TEST_F(MachineCommands, simulateForAProcessorWithAModel)
{
    const Outcome outcome = call({"show", m_file, "--stage", "machine", "--target", "haswell", "--mca"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "instructions for x86_64, haswell")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, " cycles per round, ")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "limit: ")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "HWPort")) << outcome.output;
}

TEST_F(MachineCommands, showCodeOfAnotherProcessor)
{
    const Outcome outcome = call({"show", m_file, "--stage", "machine", "--target", "aarch64"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "ldr ")) << outcome.output;
    EXPECT_TRUE(contains(call({"show", m_file, "--stage", "machine", "--target", "aarch64", "--json"}).output, "\"does\": "));
}

TEST_F(MachineCommands, refuseWhatIsNoTarget)
{
    const Outcome unknown = call({"show", m_file, "--stage", "machine", "--target", "pdp11"});
    EXPECT_EQ(unknown.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(unknown.errors, "no target is called \"pdp11\"; there are x86-64, ")) << unknown.errors;
    EXPECT_EQ(call({"show", m_file, "--stage", "code", "--target", "aarch64"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"show", m_file, "--stage", "code", "--mca"}).exitCode, ExitCode::Usage);
    const Outcome other = call({"show", m_file, "--stage", "machine", "--target", "aarch64", "--device", "interpreter"});
    EXPECT_EQ(other.exitCode, ExitCode::Unsupported) << other.errors;
    EXPECT_TRUE(contains(other.errors, "only the device llvm")) << other.errors;
}

TEST_F(MachineCommands, compareMeasuredCyclesWithSimulatedOnes)
{
    const Outcome outcome = call({"bench", m_file, "--repeat", "3", "--mca"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "cycles per round, simulated and measured")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "GHz (")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "measured by dependent additions")) << outcome.output;
    const std::string json = call({"bench", m_file, "--repeat", "3", "--mca", "--json"}).output;
    EXPECT_TRUE(contains(json, "\"cycles\": {")) << json;
    EXPECT_TRUE(contains(json, "\"ghz\": ")) << json;
    EXPECT_FALSE(contains(call({"bench", m_file, "--repeat", "3", "--json"}).output, "\"cycles\": {"));
    const Outcome other = call({"bench", m_file, "--repeat", "3", "--mca", "--device", "interpreter"});
    EXPECT_TRUE(contains(other.output, "cycles: none measured, interpreter is no processor")) << other.output;
}

TEST_F(MachineCommands, listTargets)
{
    const Outcome outcome = call({"devices", "--targets"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    EXPECT_TRUE(contains(outcome.output, "riscv64+v"));
    EXPECT_TRUE(contains(call({"devices", "--targets", "--json"}).output, "\"name\": \"amdgcn\""));
}

TEST_F(MachineCommands, listThePassesOfLlvm)
{
    const Outcome all = call({"passes", m_file, "--llvm"});
    ASSERT_EQ(all.exitCode, ExitCode::Success) << all.errors;
    EXPECT_TRUE(contains(all.output, "instcombine")) << all.output;
    EXPECT_TRUE(contains(all.output, "changed")) << all.output;
    const std::string json = call({"passes", m_file, "--llvm", "--json"}).output;
    EXPECT_TRUE(contains(json, "\"before\": \""));
    EXPECT_TRUE(contains(json, "define void @k_"));
    const Outcome other = call({"passes", m_file, "--llvm", "--device", "interpreter"});
    EXPECT_EQ(other.exitCode, ExitCode::Unsupported) << other.errors;
}

} // namespace
} // namespace sw::command
