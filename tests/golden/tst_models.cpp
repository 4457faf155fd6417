// Real ONNX models compared with their stored outputs on every device: small ones from tests/data, larger ones from a folder that
// may be beside the source tree; if it is missing, their tests are skipped and say so.

#include "tests/golden/program_fixture.h"

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace sw::test {
namespace {

struct Model {
    std::string name;
    std::filesystem::path folder; // folder of model.onnx; empty: no such models here
    std::filesystem::path data;   // folder of input_N.pb and output_N.pb
    double relative = 1e-3;
    double absolute = 1e-7;
    bool isForImport = false; // it tests the import, which is the same on every device
};

// Larger models whose shapes follow from their inputs, in addition to those in first.txt.
constexpr const char *kImportModels[] = {"real/ort_bert_toy", "real/vespa_mlm", "real/ppocr_cls", "real/yunet_s_dyn",
                                         "real/magika_fast21"};

struct ModelOnDevice {
    Model model;
    std::string device;
};

void PrintTo(const ModelOnDevice &param, std::ostream *out)
{
    *out << param.model.name << " on " << param.device;
}

using Row = std::vector<std::string>;

// The lines of a file, split at tabs; none if the file does not exist.
std::vector<Row> rowsOf(const std::filesystem::path &file)
{
    std::vector<Row> rows;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        Row row;
        for (std::string cell; std::getline(cells, cell, '\t');)
            row.push_back(cell);
        if (!row.empty())
            rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<Model> ownModels()
{
    const std::filesystem::path folder = sourceFolder() / "tests/data/models";
    std::vector<Model> models;
    for (const Row &row : rowsOf(folder / "index.tsv"))
        models.push_back({.name = row.at(0),
                          .folder = folder / row.at(0),
                          .data = folder / row.at(0),
                          .relative = std::stod(row.at(1)),
                          .absolute = std::stod(row.at(2))});
    return models;
}

// The folder of the larger models, with their list first.txt.
std::filesystem::path otherFolder()
{
    if (const char *named = std::getenv("STEPWELL_MODELS"); named != nullptr)
        return named;
    // Beside the source tree itself, or beside a work tree of it one level deeper.
    for (const char *up : {"..", "../.."}) {
        const std::filesystem::path folder = sourceFolder() / up / "shared/acceptance/models";
        if (std::filesystem::exists(folder / "first.txt"))
            return folder;
    }
    return {};
}

std::vector<Model> otherModels(const std::vector<Model> &own)
{
    const std::filesystem::path folder = otherFolder();
    std::vector<Model> models;
    std::vector<Row> rows = rowsOf(folder / "first.txt");
    for (const char *path : kImportModels)
        if (!folder.empty() && std::filesystem::exists(folder / path))
            rows.push_back({path, "import"});
    for (const Row &row : rows) {
        const std::filesystem::path path = folder / row.at(0);
        const std::string name = path.filename().string();
        if (std::ranges::none_of(own, [&](const Model &model) { return model.name == name; }))
            models.push_back({.name = name, .folder = path, .data = path / "test_data_set_0", .isForImport = row.size() > 1});
    }
    for (const Row &row : rowsOf(folder / "index.tsv"))
        for (Model &model : models)
            if (row.size() > 10 && row[2] == model.name) {
                model.relative = std::stod(row[9]);
                model.absolute = std::stod(row[10]);
            }
    if (models.empty())
        models.push_back({.name = "others", .folder = {}, .data = {}});
    return models;
}

std::vector<ModelOnDevice> modelsOnDevices()
{
    std::vector<Model> models = ownModels();
    for (Model &model : otherModels(models))
        models.push_back(std::move(model));
    std::vector<ModelOnDevice> all;
    for (const Model &model : models)
        for (const char *device : {"interpreter", "llvm", "c", "opencl"})
            if (model.isForImport ? device == std::string("llvm")
                                  : device != std::string("interpreter") || model.name.starts_with("mnist")) // it is slow
                all.push_back({model, device});
    return all;
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

// The names of a model's inputs, read from its listing, which exists even if compiling needs the values of the inputs.
std::vector<std::string> inputNames(const SourceMap &sources)
{
    std::vector<std::string> names;
    std::istringstream lines(sources.file(SourceMap::programFile()).text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("input "))
            names.push_back(line.substr(6, line.rfind(": ") - 6));
    return names;
}

// The stored inputs; if there are none, a ramp from 0 to 1.
std::vector<NamedTensor> inputsOf(const Model &model, const Compilation &opened)
{
    std::vector<NamedTensor> inputs;
    const std::vector<HostTensor> stored = storedTensors(model.data, "input");
    const std::vector<std::string> names = inputNames(*opened.sources);
    for (std::size_t i = 0; i < stored.size() && i < names.size(); ++i)
        inputs.push_back({names[i], stored[i]});
    if (!inputs.empty() || !opened.graph)
        return inputs;
    for (const NodeId id : opened.graph->placeholders()) {
        const Node &node = opened.graph->node(id);
        const auto &attributes = attributesOf<PlaceholderAttributes>(node);
        if (attributes.role != PlaceholderRole::Input)
            continue;
        HostTensor ramp(node.dtype, node.shape);
        for (std::int64_t i = 0; i < ramp.elements(); ++i)
            ramp.set(i, Scalar::of(node.dtype, static_cast<double>(i) / static_cast<double>(ramp.elements())));
        inputs.push_back({attributes.name, std::move(ramp)});
    }
    return inputs;
}

class Models : public ProgramTest, public testing::WithParamInterface<ModelOnDevice> {};

TEST_P(Models, giveTheirStoredOutputs)
{
    const auto &[model, device] = GetParam();
    if (model.folder.empty())
        GTEST_SKIP() << "there are no larger models: neither does STEPWELL_MODELS name a folder, nor is there "
                        "../shared/acceptance/models";
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const std::vector<HostTensor> outputs = storedTensors(model.data, "output");
    ASSERT_FALSE(outputs.empty());
    ProgramCompiler compiler(m_registry);
    const std::filesystem::path file = model.folder / "model.onnx";
    const Compilation opened = compiler.compile(requestFor(file, device, CompileUntil::Program), {});
    ASSERT_TRUE(opened.sources) << toText(opened.diagnostics);
    CompileRequest request = requestFor(file, device);
    request.program.knownInputs = inputsOf(model, opened);
    const auto result = run(compiler, request, request.program.knownInputs);
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->outputs.size(), outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const HostTensor &actual = result->outputs[i].value;
        ASSERT_EQ(actual.dtype(), outputs[i].dtype());
        ASSERT_EQ(actual.shape(), outputs[i].shape());
        EXPECT_EQ(wrongElements(outputs[i], actual, model), 0U) << result->outputs[i].name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Models, testing::ValuesIn(modelsOnDevices()),
                         [](const auto &test) { return parameterName(test.param.model.name + "_" + test.param.device); });

} // namespace
} // namespace sw::test
