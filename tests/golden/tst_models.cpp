// Real ONNX models against their stored outputs, on every device that compiles. The models are data that stands beside the source
// tree (../shared/acceptance); where it is not there, these tests are skipped and say so.

#include "tests/golden/program_fixture.h"

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace sw::test {
namespace {

struct Model {
    std::string path; // "real/mnist12"
    double relative = 1e-3;
    double absolute = 1e-7;
};

void PrintTo(const Model &model, std::ostream *out)
{
    *out << model.path;
}

std::filesystem::path modelFolder()
{
    // The source tree itself, or a work tree of it one level deeper.
    for (const char *up : {"..", "../.."}) {
        const std::filesystem::path folder = sourceFolder() / up / "shared/acceptance/models";
        if (std::filesystem::exists(folder / "first.txt"))
            return folder;
    }
    return {};
}

std::string textOf(const std::filesystem::path &file)
{
    const auto text = readTextFile(file.string());
    return text ? *text : std::string();
}

// The lines of first.txt with the tolerances of index.tsv.
std::vector<Model> listedModels()
{
    std::vector<Model> models;
    if (modelFolder().empty())
        return {{"none", 0, 0}};
    std::istringstream list(textOf(modelFolder() / "first.txt"));
    for (std::string line; std::getline(list, line);)
        if (!line.empty())
            models.push_back({line});
    std::istringstream index(textOf(modelFolder() / "index.tsv"));
    for (std::string line; std::getline(index, line);) {
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, '\t');)
            cells.push_back(cell);
        for (Model &model : models)
            if (cells.size() > 10 && cells[1] + "/" + cells[2] == model.path) {
                model.relative = std::stod(cells[9]);
                model.absolute = std::stod(cells[10]);
            }
    }
    return models;
}

Result<HostTensor> storedTensor(const std::filesystem::path &file)
{
    SW_TRY(const std::string text, readTextFile(file.string()));
    return readOnnxTensor(std::as_bytes(std::span(text.data(), text.size())), file.string());
}

std::vector<HostTensor> storedTensors(const std::filesystem::path &folder, const std::string &prefix)
{
    std::vector<HostTensor> tensors;
    for (int i = 0;; ++i) {
        const std::filesystem::path file = folder / format("{}_{}.pb", prefix, i);
        if (!std::filesystem::exists(file))
            return tensors;
        auto tensor = storedTensor(file);
        EXPECT_TRUE(tensor) << toText(tensor.error());
        tensors.push_back(tensor ? std::move(*tensor) : HostTensor());
    }
}

std::size_t wrongElements(const HostTensor &expected, const HostTensor &actual, const Model &model)
{
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double e = expected.at(i).asDouble();
        const double a = actual.at(i).asDouble();
        const double allowed = isFloat(expected.dtype()) ? model.absolute + model.relative * std::fabs(e) : 0;
        wrong += std::fabs(a - e) <= allowed || (std::isnan(a) && std::isnan(e)) ? 0 : 1;
    }
    return wrong;
}

// The model's inputs in their order, the parameters not among them.
std::vector<NamedTensor> named(const Graph &graph, const std::vector<HostTensor> &values)
{
    std::vector<NamedTensor> inputs;
    for (const NodeId id : graph.placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(graph.node(id));
        if (attributes.role == PlaceholderRole::Input && inputs.size() < values.size())
            inputs.push_back({attributes.name, values[inputs.size()]});
    }
    return inputs;
}

class Models : public ProgramTest, public testing::WithParamInterface<Model> {};

TEST_P(Models, giveTheirStoredOutputs)
{
    if (modelFolder().empty())
        GTEST_SKIP() << "there are no models: ../shared/acceptance/models/first.txt is missing";
    const std::filesystem::path folder = modelFolder() / GetParam().path;
    const std::vector<HostTensor> inputs = storedTensors(folder / "test_data_set_0", "input");
    const std::vector<HostTensor> outputs = storedTensors(folder / "test_data_set_0", "output");
    ASSERT_FALSE(outputs.empty());
    std::vector<std::string> devices{"llvm", "c", "opencl"};
    if (GetParam().path.find("mnist") != std::string::npos)
        devices.insert(devices.begin(), "interpreter");
    std::string missing;
    for (const std::string &device : devices) {
        SCOPED_TRACE(device);
        if (const std::string reason = whyUnavailable(device); !reason.empty()) {
            missing += reason;
            continue;
        }
        ProgramCompiler compiler(m_registry);
        const CompileRequest request = requestFor(folder / "model.onnx", device);
        const Compilation opened = compiler.compile(requestFor(folder / "model.onnx", device, CompileUntil::Program), {});
        ASSERT_TRUE(opened.succeeded) << toText(opened.diagnostics);
        const auto result = run(compiler, request, named(*opened.graph, inputs));
        ASSERT_TRUE(result) << toText(result.error());
        ASSERT_EQ(result->outputs.size(), outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const HostTensor &actual = result->outputs[i].value;
            ASSERT_EQ(actual.dtype(), outputs[i].dtype());
            ASSERT_EQ(actual.shape(), outputs[i].shape());
            EXPECT_EQ(wrongElements(outputs[i], actual, GetParam()), 0U) << result->outputs[i].name;
        }
    }
    if (!missing.empty())
        GTEST_SKIP() << "not on all devices: " << missing;
}

INSTANTIATE_TEST_SUITE_P(First, Models, testing::ValuesIn(listedModels()),
                         [](const auto &test) { return parameterName(test.param.path); });

} // namespace
} // namespace sw::test
