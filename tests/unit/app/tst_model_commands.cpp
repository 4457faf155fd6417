// Models on the command line: what --input and --dim settle before compiling.

#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"
#include "tests/unit/onnx/model_bytes.h"

namespace sw::command {

namespace {

using namespace sw::test;

class ModelCommands : public CommandTest {
protected:
    std::string writeModel(const ModelText &model) const
    {
        const std::vector<std::byte> bytes = modelBytes(model);
        return write("m.onnx", {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    }
    // x: f32[batch, 3], and its rows summed.
    std::string openModel() const
    {
        return writeModel({.inputs = {openInfo("x", {"batch", "3"})},
                           .nodes = {{.op = "ReduceSum", .inputs = {"x", "axes"}, .outputs = {"y"}}},
                           .outputs = {openInfo("y", {"batch", "1"})},
                           .initializers = {integerTensor("axes", {1}, {1})}});
    }
    // x: f32[2, 6] reshaped to what s: i64[2] says.
    std::string reshapingModel() const
    {
        return writeModel({.inputs = {openInfo("x", {"2", "6"}), openInfo("s", {"2"}, kInt64)},
                           .nodes = {{.op = "Reshape", .inputs = {"x", "s"}, .outputs = {"y"}}},
                           .outputs = {openInfo("y", {"rows", "columns"})}});
    }
    std::string tensor(const std::string &name, DType dtype, Shape shape, const std::vector<double> &values) const
    {
        EXPECT_TRUE(writeNpyFile(path(name), HostTensor::ofValues(dtype, std::move(shape), values)));
        return path(name);
    }
    static bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }
};

} // namespace

TEST_F(ModelCommands, takeOpenDimensionsFromGivenInputs)
{
    const std::string x = tensor("x.npy", DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
    for (const char *device : {"interpreter", "llvm"}) {
        const Outcome outcome = call({"run", openModel(), "--device", device, "--input", "x=" + x, "--output-dir", path("out")});
        ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
        const auto y = readNpyFile(path("out/y.npy"));
        ASSERT_TRUE(y) << toText(y.error());
        EXPECT_TRUE(y->isIdenticalTo(HostTensor::ofValues(DType::F32, Shape{2, 1}, std::vector<double>{6, 15})));
        EXPECT_EQ(outcome.errors, "");
    }
}

TEST_F(ModelCommands, takeOpenDimensionsFromTheOption)
{
    for (const std::string command : {"run", "bench"}) {
        const Outcome outcome = call({command, openModel(), "--device", "interpreter", "--dim", "batch=4", "--json"});
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << command << ": " << outcome.errors;
    }
    EXPECT_TRUE(contains(call({"run", openModel(), "--device", "interpreter", "--dim", "batch=4"}).output, "y: f32[4, 1]"));
    EXPECT_TRUE(contains(call({"run", openModel(), "--device", "interpreter"}).output, "y: f32[1, 1]"));
    const Outcome shown = call({"show", openModel(), "--stage", "graph", "--device", "interpreter", "--dim", "batch=4"});
    EXPECT_TRUE(contains(shown.output, "f32[4, 3]")) << shown.output << shown.errors;
    EXPECT_EQ(call({"check", openModel(), "--dim", "batch=4"}).errors, "");
    EXPECT_TRUE(contains(call({"check", openModel()}).errors, "1 is assumed"));
}

// One compilation for every size of the range.
TEST_F(ModelCommands, keepDimensionsOpenThatAreGivenARange)
{
    const std::vector<std::vector<std::string>> tables{{"--dim", "batch=1..8"}, {"--dim", "batch=.."}};
    for (const char *device : {"interpreter", "llvm", "c"})
        for (const std::vector<std::string> &range : tables)
            for (const std::int64_t batch : {1, 2, 5}) {
                std::vector<double> values(static_cast<std::size_t>(3 * batch));
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] = static_cast<double>(i % 7) / 4 - 1;
                const std::string x = tensor("x.npy", DType::F32, {batch, 3}, values);
                std::vector<std::string> words{"run", openModel(), "--device", device, "--input", "x=" + x, "--output-dir"};
                std::vector<std::string> fixed = words;
                fixed.push_back(path("fixed"));
                words.push_back(path("open"));
                words.insert(words.end(), range.begin(), range.end());
                const Outcome outcome = call(words);
                ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
                EXPECT_EQ(outcome.errors, "");
                ASSERT_EQ(call(fixed).exitCode, ExitCode::Success);
                EXPECT_TRUE(readNpyFile(path("open/y.npy"))->isIdenticalTo(*readNpyFile(path("fixed/y.npy")))) << device << batch;
            }
    const Outcome shown = call({"show", openModel(), "--stage", "graph", "--device", "interpreter", "--dim", "batch=2..9"});
    EXPECT_TRUE(contains(shown.output, "given = [batch, 3]")) << shown.output << shown.errors;
    EXPECT_TRUE(contains(shown.output, "name = \"batch\", role = dimension, low = 2, high = 9, bound = 2")) << shown.output;
    EXPECT_TRUE(contains(call({"run", openModel(), "--device", "interpreter", "--dim", "batch=3..9"}).output, "y: f32[3, 1]"))
        << "the least, where nothing else says it";
}

TEST_F(ModelCommands, refuseRangesThatDoNotFit)
{
    const std::string x = tensor("x.npy", DType::F32, {9, 3}, std::vector<double>(27, 0.5));
    const Outcome beyond = call({"run", openModel(), "--device", "interpreter", "--dim", "batch=1..8", "--input", "x=" + x});
    EXPECT_EQ(beyond.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(beyond.errors, "batch is 9 where batch is 9, but its bounds are 1 and 8")) << beyond.errors;
    const Outcome empty = call({"check", openModel(), "--dim", "batch=8..1"});
    EXPECT_EQ(empty.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(empty.errors, "the range of the dimension batch is 8..1")) << empty.errors;
    const Outcome twice = call({"check", openModel(), "--dim", "batch=1..8", "--dim", "batch=3"});
    EXPECT_EQ(twice.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(twice.errors, "--dim gives batch twice")) << twice.errors;
    EXPECT_TRUE(contains(call({"check", openModel(), "--dim", "length=1..8"}).errors, "it has batch"));
    const std::string program = write("p.sw", "n: dim[1, 64] = 8\ninput x: f32[n, 3]\noutput sum(x, axis = 1)\n");
    const Outcome own = call({"check", program, "--dim", "n=1..8"});
    EXPECT_EQ(own.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(own.errors, "only a model's dimensions are given ranges")) << own.errors;
}

TEST_F(ModelCommands, compareDevicesOnGivenInputs)
{
    const std::string x = tensor("x.npy", DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
    const Outcome outcome = call({"compare", openModel(), "--devices", "interpreter,llvm", "--input", "x=" + x});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
}

TEST_F(ModelCommands, compileForValuesThatDecideShapes)
{
    const std::string x = tensor("x.npy", DType::F32, {2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const std::string s = tensor("s.npy", DType::I64, {2}, {4, -1});
    const Outcome outcome = call({"run", reshapingModel(), "--device", "interpreter", "--input", "x=" + x, "--input", "s=" + s});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "y: f32[4, 3]")) << outcome.output;
    EXPECT_TRUE(contains(outcome.errors, "input 's' decides shapes")) << outcome.errors;
    const Outcome unknown = call({"run", reshapingModel(), "--device", "interpreter", "--input", "x=" + x});
    EXPECT_EQ(unknown.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(unknown.errors, "give the value of input 's' before compiling")) << unknown.errors;
    const Outcome shown = call({"show", reshapingModel(), "--stage", "graph", "--device", "interpreter", "--input", "s=" + s});
    EXPECT_TRUE(contains(shown.output, "f32[4, 3]")) << shown.output << shown.errors;
}

TEST_F(ModelCommands, nameBothSidesOfAContradiction)
{
    const std::string x = tensor("x.npy", DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
    const Outcome outcome = call({"run", openModel(), "--device", "interpreter", "--input", "x=" + x, "--dim", "batch=4"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "the dimension batch is to be 4, but the tensor given for input 'x' makes it 2"))
        << outcome.errors;
    for (const std::string command : {"run", "check", "passes"}) {
        EXPECT_TRUE(contains(call({command, openModel(), "--dim", "length=4"}).errors, "it has batch")) << command;
        EXPECT_TRUE(contains(call({command, openModel(), "--input", "z=" + x}).errors, "it has x")) << command;
    }
    const Outcome twice = call({"run", openModel(), "--input", "x=" + x, "--input", "x=" + x});
    EXPECT_EQ(twice.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(twice.errors, "--input gives \"x\" twice"));
}

// A program in the language keeps its dimensions open; names that it does not have are refused all the same.
TEST_F(ModelCommands, checkWhatIsGivenForPrograms)
{
    const std::string file = write("p.sw", "n: dim[1, 64] = 8\ninput x: f32[n, 3]\noutput sum(x, axis = 1)\n");
    EXPECT_EQ(call({"check", file, "--dim", "n=4"}).exitCode, ExitCode::Success) << call({"check", file, "--dim", "n=4"}).errors;
    for (const std::string command : {"check", "passes", "explain"})
        EXPECT_TRUE(contains(call({command, file, "--dim", "k=4"}).errors, "the program has no dimension \"k\"")) << command;
    EXPECT_TRUE(contains(call({"check", file, "--input", "z=" + tensor("z.npy", DType::F32, {1}, {0})}).errors,
                         "the program has no input \"z\""));
    EXPECT_TRUE(contains(call({"run", file, "--device", "interpreter", "--dim", "n=4"}).output, "f32[4]"));
}

} // namespace sw::command
