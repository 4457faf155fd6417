// tests/golden/stages/NAME.golden: the stages of the example NAME.sw, or of the program in the file's own "== input" section.
// Examples are lowered to plain loops, so that a person can read them whole; the others as for a device. SW_UPDATE_GOLDEN=1 in
// the environment writes the stages found, for every example. NAME_in_groups is compiled as for a GPU.

#include "tests/golden/program_fixture.h"

#include "engine/api/stage_text.h"
#include "engine/graph/placement.h"
#include "engine/lowered/printer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace sw::test {
namespace {

constexpr std::string_view kInputHeading = "== input\n";

std::filesystem::path goldenFolder()
{
    return sourceFolder() / "tests/golden/stages";
}

// A generic device, so that the texts are the same on all machines.
CompileTarget plainTarget(const Stage &start, bool isOptimized, bool isGpu)
{
    CompileTarget target;
    target.device.id = "golden";
    target.device.backend = "c";
    target.device.threads = 2;
    target.device.vectorBytes = 16;
    target.language = TargetLanguage::Lowered; // nothing is decomposed
    target.options.optimize = isOptimized;
    if (isGpu) {
        target.device.kind = DeviceKind::Gpu;
        target.device.maxWorkgroup = 64;
        target.device.localMemoryBytes = 32 << 10;
    }
    // Devices named by the program are like it.
    for (const NamedDevice &named : devicesNamedIn(*std::get<GraphPtr>(start))) {
        target.others.push_back({target.device, target.language});
        target.others.back().device.id = named.name;
    }
    return target;
}

// For lowered programs, only the kernels: the parts around them are in earlier sections.
std::string goldenTextOf(const Stage &stage)
{
    const auto *program = std::get_if<LoweredProgramPtr>(&stage);
    return program != nullptr ? printLowered(**program).text : stageText(stage);
}

std::string sectionsOf(const ProgramInput &input, bool isOptimized, bool isGpu)
{
    const FrontEndResult opened = openProgram(input, {});
    if (!opened.stage)
        return "== diagnostic\n" + toText(opened.diagnostics);
    const PipelineRun run = runPipeline(*opened.stage, standardPipeline(), plainTarget(*opened.stage, isOptimized, isGpu), {});
    std::string text;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const Stage &after = run.steps[i].after;
        if (i + 1 == run.steps.size() || levelOf(run.steps[i + 1].after) != levelOf(after))
            text += format("== {}\n{}", nameOf(levelOf(after)), goldenTextOf(after));
    }
    return run.succeeded ? text : text + "== diagnostic\n" + toText(run.diagnostics);
}

std::string goldenOfExample(const std::filesystem::path &file)
{
    ProgramInput input;
    input.fileName = file.string();
    input.resourceFolder = (sourceFolder() / "resources").string();
    return sectionsOf(input, false, false);
}

std::string goldenOfText(const std::string &golden, const std::string &name)
{
    const std::string rest = golden.substr(kInputHeading.size());
    ProgramInput input;
    input.fileName = name + ".sw";
    input.text = rest.substr(0, rest.find("== "));
    input.isText = true;
    input.resourceFolder = (sourceFolder() / "resources").string();
    return std::string(kInputHeading) + input.text + sectionsOf(input, true, name.ends_with("_in_groups"));
}

std::vector<std::string> goldenNames()
{
    std::set<std::string> names;
    for (const std::filesystem::path &file : exampleFiles())
        names.insert(file.stem().string());
    for (const auto &entry : std::filesystem::directory_iterator(goldenFolder()))
        if (entry.path().extension() == ".golden")
            names.insert(entry.path().stem().string());
    return {names.begin(), names.end()};
}

class Stages : public testing::TestWithParam<std::string> {};

TEST_P(Stages, areAsTheGoldenFileSays)
{
    const std::filesystem::path file = goldenFolder() / (GetParam() + ".golden");
    const auto stored = readTextFile(file.string());
    const std::string expected = stored ? *stored : std::string();
    const std::string found = expected.starts_with(kInputHeading)
                                  ? goldenOfText(expected, GetParam())
                                  : goldenOfExample(sourceFolder() / "resources/examples" / (GetParam() + ".sw"));
    if (std::getenv("SW_UPDATE_GOLDEN") != nullptr) {
        std::ofstream stream(file);
        stream << found;
        return;
    }
    // The first line that differs says more than two complete texts.
    const auto [at, other] = std::ranges::mismatch(expected, found);
    const auto line = std::count(expected.begin(), at, '\n') + 1;
    EXPECT_TRUE(expected == found) << file.string() << ":" << line << ": expected\n"
                                   << std::string(at, std::find(at, expected.end(), '\n')) << "\nbut found\n"
                                   << std::string(other, std::find(other, found.end(), '\n'))
                                   << "\nIf this is meant: SW_UPDATE_GOLDEN=1 writes the file anew.";
}

INSTANTIATE_TEST_SUITE_P(All, Stages, testing::ValuesIn(goldenNames()), [](const auto &test) { return test.param; });

} // namespace
} // namespace sw::test
