// Values that are joined without a copy, on every device: the same results, whatever reads the whole or its parts.

#include "tests/golden/program_fixture.h"

#include "engine/api/lowered_program.h"
#include "engine/graph/value_path.h"
#include "engine/lowered/program_text.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

struct JoinProgram {
    const char *name;
    std::ptrdiff_t joins;
    const char *text;
};

constexpr JoinProgram kJoined[] = {
    {"two products", 1, R"(input x: f32[32, 64]
param v: f32[64, 128] = random(1)
param w: f32[64, 128] = random(2)
param u: f32[128, 64] = random(3)
output cat([relu(x @ v), x @ w], axis = 0) @ u
)"},
    {"convolutions of one image", 1, R"(input x: f32[1, 16, 16, 16]
param v: f32[32, 16, 1, 1] = random(1)
param w: f32[32, 16, 3, 3] = random(2)
param u: f32[16, 64, 1, 1] = random(3)
wide = cat([relu(conv2d(x, v)), relu(conv2d(x, w, padding = 1))], axis = 1)
output conv2d(wide, u)
output sum(wide)
)"},
    {"a dense block", 2, R"(input x: f32[32, 64]
param v: f32[64, 64] = random(1)
param w: f32[64, 64] = random(2)
first = x @ v
second = cat([first, first @ w], axis = 0)
third = cat([second, sum(second, axis = 0) * first, first - second[32:64] @ w], axis = 0)
output softmax(third @ w, axis = -1)
output first
)"},
    {"joined is the output, and so is a part", 1, R"(input x: f32[32, 64]
param v: f32[64, 64] = random(1)
part = x @ v
output cat([part, part @ v], axis = 0)
output part
)"},
};

// Each has a cat that keeps a kernel, or copies.
constexpr JoinProgram kApart[] = {
    {"parts of parameters alone", 0, R"(input x: f32[32, 64]
param v: f32[64, 64] = random(1)
param w: f32[64, 64] = random(2)
output x @ transpose(cat([v @ w, w @ v], axis = 0))
)"},
    {"a part of parameters alone", 0, R"(input x: f32[64, 64]
param v: f32[64, 64] = random(1)
param w: f32[64, 64] = random(2)
output cat([v @ w, x @ v], axis = 0) @ w
)"},
    {"in each step of a scan", 0, R"(input x: f32[5, 16, 64]
input first: f32[32, 64]
param w: f32[64, 64] = random(2)
def step(states, parts, w):
    h = tanh(cat([parts[0] @ w, states[0][0:16] @ w], axis = 0) @ w)
    return [[h], [h]]
last, rows = scan(step, [first], [x], w)
output last[0]
)"},
    {"in a branch", 0, R"(input x: f32[32, 64]
param w: f32[64, 64] = random(2)
output choose(sum(x) > 0, cat([x @ w, x @ w @ w], axis = 0) @ w, cat([x, x], axis = 0))
)"},
    {"in a kernel that is asked for", 0, R"(input x: f32[32, 64]
param w: f32[64, 64] = random(2)
a = x @ w
b = a @ w
output kernel(cat([a, b], axis = 0), inputs = [a, b]) @ w
)"},
};

// Some parts are views, which processors copy to their places. OpenCL's device may be none, and the interpreter takes a program
// as it is.
constexpr const char *kProcessors[] = {"llvm", "c"};
constexpr JoinProgram kCopied[] = {
    {"every second channel beside a product", 1, R"(input x: f32[64, 512]
param v: f32[64, 64] = random(1)
param w: f32[64, 32] = random(2)
a = v @ x
pairs = a.reshape([32, 2, 512])
output transpose(w) @ cat([pairs[:, 0], relu(transpose(w) @ a)], axis = 0)
)"},
    {"an image with a border, a part of a cat, and the other way around", 2, R"(input x: f32[32, 32, 32]
param v: f32[32, 32] = random(1)
a = (v @ x.reshape([32, 1024])).reshape([32, 32, 32])
inner = cat([a * 2, (v @ a.reshape([32, 1024])).reshape([32, 32, 32])], axis = 0)
outer = cat([pad(inner[:, 2:, 2:], [[0, 0], [1, 1], [1, 1]]), flip(inner, axis = 0), permute(a, [0, 2, 1])], axis = 0)
output outer
output sum(outer)
)"},
    {"views that a product reads", 1, R"(input x: f32[64, 256]
param v: f32[64, 64] = random(1)
param w: f32[64, 32] = random(2)
a = v @ x
output cat([transpose(a), transpose(v @ a), transpose(v @ (v @ a))], axis = 0) @ w
)"},
    {"heads of a detector", 1, R"(input x: f32[16, 40, 40]
input y: f32[16, 20, 20]
input z: f32[16, 10, 10]
param v: f32[12, 16] = random(1)
def head(image):
    pixels = image.shape[1] * image.shape[2]
    return permute((v @ image.reshape([16, pixels])).reshape([3, 4, pixels]), [2, 0, 1]).reshape([3 * pixels, 4])
output cat([head(x), head(y), head(z)], axis = 0)
)"},
};
// One kernel reads all parts under masks: two views alone, too few bytes, what only elementwise work reads, and where the parts
// that are stored anyway would be too few, without and with the views.
constexpr JoinProgram kMasked[] = {
    {"two views", 0, R"(input x: f32[64, 1024]
param v: f32[64, 64] = random(1)
a = v @ x
output cat([transpose(a), transpose(v @ a)], axis = 0)
)"},
    {"too few bytes", 0, R"(input x: f32[16, 40]
param v: f32[12, 16] = random(1)
a = v @ x
output cat([transpose(a), transpose(a)[0:20], transpose(a)[20:40]], axis = 0)
)"},
    {"read element by element", 0, R"(input x: f32[64, 1024]
input y: f32[3072, 64]
param v: f32[64, 64] = random(1)
a = v @ x
output relu(cat([transpose(a), transpose(v @ a), transpose(v @ (v @ a))], axis = 0)) * y
)"},
    {"a view of what another kernel is to compute", 0, R"(input x: f32[64, 256]
param v: f32[64, 64] = random(1)
a = v @ x
output cat([transpose(a), transpose(v @ a), transpose(v @ (v @ a))], axis = 0)
output fuse(transpose(a)) * 2
)"},
    {"a large part beside small views", 0, R"(input x: f32[4096, 64]
param v: f32[64, 64] = random(1)
a = v @ x[0:64]
output cat([relu(x), transpose(a), transpose(v @ a)], axis = 0)
)"},
    {"what is computed from a view", 0, R"(input x: f32[64, 1024]
param v: f32[64, 64] = random(1)
t = transpose(v @ x)
output cat([t, relu(t), sigmoid(t)], axis = 0)
)"},
};

std::ptrdiff_t joinsIn(const Schedule &schedule)
{
    return std::ranges::count_if(schedule.items,
                                 [](const ScheduleItem &item) { return std::holds_alternative<Join>(item.work); });
}

class JoinPrograms : public ProgramTest, public testing::WithParamInterface<std::tuple<JoinProgram, const char *>> {
protected:
    void expectTheSame(const ExecutionResult &got, const ExecutionResult &expected)
    {
        ASSERT_EQ(got.outputs.size(), expected.outputs.size());
        for (std::size_t i = 0; i < got.outputs.size(); ++i)
            expectNear(got.outputs[i].value, expected.outputs[i].value, 2e-3);
    }
};

TEST_P(JoinPrograms, computeWhatCopiesWould)
{
    const auto &[program, device] = GetParam();
    if (const std::string why = whyUnavailable(device); !why.empty())
        GTEST_SKIP() << why;
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestOf(program.text, device);
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_EQ(joinsIn(*made.schedule), program.joins) << printSchedule(*made.schedule).text;
    if (program.joins == 0) // no view is copied for a cat that then copies it again
        EXPECT_EQ(printSchedule(*made.schedule).text.find("the view is part of a joined value"), std::string::npos);
    const auto joined = run(compiler, request);
    ASSERT_TRUE(joined) << toText(joined.error());

    request.guardBuffers = true;
    const auto guarded = run(compiler, request);
    ASSERT_TRUE(guarded) << toText(guarded.error());
    expectTheSame(*guarded, *joined);

    request.guardBuffers = false;
    request.options.fuse = false;
    const auto copied = run(compiler, request);
    ASSERT_TRUE(copied) << toText(copied.error());
    expectTheSame(*joined, *copied);
}

class LoweredJoins : public JoinPrograms {};

// The text of the lowered program says what is joined, and runs as the program does.
TEST_P(LoweredJoins, runAsTheProgramDoes)
{
    const auto &[program, device] = GetParam();
    if (const std::string why = whyUnavailable(device); !why.empty())
        GTEST_SKIP() << why;
    ProgramCompiler compiler(m_registry);
    const CompileRequest request = requestOf(program.text, device);
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const auto expected = run(compiler, request);
    ASSERT_TRUE(expected) << toText(expected.error());

    CompileRequest again = requestOf(programText(*made.lowered), device);
    again.program.fileName = "joins.lowered";
    const Compilation read = compiler.compile(again, {});
    ASSERT_TRUE(read.succeeded) << toText(read.diagnostics);
    EXPECT_EQ(joinsIn(*read.schedule), program.joins);
    const auto got = run(compiler, again);
    ASSERT_TRUE(got) << toText(got.error());
    expectTheSame(*got, *expected);
    EXPECT_EQ(programText(*compiler.compile(again, {}).lowered).substr(0, 200), programText(*read.lowered).substr(0, 200));
}

std::string nameOfTest(const testing::TestParamInfo<std::tuple<JoinProgram, const char *>> &info)
{
    return identifierText(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Joined, JoinPrograms, testing::Combine(testing::ValuesIn(kJoined), testing::ValuesIn(kDevices)),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(Apart, JoinPrograms, testing::Combine(testing::ValuesIn(kApart), testing::ValuesIn(kDevices)),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(Copied, JoinPrograms, testing::Combine(testing::ValuesIn(kCopied), testing::ValuesIn(kProcessors)),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(Masked, JoinPrograms, testing::Combine(testing::ValuesIn(kMasked), testing::ValuesIn(kProcessors)),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(Copied, LoweredJoins, testing::Combine(testing::ValuesIn(kCopied), testing::ValuesIn(kProcessors)),
                         nameOfTest);
INSTANTIATE_TEST_SUITE_P(OnDevices, LoweredJoins, testing::Combine(testing::ValuesIn(kJoined), testing::ValuesIn(kDevices)),
                         nameOfTest);

class CopiedParts : public ProgramTest {};

// The smallest head has 1200 elements, which would do for one kernel with what reads it, but not for one that mixes its axes.
TEST_F(CopiedParts, leaveProductsWhoseAxesTheyMixTheirOwnKernels)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestOf(kCopied[std::size(kCopied) - 1].text, "llvm"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const std::string text = printSchedule(*made.schedule).text;
    EXPECT_EQ(made.schedule->kernels.size(), 6U) << text; // a product and a copy for each head
    EXPECT_NE(text.find("the kernel that copies it goes through several of them"), std::string::npos) << text;
    EXPECT_NE(text.find("it is stored where it lies in the joined value"), std::string::npos) << text;
    // Only processors copy: elsewhere a launch costs more than masks.
    const Compilation interpreted = compiler.compile(requestOf(kCopied[std::size(kCopied) - 1].text, "interpreter"), {});
    EXPECT_EQ(joinsIn(*interpreted.schedule), 0);
}

// Products that are written where they lie in the whole, in the order that it has them; others read them there.
TEST_F(CopiedParts, areWhatOthersRead)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestOf(kCopied[std::size(kCopied) - 2].text, "llvm"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const std::string text = printSchedule(*made.schedule).text;
    EXPECT_EQ(made.schedule->kernels.size(), 5U) << text; // four products, and the panels of a parameter
    EXPECT_NE(text.find("the view is part of a joined value, so it is copied to where it lies there"), std::string::npos) << text;
}

struct BrokenLine {
    const char *line;
    const char *message;
};

class JoinLines : public ProgramTest {};

constexpr const JoinProgram &kLast = kJoined[std::size(kJoined) - 1];

TEST_F(JoinLines, ofALoweredTextAreChecked)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestOf(kLast.text, "interpreter"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const std::string text = programText(*made.lowered);
    const std::size_t begin = text.find("join ");
    ASSERT_NE(begin, std::string::npos) << text;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::string whole = line.substr(5, line.find(' ', 5) - 5);
    const std::string parts = line.substr(line.find("of ") + 3);
    const std::string first = parts.substr(0, parts.find(' '));
    const BrokenLine lines[] = {
        {"join %99 of W", "%99 is no buffer that kernels write"},
        {"join W of %0 F", "%0 is no buffer that kernels write"},
        {"join W of F F", "is joined twice"},
        {"join W of F", "bytes together, and it has"},
        {"join W P", "expected"},
        {"join W of x", "expected"},
        {"join W of P\njoin W of P", "has its place in another buffer already"},
        {"join W of W", "is joined twice"},
        {"join F of W", "bytes together, and it has"},
    };
    for (const BrokenLine &broken : lines) {
        std::string replaced;
        for (const char *c = broken.line; *c != '\0'; ++c)
            replaced += *c == 'W' ? whole : *c == 'F' ? first : *c == 'P' ? parts : std::string(1, *c);
        CompileRequest again = requestOf(std::string(text).replace(begin, line.size(), replaced), "interpreter");
        again.program.fileName = "joins.lowered";
        const Compilation read = compiler.compile(again, {});
        EXPECT_FALSE(read.succeeded) << replaced;
        EXPECT_NE(toText(read.diagnostics).find(broken.message), std::string::npos) << replaced << "\n"
                                                                                    << toText(read.diagnostics);
    }
}

// The whole is there when all of its parts are, and nothing else makes it.
TEST_F(JoinLines, doNotLetTheWholeBeReadTooEarlyOrWritten)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestOf(kJoined[0].text, "interpreter"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const std::string text = programText(*made.lowered);
    const auto errorsOf = [&](const std::string &changed) {
        CompileRequest request = requestOf(changed, "interpreter");
        request.program.fileName = "joins.lowered";
        return toText(compiler.compile(request, {}).diagnostics);
    };
    const std::size_t first = text.find("\nkernel ") + 1;
    const std::size_t last = text.rfind("\nkernel ") + 1;
    const std::string early = text.substr(0, first) + text.substr(last) + "\n" + text.substr(first, last - first);
    EXPECT_NE(errorsOf(early).find("before all of its parts are written"), std::string::npos) << errorsOf(early);
    // The program's result is as large as a part.
    const ScheduledKernel &reader = made.schedule->kernels.back();
    const BufferId part = made.schedule->kernels.front().writes.front();
    const std::string written =
        std::string(text).insert(text.find("join "), format("join %{} of %{}\n", reader.writes.front().value, part.value));
    EXPECT_NE(errorsOf(written).find("which is joined of its parts"), std::string::npos) << errorsOf(written);
}

// An override of one of its edges keeps a cat a kernel.
class DeclinedJoins : public ProgramTest, public testing::WithParamInterface<const char *> {};

TEST_P(DeclinedJoins, followAnOverride)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestOf(GetParam(), "llvm");
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    ASSERT_EQ(joinsIn(*made.schedule), 1);
    const ValuePaths paths(*made.graph);
    const auto edge =
        std::ranges::find_if(made.schedule->decisions, [](const FusionDecision &one) { return one.rule == "join"; });
    ASSERT_NE(edge, made.schedule->decisions.end());
    request.options.overrides.items.push_back(
        {.kind = OverrideKind::Apart, .value = paths.of(edge->producer), .reader = paths.of(edge->consumer)});
    const Compilation apart = compiler.compile(request, {});
    ASSERT_TRUE(apart.succeeded) << toText(apart.diagnostics);
    EXPECT_EQ(joinsIn(*apart.schedule), 0);
    ASSERT_EQ(apart.schedule->overrides.size(), 1U);
    EXPECT_EQ(apart.schedule->overrides[0].state, OverrideState::Applied);
}

INSTANTIATE_TEST_SUITE_P(Parts, DeclinedJoins, testing::Values(kJoined[0].text, kCopied[std::size(kCopied) - 1].text),
                         [](const auto &info) { return std::string(info.index == 0 ? "Stored" : "Copied"); });

} // namespace
} // namespace sw::test
