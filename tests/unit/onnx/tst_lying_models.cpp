// Small files that speak of large things: the import answers in a process that may take 100 MB more than it has, and little time.

#include "tests/support/memory_limits.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>

namespace sw::test {

namespace {

constexpr std::size_t kMoreBytes = 100'000'000;
constexpr rlim_t kSeconds = 10; // of the processor; one is asked for, and machines differ

enum Answer : int { Graph, Diagnostic, Silence, NoMemory };

// The bytes of address space that this process has.
std::size_t bytesInUse()
{
    std::ifstream statm("/proc/self/statm");
    std::size_t pages = 0;
    statm >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

int answerWithinLimits(const std::vector<std::byte> &bytes)
{
    const rlim_t memory = bytesInUse() + kMoreBytes;
    const rlimit memoryLimit{memory, memory};
    const rlimit timeLimit{kSeconds, kSeconds};
    if (setrlimit(RLIMIT_AS, &memoryLimit) != 0 || setrlimit(RLIMIT_CPU, &timeLimit) != 0)
        return Silence;
    try {
        const ModelResult result = importOnnx(bytes, "test.onnx", libraryOptions(), {});
        return result.graph ? Graph : result.diagnostics.empty() ? Silence : Diagnostic;
    } catch (const std::bad_alloc &) {
        return NoMemory;
    }
}

// In a process of its own, whose limits end with it.
void expectAnswer(const ModelText &model, const std::string &what)
{
    const std::vector<std::byte> bytes = modelBytes(model);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        _exit(answerWithinLimits(bytes));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << what << ": ended by signal " << WTERMSIG(status);
    EXPECT_NE(WEXITSTATUS(status), Silence) << what;
    EXPECT_NE(WEXITSTATUS(status), NoMemory) << what << ": more than " << kMoreBytes << " bytes";
}

// One operator on x f32[4, 4] and lists that are known.
ModelText oneNode(NodeText node, const std::vector<std::vector<std::int64_t>> &lists, std::int64_t opset = 18)
{
    ModelText model{.inputs = {valueInfo("x", {4, 4})}, .nodes = {}, .outputs = {valueInfo("y", {-1})}, .opset = opset};
    for (const std::vector<std::int64_t> &list : lists) {
        const std::string name = format("k{}", model.initializers.size());
        node.inputs.push_back(name);
        model.initializers.push_back(integerTensor(name, {static_cast<std::int64_t>(list.size())}, list));
    }
    node.outputs = {"y"};
    model.nodes = {std::move(node)};
    return model;
}

constexpr std::int64_t kLies[] = {1 << 20, 1 << 24, std::int64_t{1} << 31, std::int64_t{1} << 40, std::int64_t{1} << 62};

class LyingModels : public testing::Test {
protected:
    void SetUp() override
    {
#ifdef SW_TEST_RESERVES_MEMORY
        GTEST_SKIP() << "a sanitizer reserves more address space than any limit";
#endif
    }
};

} // namespace

TEST_F(LyingModels, ofTheSizeOfTensors)
{
    for (const std::int64_t n : kLies) {
        for (const char *op : {"Add", "Reshape", "Gather", "Conv", "Concat"}) {
            const ModelText model{
                .inputs = {valueInfo("x", {4})},
                .nodes = {{.op = op, .inputs = {"x", "w"}, .outputs = {"y"}, .attributes = {integerAttribute("axis", 0)}}},
                .outputs = {valueInfo("y", {-1})},
                .initializers = {floatTensor("w", {n, n}, {1, 2})}};
            expectAnswer(model, format("{} of a tensor of {} squared elements", op, n));
        }
        expectAnswer({.inputs = {valueInfo("x", {n, 3, n})},
                      .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}},
                      .outputs = {valueInfo("y", {n, 3, n})}},
                     format("an input of {} squared", n));
    }
}

TEST_F(LyingModels, ofTheSizeOfResults)
{
    for (const std::int64_t n : kLies) {
        expectAnswer(oneNode({.op = "Expand", .inputs = {"x"}}, {{n, 4, 4}}), format("Expand {}", n));
        expectAnswer(oneNode({.op = "Tile", .inputs = {"x"}}, {{n, n}}), format("Tile {}", n));
        expectAnswer(oneNode({.op = "ConstantOfShape"}, {{n}}), format("ConstantOfShape {}", n));
        expectAnswer(oneNode({.op = "HannWindow"}, {{n}}), format("HannWindow {}", n));
        expectAnswer(oneNode({.op = "TopK", .inputs = {"x"}}, {{n}}), format("TopK {}", n));
        expectAnswer(oneNode({.op = "CenterCropPad", .inputs = {"x"}}, {{n, n}}), format("CenterCropPad {}", n));
        for (const char *mode : {"constant", "edge", "reflect", "wrap"})
            expectAnswer(oneNode({.op = "Pad", .inputs = {"x"}, .attributes = {textAttribute("mode", mode)}}, {{n, 0, 0, n}}, 19),
                         format("Pad {} {}", mode, n));
        for (const char *mode : {"nearest", "linear", "cubic"})
            expectAnswer(
                oneNode({.op = "Resize", .inputs = {"x", "", ""}, .attributes = {textAttribute("mode", mode)}}, {{n, n}}),
                format("Resize {} {}", mode, n));
        for (const char *attribute : {"kernel_shape", "strides", "dilations", "pads"})
            expectAnswer(
                {.inputs = {valueInfo("x", {1, 1, 8, 8})},
                 .nodes = {{.op = "MaxPool",
                            .inputs = {"x"},
                            .outputs = {"y"},
                            .attributes = {integersAttribute("kernel_shape", {2, 2}), integersAttribute(attribute, {n, n})}}},
                 .outputs = {valueInfo("y", {-1})}},
                format("MaxPool {} {}", attribute, n));
    }
}

TEST_F(LyingModels, ofHowOften)
{
    for (const std::int64_t n : kLies) {
        const ModelText range{.inputs = {},
                              .nodes = {{.op = "Range", .inputs = {"a", "n", "d"}, .outputs = {"r"}},
                                        {.op = "Reshape", .inputs = {"r", "s"}, .outputs = {"y"}}},
                              .outputs = {valueInfo("y", {-1})},
                              .initializers = {integerTensor("a", {}, {0}), integerTensor("n", {}, {n}),
                                               integerTensor("d", {}, {1}), integerTensor("s", {2}, {-1, 1})}};
        expectAnswer(range, format("Range {}", n));
        const GraphText body{.inputs = {valueInfo("i", {}, kInt64), valueInfo("c", {}, kBool), valueInfo("s", {4})},
                             .nodes = {{.op = "Identity", .inputs = {"c"}, .outputs = {"again"}},
                                       {.op = "Relu", .inputs = {"s"}, .outputs = {"next"}},
                                       {.op = "Identity", .inputs = {"s"}, .outputs = {"row"}}},
                             .outputs = {valueInfo("again", {}, kBool), valueInfo("next", {4}), valueInfo("row", {4})}};
        expectAnswer({.inputs = {valueInfo("x", {4})},
                      .nodes = {{.op = "Loop",
                                 .inputs = {"n", "", "x"},
                                 .outputs = {"y", "rows"},
                                 .attributes = {graphAttribute("body", body)}}},
                      .outputs = {valueInfo("rows", {-1, 4})},
                      .initializers = {integerTensor("n", {}, {n})}},
                     format("Loop {}", n));
    }
}

// Constants that double from node to node, sixty times.
TEST_F(LyingModels, ofGrowingConstants)
{
    ModelText model{.inputs = {valueInfo("x", {2})},
                    .nodes = {},
                    .outputs = {valueInfo("y", {-1})},
                    .initializers = {integerTensor("k0", {2}, {1, 2})}};
    for (int i = 0; i < 60; ++i)
        model.nodes.push_back({.op = "Concat",
                               .inputs = {format("k{}", i), format("k{}", i)},
                               .outputs = {i == 59 ? "y" : format("k{}", i + 1)},
                               .attributes = {integerAttribute("axis", 0)}});
    expectAnswer(model, "constants that double");
}

} // namespace sw::test
