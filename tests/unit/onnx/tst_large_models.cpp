// Models with many weights: opening one takes memory for the model and not for its weights, wherever they lie, and gives the
// same.

#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"
#include "tests/support/memory_limits.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

namespace sw::test {

namespace {

namespace fs = std::filesystem;

enum class Weights : std::uint8_t { InTheModel, BesideIt, AsConstants };

struct Written {
    std::int64_t layers = 2;
    std::int64_t width = 256; // each layer has width * width weights
    Weights weights = Weights::InTheModel;
};

class LargeModels : public testing::Test {
protected:
    LargeModels() { fs::create_directories(m_folder.path()); }
    fs::path file() const { return m_folder.path() / "model.onnx"; }
    fs::path beside() const { return m_folder.path() / "weights.bin"; }

    // Each layer is x @ w; every weight of layer i is 1 / 2^k, or 0 where that is not on one of the two diagonals.
    static std::string weightsOf(std::int64_t layer, std::int64_t width)
    {
        std::vector<float> values(static_cast<std::size_t>(width * width));
        for (std::int64_t i = 0; i < width; ++i) {
            values[static_cast<std::size_t>(i * width + i)] = 0.5F;
            values[static_cast<std::size_t>(i * width + (i + layer + 1) % width)] = 0.25F;
        }
        return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
    }

    void write(const Written &written) const
    {
        Message graph;
        std::ofstream external(beside(), std::ios::binary);
        for (std::int64_t i = 0; i < written.layers; ++i) {
            const std::string bytes = weightsOf(i, written.width);
            const std::string name = format("w{}", i);
            Message tensor;
            tensor.number(1, written.width).number(1, written.width).number(2, kFloat).text(8, name);
            if (written.weights == Weights::BesideIt) {
                const auto entry = [](std::string_view key, std::string_view value) {
                    return Message().text(1, key).text(2, value);
                };
                tensor.message(13, entry("location", "weights.bin"));
                tensor.message(13, entry("offset", format("{}", external.tellp()))).number(14, 1);
                external << bytes;
            } else {
                tensor.text(9, bytes);
            }
            if (written.weights == Weights::AsConstants)
                graph.message(
                    1, nodeMessage({.op = "Constant", .outputs = {name}, .attributes = {tensorAttribute("value", tensor)}}));
            else
                graph.message(5, tensor);
            graph.message(1,
                          nodeMessage({.op = "MatMul", .inputs = {format("y{}", i), name}, .outputs = {format("y{}", i + 1)}}));
        }
        graph.message(11, valueInfo("y0", {1, written.width}));
        graph.message(12, valueInfo(format("y{}", written.layers), {1, written.width}));
        const Message model = Message().number(1, 8).message(7, graph).message(8, Message().number(2, 13));
        std::ofstream(file(), std::ios::binary) << model.bytes();
    }

    TemporaryFolder m_folder;
};

std::vector<double> resultOf(const ModelResult &model)
{
    EXPECT_TRUE(model.graph) << toText(model.diagnostics);
    if (!model.graph)
        return {};
    const Shape shape = model.graph->node(model.graph->outputs().front()).shape;
    std::vector<double> x(static_cast<std::size_t>(shape.elements()));
    std::iota(x.begin(), x.end(), 0.0);
    const NamedTensor given{"y0", HostTensor::ofValues(DType::F32, shape, x)};
    const auto values = placeholderValues(*model.graph, std::span(&given, 1), 0);
    EXPECT_TRUE(values);
    const auto result = meaningOf(*model.graph, *values);
    EXPECT_TRUE(result);
    return result ? elementsOf(result->front()) : std::vector<double>();
}

ModelResult copied(const fs::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    return importOnnx(std::as_bytes(std::span(bytes)), file.string(), libraryOptions(), {});
}

#ifndef SW_TEST_RESERVES_MEMORY
// The bytes of memory that this process had at most.
std::size_t mostResident()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::stoull(line.substr(6)) * 1024;
    return 0;
}

// What opening the file adds to that, in a process of its own. More than `most` is what the test is about.
void expectOpensWithin(const fs::path &file, std::size_t most)
{
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::ofstream("/proc/self/clear_refs") << 5; // begins to count anew
        const std::size_t before = mostResident();
        const ModelResult model = importOnnx(file, libraryOptions(), {});
        _exit(!model.graph ? 2 : mostResident() - before > most ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "2: it does not open; 1: it takes more memory";
}
#endif

} // namespace

TEST_F(LargeModels, computeTheSameWhereverTheirWeightsLie)
{
    for (const std::int64_t width : {64, 150}) { // weights that are read at once, and weights that stay in the file
        Written written{.layers = 3, .width = width};
        write(written);
        const std::vector<double> inTheModel = resultOf(importOnnx(file(), libraryOptions(), {}));
        EXPECT_EQ(inTheModel, resultOf(copied(file())));
        ASSERT_EQ(inTheModel.size(), static_cast<std::size_t>(width));
        EXPECT_NE(inTheModel.back(), inTheModel.front());
        for (const Weights weights : {Weights::BesideIt, Weights::AsConstants}) {
            written.weights = weights;
            write(written);
            EXPECT_EQ(resultOf(importOnnx(file(), libraryOptions(), {})), inTheModel);
        }
    }
}

// A field of the file that has the number of our mark is nobody's.
TEST_F(LargeModels, haveNoTensorsThatPointIntoOthers)
{
    constexpr int kMark = 18'000;
    const std::string bytes = weightsOf(0, 256);
    const Message whole = Message().number(1, 256).number(1, 256).number(2, kFloat).text(8, "w").text(9, bytes);
    const Message forged = Message().number(1, 256).number(1, 256).number(2, kFloat).text(8, "v").number(kMark, 0);
    const ModelText model{.inputs = {valueInfo("x", {256, 256})},
                          .nodes = {{.op = "Sum", .inputs = {"x", "w", "v"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {256, 256})},
                          .initializers = {whole, forged}};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_FALSE(result.graph);
    EXPECT_NE(toText(result.diagnostics).find("tensor 'v': shape [256, 256] wants 65536 elements, the file has 0"),
              std::string::npos)
        << toText(result.diagnostics);
}

#ifndef SW_TEST_RESERVES_MEMORY
TEST_F(LargeModels, openInTheMemoryOfTheirGraph)
{
    for (const Weights weights : {Weights::InTheModel, Weights::BesideIt}) {
        write({.layers = 12, .width = 2048, .weights = weights}); // 201 MB
        expectOpensWithin(file(), 60'000'000);                    // the system maps up to 2 MB around what is touched
    }
}
#endif

TEST_F(LargeModels, areClosedWhileTheyAreReadWhenNobodyWantsThem)
{
    write({.layers = 3, .width = 64});
    std::stop_source stop;
    stop.request_stop();
    const ModelResult model = importOnnx(file(), libraryOptions(), stop.get_token());
    ASSERT_FALSE(model.graph);
    EXPECT_EQ(model.diagnostics.front().code, Code::Cancelled);
}

// An exporter that writes over the file of a model that is open.
TEST_F(LargeModels, tellThatTheirFileWasWrittenTo)
{
    write({.weights = Weights::BesideIt});
    const ModelResult model = importOnnx(file(), libraryOptions(), {});
    ASSERT_TRUE(model.graph);
    std::vector<HostTensor> weights;
    for (const NodeId id : model.graph->placeholders())
        if (const auto &initial = attributesOf<PlaceholderAttributes>(model.graph->node(id)).initial)
            weights.push_back(*initial);
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_EQ(weights[1].at(0).asDouble(), 0.5);
    EXPECT_TRUE(weights[1].checkUnchanged());
    fs::resize_file(beside(), 4096);
    EXPECT_EQ(weights[1].at(4000).asDouble(), 0); // cut off: zeros, and no crash
    const auto checked = weights[1].checkUnchanged();
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().front().message.find("weights.bin was written to since it was opened"), std::string::npos);
}

// One that writes another file and gives it the name, as most programs do.
TEST_F(LargeModels, keepTheWeightsOfAFileThatWasReplaced)
{
    write({.weights = Weights::BesideIt});
    const ModelResult model = importOnnx(file(), libraryOptions(), {});
    const std::vector<double> before = resultOf(model);
    std::ofstream(m_folder.path() / "new.bin") << "short";
    fs::rename(m_folder.path() / "new.bin", beside());
    EXPECT_EQ(resultOf(model), before);
}

} // namespace sw::test
