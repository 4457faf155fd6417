// Convolutions of images that the core's cache does not hold: a tile of several channels reads the image once, one that goes
// along the image reads it again for each channel.

#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "engine/loops/printer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

// The loops of a convolution of 64 channels into 64, on a device with vectors of 64 bytes and 1 MiB of cache.
std::string loopsOf(int height, int width)
{
    ProgramInput input;
    input.fileName = "test.sw";
    input.text =
        format("input x: f32[1, 64, {}, {}]\nparam w: f32[64, 64, 3, 3] = random(1)\noutput conv2d(x, w)\n", height, width);
    input.isText = true;
    input.resourceFolder = findResourceFolder();
    const FrontEndResult read = openProgram(input, {});
    EXPECT_TRUE(read.stage) << toText(read.diagnostics);
    if (!read.stage)
        return {};
    const CompileTarget target{test::vectorDevice(1, 64), TargetLanguage::Llvm, {}};
    const PipelineRun run = runPipeline(std::get<GraphPtr>(*read.stage), standardPipeline(), target, {});
    EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
    std::string loops;
    for (const PassStep &step : run.steps)
        if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
            loops = toText(**made);
    return loops.substr(loops.rfind("kernel k"));
}

TEST(Revisits, turnVectorsAcrossTheChannels)
{
    const std::string large = loopsOf(226, 226); // 13 MB
    EXPECT_NE(large.find("set_type i0.i.i vector"), std::string::npos) << large;
    EXPECT_EQ(large.find("set_type i2.i.i vector"), std::string::npos) << large;
}

} // namespace
} // namespace sw
