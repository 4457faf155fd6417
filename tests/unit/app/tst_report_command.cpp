// stepwellc report: a page with all that the other commands show.

#include "engine/api/front_end.h"
#include "engine/api/report_data.h"
#include "engine/types/npy.h"
#include "tests/support/page_data.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class ReportCommand : public CommandTest {
protected:
    [[nodiscard]] Report pageOf(const std::string &file) const
    {
        const Result<Report> report = parseReportData(reportOfPage(readTextFile(path(file)).value()), file);
        EXPECT_TRUE(report) << toText(report.error());
        return report ? *report : Report();
    }
    static std::string textOf(const StageDocument &document)
    {
        return join(document.lines, "", [](const DocumentLine &line) { return line.text + "\n"; });
    }
};

const char *const kProgram = "input x: f32[8, 16]\noutput softmax(x, axis = -1)\n";

TEST_F(ReportCommand, showsWhatShowPrints)
{
    const std::string program = write("a.sw", kProgram);
    const Outcome outcome = call({"report", program, "--device", "c", "-o", path("a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    const Report report = pageOf("a.html");
    EXPECT_EQ(textOf(*report.code), call({"show", program, "--device", "c", "--stage", "code"}).output);
    EXPECT_EQ(textOf(*report.machine), call({"show", program, "--device", "c", "--stage", "machine"}).output);
    ASSERT_FALSE(report.kernels.empty());
    for (const KernelEntry &kernel : report.kernels)
        EXPECT_TRUE(kernel.medianNanoseconds) << kernel.name;
}

TEST_F(ReportCommand, takesInputsDimensionsAndOverrides)
{
    const std::string program = write("a.sw", "n: dim[1, 64]\ninput x: f32[n, 16]\noutput softmax(x, axis = -1)\n");
    const Outcome outcome = call({"report", program, "--device", "c", "--dim", "n=5", "--no-fuse", "-o", path("a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_GT(pageOf("a.html").kernels.size(), 2U);
    EXPECT_EQ(call({"report", program, "--device", "c", "--dim", "n=500", "-o", path("b.html")}).exitCode, ExitCode::Error);
}

TEST_F(ReportCommand, refusesInputsAndDimensionsThatAreNotThere)
{
    const std::string program = write("a.sw", kProgram);
    ASSERT_TRUE(writeNpyFile(path("y.npy"), HostTensor(DType::F32, Shape({2}))));
    for (const char *option : {"--no-run", "--no-fuse"}) { // whether it is run or not
        const Outcome input =
            call({"report", program, "--device", "c", option, "--input", "y=" + path("y.npy"), "-o", path("a.html")});
        EXPECT_EQ(input.exitCode, ExitCode::Error);
        EXPECT_NE(input.errors.find("the program has no input \"y\"; it has x"), std::string::npos) << input.errors;
        const Outcome dimension = call({"report", program, "--device", "c", option, "--dim", "q=3", "-o", path("a.html")});
        EXPECT_EQ(dimension.exitCode, ExitCode::Error);
        EXPECT_NE(dimension.errors.find("no open dimension \"q\""), std::string::npos) << dimension.errors;
    }
}

TEST_F(ReportCommand, runsNothingWhenAskedNotTo)
{
    const Outcome outcome = call({"report", write("a.sw", kProgram), "--device", "c", "--no-run", "-o", path("a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_FALSE(pageOf("a.html").kernels.front().medianNanoseconds);
}

TEST_F(ReportCommand, ofAProgramWithErrorsHasItsMessages)
{
    const std::string program = write("a.sw", "output y\ninput x: f32[4]\noutput softmax(x, axis = 5)\n");
    const Outcome outcome = call({"report", program, "-o", path("a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_NE(outcome.errors.find("a.sw:1:8: error: "), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.errors, call({"check", program}).errors); // notes and all
    const Report report = pageOf("a.html");
    ASSERT_FALSE(report.messages.empty());
    EXPECT_EQ(report.messages.front().line, 1U);
}

TEST_F(ReportCommand, needsAFileToWrite)
{
    EXPECT_EQ(call({"report", write("a.sw", kProgram)}).exitCode, ExitCode::Usage);
    const Outcome outcome = call({"report", write("a.sw", kProgram), "--device", "c", "--no-run", "-o", path("no/a.html")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_NE(outcome.errors.find("cannot write"), std::string::npos) << outcome.errors;
    EXPECT_EQ(call({"report", write("a.sw", kProgram), "--device", "cuda", "-o", path("a.html")}).exitCode,
              ExitCode::Unsupported);
}

} // namespace
} // namespace sw::command
