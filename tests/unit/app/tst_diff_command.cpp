#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

namespace sw::command {
namespace {

class DiffCommand : public CommandTest {
protected:
    std::string m_file = write("program.sw", "input x: f32[8, 16]\nhidden = exp(x)\noutput out = softmax(hidden) + x\n");
    std::string tensor(const std::string &name, const std::vector<double> &values) const
    {
        EXPECT_TRUE(writeNpyFile(path(name),
                                 HostTensor::ofValues(DType::F32, Shape({static_cast<std::int64_t>(values.size())}), values)));
        return path(name);
    }
    static bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
};

TEST_F(DiffCommand, findsNoDifferenceBetweenAProgramAndItself)
{
    const Outcome outcome = call({"diff", m_file, m_file});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "machine"));
    EXPECT_EQ(call({"diff", m_file, m_file, "--stage", "lowered"}).output, "");
}

TEST_F(DiffCommand, comparesTwoSetsOfOptions)
{
    const Outcome outcome = call({"diff", m_file, "--with", "--no-fuse", "--stage", "schedule"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Different) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "+ kernel k1_")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "- fused ")) << outcome.output;
    // What --with says takes the place of what the line says.
    EXPECT_EQ(call({"diff", m_file, "--device", "llvm", "--with", "--device llvm"}).exitCode, ExitCode::Success);
    EXPECT_EQ(call({"diff", m_file, "--device", "llvm", "--with", "--device c", "--stage", "code"}).exitCode,
              ExitCode::Different);
}

TEST_F(DiffCommand, comparesOneKernel)
{
    const std::vector<std::string> words{
        "diff", m_file, "--device", "llvm", "--no-fuse", "--with", "--no-fuse --no-optimize", "--stage", "lowered"};
    const auto of = [&](const std::string &kernel, const std::string &last) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"--kernel", kernel, last});
        return call(all);
    };
    const std::string first = of("0", "--json").output;
    EXPECT_TRUE(contains(first, "\"after_text\"") || contains(first, "\"before_text\"")) << first;
    EXPECT_FALSE(contains(first, "k1_")) << first;
    EXPECT_NE(of("1", "--json").output, first);
    EXPECT_EQ(of("no_such_kernel", "--json").exitCode, ExitCode::Usage);
}

TEST_F(DiffCommand, takesARenamedValueForNoDifference)
{
    const std::string renamed = write("renamed.sw", "input x: f32[8, 16]\ninside = exp(x)\noutput out = softmax(inside) + x\n");
    const Outcome outcome = call({"diff", m_file, renamed, "--json"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "\"from\": \"hidden\",\n          \"to\": \"inside\"")) << outcome.output;
}

TEST_F(DiffCommand, writesTheRowsAsJson)
{
    const std::string other = write("other.sw", "input x: f32[8, 16]\nhidden = sqrt(x)\noutput out = softmax(hidden) + x\n");
    const Outcome outcome = call({"diff", m_file, other, "--stage", "program", "--json"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Different);
    EXPECT_TRUE(contains(outcome.output,
                         "\"kind\": \"changed\",\n          \"before\": 2,\n          \"before_text\": \"hidden = exp(x)\""))
        << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "\"version\": 1"));
}

TEST_F(DiffCommand, tellsWhereTwoCompilationsPart)
{
    const Outcome outcome = call({"diff", m_file, "--with", "--no-fuse", "--first"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Different) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "first different in the schedule stage, after pass group-kernels")) << outcome.output;
    EXPECT_EQ(call({"diff", m_file, m_file, "--first"}).exitCode, ExitCode::Success);
    EXPECT_TRUE(
        contains(call({"diff", m_file, "--with", "--no-fuse", "--first", "--json"}).output, "\"pass\": \"group-kernels\""));
}

TEST_F(DiffCommand, comparesTensors)
{
    const std::string a = tensor("a.npy", {1, 2, 3, 4});
    const std::string b = tensor("b.npy", {1, 2, 3.5, 4});
    EXPECT_EQ(call({"diff", a, a}).exitCode, ExitCode::Success);
    const Outcome outcome = call({"diff", a, b});
    EXPECT_EQ(outcome.exitCode, ExitCode::Different);
    EXPECT_TRUE(contains(outcome.output, "1 of 4 elements differ, the first at [2]")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "max abs 0.5, max rel 0.166667, max ulp 2097152")) << outcome.output;
    EXPECT_TRUE(contains(call({"diff", a, b, "--json", "--by", "ulp"}).output, "\"max_ulp\": 2097152"));
}

TEST_F(DiffCommand, comparesKernelsWithTheReference)
{
    const Outcome outcome = call({"compare", m_file, "--first-divergence", "--devices", "interpreter,llvm"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "interpreter: 1 kernels, all results within their error bounds")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "llvm: 1 kernels")) << outcome.output;
    const Outcome json = call({"compare", m_file, "--first-divergence", "--json"});
    EXPECT_TRUE(contains(json.output, "\"found\": false")) << json.output;
    EXPECT_TRUE(contains(json.output, "\"kernels_judged\": 1"));
}

TEST_F(DiffCommand, comparesNoLoweredTextWithTheReference)
{
    const std::string lowered = path("program.lowered");
    ASSERT_EQ(call({"show", m_file, "--stage", "lowered", "-o", lowered}).exitCode, ExitCode::Success);
    const Outcome outcome = call({"compare", lowered, "--first-divergence"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(outcome.errors, "lowered instructions do not say what program they are of")) << outcome.errors;
    EXPECT_EQ(call({"diff", lowered, lowered}).exitCode, ExitCode::Success);
}

TEST_F(DiffCommand, tellsTroubleFromDifferences)
{
    const std::string a = tensor("a.npy", {1, 2});
    const std::string bad = write("bad.sw", "output unknown\n");
    struct Row {
        std::vector<std::string> words;
        ExitCode exitCode;
    };
    for (const auto &[words, exitCode] : {Row{{"diff", m_file}, ExitCode::Usage},
                                          {{"diff", a, m_file}, ExitCode::Usage},
                                          {{"diff", a, tensor("c.npy", {1})}, ExitCode::Error},
                                          {{"diff", a, path("none.npy")}, ExitCode::Error},
                                          {{"diff", m_file, bad}, ExitCode::Error},
                                          {{"diff", bad, m_file}, ExitCode::Error},
                                          {{"diff", m_file, "--with", "--unknown"}, ExitCode::Usage},
                                          {{"diff", m_file, "--with", "\"--no-fuse"}, ExitCode::Usage},
                                          {{"diff", m_file, "--with", "other.sw"}, ExitCode::Usage},
                                          {{"diff", m_file, m_file, "--stage", "code2"}, ExitCode::Usage},
                                          {{"diff", a, a, "--by", "size"}, ExitCode::Usage}}) {
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, exitCode) << join(words, " ");
        EXPECT_FALSE(outcome.errors.empty());
    }
}

} // namespace
} // namespace sw::command
