// Models and programs written as programs: they compute the same, bit for bit, and parts of them can be cut out.

#include "engine/types/npy.h"
#include "engine/types/safetensors.h"
#include "tests/unit/app/command_fixture.h"
#include "tests/unit/onnx/model_bytes.h"

#include <algorithm>

namespace sw::command {

namespace {

using namespace sw::test;

std::filesystem::path sourceFolder()
{
    return findResourceFolder().empty() ? std::filesystem::path() : std::filesystem::path(findResourceFolder()).parent_path();
}

class ConvertCommand : public CommandTest {
protected:
    std::string textOf(const std::string &name) const
    {
        std::ifstream stream(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    // The bytes of all outputs, in the order of their names.
    std::vector<std::vector<std::byte>> outputsOf(const std::string &file, const std::string &device,
                                                  const std::vector<std::string> &options = {}) const
    {
        std::filesystem::remove_all(path("out"));
        std::vector<std::string> words{"run", file, "--device", device, "--output-dir", path("out"), "--seed", "3"};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << file << ": " << outcome.errors;
        std::vector<std::filesystem::path> files;
        for (const auto &entry : std::filesystem::directory_iterator(path("out")))
            files.push_back(entry.path());
        std::ranges::sort(files);
        std::vector<std::vector<std::byte>> outputs;
        for (const auto &each : files)
            if (const auto tensor = readNpyFile(each))
                outputs.push_back(npyBytes(*tensor));
        return outputs;
    }
    void expectSame(const std::string &file, const std::vector<std::string> &devices) const
    {
        const Outcome made = call({"convert", file, "-o", path("made.sw")});
        ASSERT_EQ(made.exitCode, ExitCode::Success) << file << ": " << made.errors;
        for (const std::string &device : devices)
            EXPECT_EQ(outputsOf(file, device), outputsOf(path("made.sw"), device)) << file << " on " << device;
    }
    std::string writeModel(const ModelText &model) const
    {
        const std::vector<std::byte> bytes = modelBytes(model);
        return write("m.onnx", {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    }
    // Two layers; the names are those that PyTorch gives.
    std::string layers() const
    {
        return writeModel({.inputs = {valueInfo("input.1", {1, 2})},
                           .nodes = {{.op = "Gemm",
                                      .inputs = {"input.1", "fc.0.weight", "fc.0.bias"},
                                      .outputs = {"/fc.0/Gemm_output_0"},
                                      .name = "/fc.0/Gemm"},
                                     {.op = "Relu", .inputs = {"/fc.0/Gemm_output_0"}, .outputs = {"/Relu_output_0"}},
                                     {.op = "Softmax", .inputs = {"/Relu_output_0"}, .outputs = {"sum"}, .name = "/Softmax"}},
                           .outputs = {valueInfo("sum", {1, 3})},
                           .initializers = {floatTensor("fc.0.weight", {2, 3}, {1, 2, 3, 4, 5, 6}),
                                            floatTensor("fc.0.bias", {3}, {0.5F, -1, 0.1F})}});
    }
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
};

} // namespace

TEST_F(ConvertCommand, keepsWhatExamplesCompute)
{
    for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(findResourceFolder()) / "examples"))
        if (entry.path().extension() == ".sw" && !contains(entry.path().stem().string(), "sharded"))
            expectSame(entry.path().string(), {"interpreter", "llvm"});
}

// One program for many sizes stays one.
TEST_F(ConvertCommand, writesDimensions)
{
    const std::string file =
        write("n.sw", "n: dim[1, 64]\nm: dim[2, 8] = 4\ninput x: f32[n, 2 * m]\ninput y: f32[2 * n + 1]\n"
                      "output a = sum(x * n + m * 2)\noutput b = x[1:, 2:3]\noutput c = x[:-1].permute([1, 0])\n"
                      "output d = full([n, 3], 2.0) + cast(n, f32)\noutput e = iota([n]) + (n + m) // 2\n"
                      "output f = y[::-1] + minimum(n, 3) * (n % 5)\noutput g = full([n], m - 1, f16)\n");
    const Outcome made = call({"convert", file, "-o", path("made.sw")});
    ASSERT_EQ(made.exitCode, ExitCode::Success) << made.errors;
    const std::string text = textOf("made.sw");
    EXPECT_TRUE(contains(text, "n: dim[1, 64]\nm: dim[2, 8] = 4\ninput x: f32[n, 2 * m]\ninput y: f32[2 * n + 1]\n")) << text;
    for (const std::vector<std::string> &sizes : {std::vector<std::string>{"--dim", "n=3"}, {"--dim", "n=64", "--dim", "m=7"}})
        for (const std::string device : {"interpreter", "llvm"}) {
            const auto expected = outputsOf(file, device, sizes);
            EXPECT_EQ(expected.size(), 7U);
            EXPECT_EQ(outputsOf(path("made.sw"), device, sizes), expected) << text;
        }
}

// The language has its own form for such numbers. A long chain is no recursion, and one that doubles with each line no long text.
TEST_F(ConvertCommand, refusesOtherFormsOfNumbers)
{
    std::string text = "stepwell graph 1\n%0 = define_var {name = \"n\", low = 1, high = 9} : i64[] #n\n"
                       "%1 = bind %0 {value = 2} : i64[]\n";
    for (int i = 1; i < 60; ++i)
        text += format("%{} = add %{}, %{} : i64[]\n", i + 1, i, i);
    const std::string doubled = write("doubled.graph", text + "sink %60 {names = [\"y\"]}\n");
    for (int i = 60; i < 20000; ++i)
        text += format("%{} = add %{}, %1 : i64[]\n", i + 1, i);
    const std::string longer = write("longer.graph", text + "sink %20000 {names = [\"y\"]}\n");
    for (const std::string &file : {doubled, longer}) {
        const Outcome made = call({"convert", file, "-o", path("made.sw")});
        EXPECT_EQ(made.exitCode, ExitCode::Unsupported) << made.errors;
        EXPECT_TRUE(contains(made.errors, "numbers that are computed of dimensions")) << made.errors;
    }
}

TEST_F(ConvertCommand, refusesWhatTheLanguageCannotWriteWithItsPlace)
{
    const Outcome outcome = call(
        {"convert", write("n.sw", "input y: f32[2]\nmax: dim[1, 8]\ninput x: f32[max]\noutput x * 2\n"), "-o", path("made.sw")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(outcome.errors, "n.sw:3:1: error: the dimension \"max\" has a name that a program cannot write"))
        << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(path("made.sw")));
}

TEST_F(ConvertCommand, writesModelsToRead)
{
    const Outcome made = call({"convert", layers(), "-o", path("made.sw")});
    ASSERT_EQ(made.exitCode, ExitCode::Success) << made.errors;
    const std::string text = textOf("made.sw");
    EXPECT_TRUE(contains(text, "input input_1: f32[1, 2] # \"input.1\"\n")) << text;
    EXPECT_TRUE(contains(text, "param fc_0_weight: f32[2, 3] = load(\"made.safetensors\", \"fc.0.weight\")\n")) << text;
    EXPECT_TRUE(contains(text, "scope \"fc.0\":\n")) << text;
    EXPECT_TRUE(contains(text, "# /fc.0/Gemm_output_0 = Gemm(input.1, fc.0.weight, fc.0.bias)\n")) << text;
    EXPECT_TRUE(contains(text, "output sum = ")) << text;
    const auto weights = TensorArchive::open(path("made.safetensors"));
    ASSERT_TRUE(weights);
    EXPECT_EQ(weights->names(), (std::vector<std::string>{"fc.0.bias", "fc.0.weight"}));
    const HostTensor x = HostTensor::ofValues(DType::F32, Shape{1, 2}, std::vector<double>{0.25, -3});
    ASSERT_TRUE(writeNpyFile(path("x.npy"), x));
    for (const std::string device : {"interpreter", "llvm"})
        EXPECT_EQ(outputsOf(path("m.onnx"), device, {"--input", "input.1=" + path("x.npy")}),
                  outputsOf(path("made.sw"), device, {"--input", "input_1=" + path("x.npy")}));
    // The file can be written again over the one that it was made of.
    EXPECT_EQ(call({"convert", path("made.sw"), "-o", path("made.sw")}).exitCode, ExitCode::Success);
    EXPECT_EQ(outputsOf(path("m.onnx"), "llvm", {"--input", "input.1=" + path("x.npy")}),
              outputsOf(path("made.sw"), "llvm", {"--input", "input_1=" + path("x.npy")}));
}

// x: [batch, 4] through a layer, split into heads and back, beside its softmax.
TEST_F(ConvertCommand, keepsDimensionsOpen)
{
    const std::string model =
        writeModel({.inputs = {openInfo("x", {"batch", "4"})},
                    .nodes = {{.op = "Gemm", .inputs = {"x", "w", "b"}, .outputs = {"h"}},
                              {.op = "Relu", .inputs = {"h"}, .outputs = {"r"}},
                              {.op = "Reshape", .inputs = {"r", "heads"}, .outputs = {"apart"}},
                              {.op = "Transpose",
                               .inputs = {"apart"},
                               .outputs = {"turned"},
                               .attributes = {integersAttribute("perm", {0, 2, 1})}},
                              {.op = "Slice", .inputs = {"turned", "one", "three", "one"}, .outputs = {"middle"}},
                              {.op = "Softmax", .inputs = {"middle"}, .outputs = {"m"}},
                              {.op = "Reshape", .inputs = {"turned", "flat"}, .outputs = {"y"}},
                              {.op = "Softmax", .inputs = {"r"}, .outputs = {"z"}}},
                    .outputs = {valueInfo("y", {1, 6}), valueInfo("z", {1, 6}), valueInfo("m", {1, 2, 2})},
                    .initializers = {floatTensor("w", {4, 6}, std::vector<float>{1,  -2, 3, 4, 5, -6, 7, 8, 9, 1, 2, 3,
                                                                                 -4, 5,  6, 7, 8, 9,  1, 2, 3, 4, 5, 6}),
                                     floatTensor("b", {6}, {0.5F, -1, 0.1F, 2, 3, 4}), integerTensor("heads", {3}, {0, 2, -1}),
                                     integerTensor("flat", {2}, {-1, 6}), integerTensor("one", {1}, {1}),
                                     integerTensor("three", {1}, {3})}});
    const Outcome made = call({"convert", model, "-o", path("made.sw")});
    ASSERT_EQ(made.exitCode, ExitCode::Success) << made.errors;
    EXPECT_EQ(made.errors, "") << "no size is assumed";
    const std::string text = textOf("made.sw");
    EXPECT_TRUE(contains(text, "batch: dim[1, 64]")) << text;
    EXPECT_TRUE(contains(text, "input x: f32[batch, 4]\n")) << text;
    for (const std::int64_t batch : {3, 10}) {
        std::vector<double> values;
        for (std::int64_t i = 0; i < 4 * batch; ++i)
            values.push_back(static_cast<double>(i % 7) / 4 - 1);
        ASSERT_TRUE(writeNpyFile(path("x.npy"), HostTensor::ofValues(DType::F32, Shape{batch, 4}, values)));
        for (const std::string device : {"interpreter", "llvm", "c"})
            EXPECT_EQ(outputsOf(model, device, {"--input", "x=" + path("x.npy")}),
                      outputsOf(path("made.sw"), device, {"--input", "x=" + path("x.npy")}))
                << text << batch << " on " << device;
    }
}

TEST_F(ConvertCommand, keepsTheDimensionsOpenThatItCan)
{
    // What is cut at ten is as long as x where that is shorter.
    const std::string model = writeModel({.inputs = {openInfo("x", {"batch", "length"})},
                                          .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"r"}},
                                                    {.op = "Slice", .inputs = {"r", "zero", "one", "axis"}, .outputs = {"y"}},
                                                    {.op = "Slice", .inputs = {"r", "zero", "ten", "axis"}, .outputs = {"z"}}},
                                          .outputs = {valueInfo("y", {1, 1}), valueInfo("z", {1, 1})},
                                          .initializers = {integerTensor("zero", {1}, {0}), integerTensor("one", {1}, {1}),
                                                           integerTensor("ten", {1}, {10}), integerTensor("axis", {1}, {1})}});
    const Outcome made = call({"convert", model, "-o", path("made.sw")});
    ASSERT_EQ(made.exitCode, ExitCode::Success) << made.errors;
    EXPECT_TRUE(contains(made.errors, "the dimension length is 1 in the program: ")) << made.errors;
    EXPECT_TRUE(contains(made.errors, "z = Slice(r, zero, ten, axis)")) << made.errors;
    EXPECT_TRUE(contains(textOf("made.sw"), "input x: f32[batch, 1]\n")) << textOf("made.sw");
    const Outcome wider = call({"convert", model, "-o", path("made.sw"), "--dim", "length=12"});
    ASSERT_EQ(wider.exitCode, ExitCode::Success) << wider.errors;
    EXPECT_TRUE(contains(textOf("made.sw"), "input x: f32[batch, 12]\n")) << textOf("made.sw");
}

TEST_F(ConvertCommand, cutsAPart)
{
    const std::string model = layers();
    const Outcome made =
        call({"convert", model, "-o", path("part.sw"), "--from", "/fc.0/Gemm_output_0", "--to", "/Relu_output_0"});
    ASSERT_EQ(made.exitCode, ExitCode::Success) << made.errors;
    const std::string text = textOf("part.sw");
    EXPECT_TRUE(contains(text, "input fc_0_Gemm_output_0: f32[1, 3]")) << text;
    EXPECT_TRUE(contains(text, "output Relu_output_0 = ")) << text;
    EXPECT_FALSE(contains(text, "load(")) << text;
    EXPECT_FALSE(contains(text, "exp(")) << text;
    const Outcome unknown = call({"convert", model, "-o", path("part.sw"), "--to", "nothing"});
    EXPECT_EQ(unknown.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(unknown.errors, "\"nothing\"")) << unknown.errors;
    const Outcome apart = call({"convert", model, "-o", path("part.sw"), "--from", "sum", "--to", "/Relu_output_0"});
    EXPECT_EQ(apart.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(apart.errors, "nothing from \"sum\" on leads to")) << apart.errors;
}

TEST_F(ConvertCommand, keepsWhatModelsCompute)
{
    for (const char *name : {"mnist8", "mnist_pytorch_cnn", "light_squeezenet", "light_resnet50"}) {
        const std::filesystem::path model = sourceFolder() / "tests/data/models" / name / "model.onnx";
        const Outcome made = call({"convert", model.string(), "-o", path("made.sw")});
        EXPECT_EQ(made.exitCode, ExitCode::Success) << name << ": " << made.errors;
    }
    const std::filesystem::path model = sourceFolder() / "tests/data/models/mnist_pytorch_cnn/model.onnx";
    ASSERT_EQ(call({"convert", model.string(), "-o", path("made.sw")}).exitCode, ExitCode::Success);
    std::vector<double> ramp(784);
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i] = static_cast<double>(i) / 784;
    ASSERT_TRUE(writeNpyFile(path("x.npy"), HostTensor::ofValues(DType::F32, Shape{1, 1, 28, 28}, ramp)));
    EXPECT_EQ(outputsOf(model.string(), "llvm", {"--input", "0=" + path("x.npy")}),
              outputsOf(path("made.sw"), "llvm", {"--input", "v0=" + path("x.npy")}));
}

// A branch that the run chooses, a loop that is written out, and one that is a scan.
TEST_F(ConvertCommand, keepsBranchesAndLoops)
{
    const auto branch = [](const char *op) {
        return GraphText{
            .inputs = {}, .nodes = {{.op = op, .inputs = {"x"}, .outputs = {"r"}}}, .outputs = {valueInfo("r", {4})}};
    };
    const GraphText body{.inputs = {valueInfo("i", {}, kInt64), valueInfo("c", {}, kBool), valueInfo("s", {4})},
                         .nodes = {{.op = "Identity", .inputs = {"c"}, .outputs = {"again"}},
                                   {.op = "Sin", .inputs = {"s"}, .outputs = {"bent"}},
                                   {.op = "Add", .inputs = {"bent", "w"}, .outputs = {"next"}},
                                   {.op = "Identity", .inputs = {"bent"}, .outputs = {"row"}}},
                         .outputs = {valueInfo("again", {}, kBool), valueInfo("next", {4}), valueInfo("row", {4})}};
    for (const std::int64_t steps : {3, 100}) {
        const std::string model =
            writeModel({.inputs = {valueInfo("x", {4}), valueInfo("b", {}, kBool)},
                        .nodes = {{.op = "If",
                                   .inputs = {"b"},
                                   .outputs = {"chosen"},
                                   .attributes = {graphAttribute("then_branch", branch("Neg")),
                                                  graphAttribute("else_branch", branch("Abs"))}},
                                  {.op = "Loop",
                                   .inputs = {"n", "", "chosen"},
                                   .outputs = {"last", "rows"},
                                   .attributes = {graphAttribute("body", body)}}},
                        .outputs = {valueInfo("last", {4}), valueInfo("rows", {steps, 4})},
                        .initializers = {integerTensor("n", {}, {steps}), floatTensor("w", {4}, {0.5F, -0.25F, 1, 2})}});
        expectSame(model, {"interpreter", "llvm"});
        EXPECT_EQ(contains(textOf("made.sw"), "scan_carry("), steps > 64);
    }
}

TEST_F(ConvertCommand, tellsWhatAModelIs)
{
    const Outcome text = call({"info", layers()});
    ASSERT_EQ(text.exitCode, ExitCode::Success) << text.errors;
    for (const char *part : {"opset 13; made by a test; 9 parameters in 2 tensors, 36 bytes\n", "input   input.1: f32[1, 2]\n",
                             "output  sum: f32[1, 3]\n", "9 parameters in 2 tensors, 36 B\n", "  fc.0 "})
        EXPECT_TRUE(contains(text.output, part)) << part << " in\n" << text.output;
    const Outcome json = call({"info", layers(), "--json", "--depth", "0"});
    EXPECT_TRUE(contains(json.output, "\"elements\": 9")) << json.output;
    EXPECT_FALSE(contains(json.output, "fc.0\",")) << json.output;
    const Outcome program = call({"info", write("p.sw", "# Doubles.\ninput x: f32[8]\noutput x * 2\n")});
    EXPECT_TRUE(contains(program.output, "Doubles.\ninput   x: f32[8]\n")) << program.output;
    EXPECT_TRUE(contains(program.output, "8 flop")) << program.output;
    EXPECT_EQ(call({"info", write("p.lowered", "")}).exitCode, ExitCode::Error);
}

TEST_F(ConvertCommand, wantsAFileForTheProgram)
{
    EXPECT_EQ(call({"convert", layers()}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"convert", layers(), "-o", path("made.onnx")}).exitCode, ExitCode::Usage);
}

} // namespace sw::command
