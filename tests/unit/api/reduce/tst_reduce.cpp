// Whether a program of many operations becomes one of a few, with the same fault.

#include "engine/api/reduce/reduce.h"

#include "engine/api/reduce/candidate.h"
#include "engine/api/reduce/program_text.h"
#include "engine/graph/verify.h"
#include "tests/support/wrong_backend.h"
#include "tests/unit/api/compare/compare_fixture.h"

namespace sw {
namespace {

constexpr const char *kLarge = R"(input x: f32[32, 48]
param w: f32[48, 24] = random(1)
param b: f32[24] = random(2)
def layer(x, w, b):
    return tanh(x @ w + b)
h = layer(x * 0.5, w, b)
s = softmax(h, axis = -1)
t = sqrt(abs(s)) + sin(h)
m = maximum(t * 3, exp(s) - 0.25)
u = sum(m, axis = 0, keepdims = true) / 7
output u - mean(h)
output h
)";

class ReduceTest : public test::CompareTest {
protected:
    Result<ReducedProgram> reduced(const std::string &text, const std::vector<std::string> &devices,
                                   const ReduceOptions &options = {})
    {
        return reduceProgram(m_compiler, requestOf(text), devices, [](const Compilation &) { return RunInputs(); }, options);
    }
    static std::size_t linesOf(const std::string &text)
    {
        std::size_t lines = 0;
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            lines += text[at] == '#' ? 0 : 1;
        return lines;
    }
};

TEST_F(ReduceTest, keepsTheOperationThatADeviceGetsWrong)
{
    m_registry.add(test::makeWrongBackend("= sqrt ", "= abs "));
    const auto made = reduced(kLarge, {"interpreter", "wrong"});
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->property.kind, PropertyKind::Different);
    EXPECT_EQ(made->property.device, "wrong");
    EXPECT_EQ(made->property.other, "interpreter");
    EXPECT_EQ(made->ending, ".sw");
    EXPECT_GT(made->nodesBefore, 29U);
    EXPECT_TRUE(made->isComplete);
    EXPECT_LE(linesOf(made->text), 4U) << made->text;
    EXPECT_NE(made->text.find("sqrt("), std::string::npos) << made->text;
    EXPECT_EQ(made->text.find("exp("), std::string::npos) << made->text;
    // It says what it shows: the kernel, and that no rewrite is to blame.
    EXPECT_TRUE(made->text.starts_with("# interpreter and wrong differ: ")) << made->text;
    EXPECT_NE(made->text.find("# stepwellc compare reduced.sw --devices interpreter,wrong\n"), std::string::npos) << made->text;
    EXPECT_NE(made->divergence.find("the device makes something else of right instructions"), std::string::npos)
        << made->divergence;
    // The line is that of the file, below the comments.
    const std::size_t place = made->divergence.find("(line ");
    ASSERT_NE(place, std::string::npos) << made->divergence;
    std::size_t at = 0;
    for (int line = std::stoi(made->divergence.substr(place + 6)); line > 1; --line)
        at = made->text.find('\n', at) + 1;
    EXPECT_NE(made->text.substr(at, made->text.find('\n', at) - at).find("sqrt("), std::string::npos) << made->text;
    // The text alone has the property.
    const auto again = reduced(made->text, {"interpreter", "wrong"}, {.budget = std::chrono::milliseconds(0)});
    ASSERT_TRUE(again) << toText(again.error());
    EXPECT_TRUE(again->property.isSameAs(made->property));
    EXPECT_FALSE(again->isComplete);
}

TEST_F(ReduceTest, comparesOneDeviceWithTheReference)
{
    m_registry.add(test::makeWrongBackend());
    const auto made = reduced("input x: f32[6, 10]\ny = x * 2 + 1\nz = maximum(y, x)\noutput exp(z) / 3\n", {"wrong"});
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->property.other, "");
    EXPECT_LE(linesOf(made->text), 4U) << made->text;
    EXPECT_NE(made->text.find("maximum("), std::string::npos) << made->text;
    EXPECT_NE(made->text.find("--first-divergence --devices wrong"), std::string::npos) << made->text;
}

// Nothing is known of the error of an expression of one's own.
TEST_F(ReduceTest, keepsADifferenceThatHasNoBound)
{
    const auto made =
        reduced("input x: f32[16, 8]\ny = exp(x) * 2\nz = custom(\"half\", [y], c = \"{0} * 0.25f\", reference = y * "
                "0.5)\noutput sum(tanh(z + x), axis = 1)\n",
                {"interpreter", "c"});
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_TRUE(made->property.isByTolerance);
    EXPECT_LE(linesOf(made->text), 4U) << made->text;
    EXPECT_NE(made->text.find("custom(\"half\""), std::string::npos) << made->text;
}

TEST_F(ReduceTest, keepsAFailureOfTheCompiler)
{
    // The interpreter's compiler does not know the word.
    m_registry.add(test::makeWrongBackend("= sqrt ", "= no_such_operation "));
    const auto made = reduced(kLarge, {"wrong"});
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->property.kind, PropertyKind::Fails);
    EXPECT_EQ(made->property.where, "compiler");
    EXPECT_LE(linesOf(made->text), 3U) << made->text;
    EXPECT_NE(made->text.find("sqrt("), std::string::npos) << made->text;
    EXPECT_NE(made->text.find("# stepwellc run reduced.sw --device wrong\n"), std::string::npos) << made->text;
}

TEST_F(ReduceTest, refusesWhatIsRightAndWhatIsNoProgram)
{
    const auto right = reduced("input x: f32[4]\noutput exp(x)\n", {"interpreter", "llvm"});
    ASSERT_FALSE(right);
    EXPECT_NE(toText(right.error()).find("interpreter, llvm, and the values agree: there is nothing to reduce"),
              std::string::npos)
        << toText(right.error());
    const auto broken = reduced("input x: f32[4\n", {"interpreter"});
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().front().code, Code::Syntax);
    const auto absent = reduced("input x: f32[4]\noutput x\n", {"interpreter", "nothing"});
    ASSERT_FALSE(absent); // no program is to blame
    EXPECT_EQ(absent.error().front().code, Code::DeviceUnavailable);
    EXPECT_FALSE(reduced("input x: f32[4]\noutput x\n", {}));
}

TEST_F(ReduceTest, keepsWhatItHasWhenItIsStopped)
{
    m_registry.add(test::makeWrongBackend("= sqrt ", "= abs "));
    std::stop_source stop;
    ReduceOptions options{.stop = stop.get_token()};
    options.onProgress = [&](std::uint64_t tried, std::uint64_t) {
        if (tried == 3)
            stop.request_stop();
    };
    const auto made = reduced(kLarge, {"interpreter", "wrong"}, options);
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_FALSE(made->isComplete);
    EXPECT_EQ(made->tried, 3U);
    EXPECT_NE(made->text, "");
}

TEST_F(ReduceTest, givesTheSameTwice)
{
    m_registry.add(test::makeWrongBackend("= sqrt ", "= abs "));
    const auto first = reduced(kLarge, {"interpreter", "wrong"});
    const auto second = reduced(kLarge, {"interpreter", "wrong"});
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->text, second->text);
    EXPECT_EQ(first->tried, second->tried);
}

TEST_F(ReduceTest, takesDimensionsAsNumbers)
{
    m_registry.add(test::makeWrongBackend());
    const auto made = reduced("n: dim[1, 64] = 8\ninput x: f32[n, 4]\noutput maximum(x, 0) + 1\n", {"interpreter", "wrong"});
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->text.find("dim["), std::string::npos) << made->text;
    EXPECT_NE(made->text.find("maximum("), std::string::npos) << made->text;
}

// ---- the parts

TEST_F(ReduceTest, writesEveryExampleAsAProgramThatMeansTheSame)
{
    std::size_t written = 0;
    for (const std::string &file : exampleFiles()) {
        CompileRequest request = requestOfFile(file);
        request.until = CompileUntil::Program;
        const Compilation program = compiled(request);
        if (program.graph->isSymbolic())
            continue;
        const Result<std::vector<HostTensor>> values = inputValues(*program.graph, {});
        ASSERT_TRUE(values);
        const ProgramCandidate candidate = plainCandidate(*program.graph, *values);
        EXPECT_TRUE(verifyGraph(*candidate.graph));
        const std::vector<WrittenInput> inputs(candidate.values.size());
        const Result<ProgramText> text = programText(*candidate.graph, inputs, "again");
        if (!text)
            continue; // says which kind it does not write
        ++written;
        CompileRequest again = requestOf(text->text);
        again.until = CompileUntil::Program;
        const Compilation read = compiled(again);
        ASSERT_NE(read.graph, nullptr) << text->text;
        ASSERT_EQ(read.graph->outputs().size(), candidate.graph->outputs().size());
        for (std::size_t i = 0; i < read.graph->outputs().size(); ++i) {
            const Node &before = candidate.graph->node(candidate.graph->outputs()[i]);
            const Node &after = read.graph->node(read.graph->outputs()[i]);
            EXPECT_EQ(typeText(before.dtype, before.shape), typeText(after.dtype, after.shape)) << file;
        }
    }
    EXPECT_GT(written, exampleFiles().size() / 2);
}

TEST_F(ReduceTest, shrinksExtentsOrSaysThatItCannot)
{
    CompileRequest request = requestOf("input x: f32[6, 10]\ny = reshape(x[1:5], [2, 20])\noutput sum(y, axis = 1)\n");
    request.until = CompileUntil::Program;
    const Compilation program = compiled(request);
    const Result<std::vector<HostTensor>> values = inputValues(*program.graph, {});
    ASSERT_TRUE(values);
    const ProgramCandidate start = plainCandidate(*program.graph, *values);
    EXPECT_FALSE(withExtent(start, 10, 3)); // 20 elements in a row do not follow
    const std::optional<ProgramCandidate> shorter = withExtent(start, 6, 5);
    ASSERT_TRUE(shorter);
    EXPECT_TRUE(verifyGraph(*shorter->graph));
    EXPECT_LT(elementsOf(*shorter->graph), elementsOf(*start.graph));
    EXPECT_EQ(shorter->values.front().shape(), Shape({5, 10}));
}

} // namespace
} // namespace sw
