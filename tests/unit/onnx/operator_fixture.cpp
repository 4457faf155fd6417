#include "tests/unit/onnx/operator_fixture.h"

#include "tests/support/meaning.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

int onnxTypeOf(DType dtype)
{
    constexpr std::pair<DType, int> kTypes[] = {{DType::F32, 1},  {DType::U8, 2},   {DType::I8, 3},   {DType::U16, 4},
                                                {DType::I16, 5},  {DType::I32, 6},  {DType::I64, 7},  {DType::Bool, 9},
                                                {DType::F16, 10}, {DType::F64, 11}, {DType::U32, 12}, {DType::U64, 13},
                                                {DType::BF16, 16}};
    for (const auto &[type, number] : kTypes)
        if (type == dtype)
            return number;
    return 0;
}

} // namespace

std::filesystem::path libraryFolder()
{
    return std::filesystem::path(STEPWELL_SOURCE_DIR) / "resources/library";
}

ModelOptions libraryOptions(ModelOptions options)
{
    options.libraryFolder = libraryFolder();
    return options;
}

ModelResult importOperator(OperatorText text, const std::vector<HostTensor> &inputs)
{
    ModelText model{.inputs = {}, .nodes = {}, .outputs = {}, .initializers = {}, .opset = text.opset, .domain = text.domain};
    ModelOptions options = libraryOptions();
    const bool isNamed = !text.node.inputs.empty();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string name = format("x{}", i);
        model.inputs.push_back(
            valueInfo(name, {inputs[i].shape().begin(), inputs[i].shape().end()}, onnxTypeOf(inputs[i].dtype())));
        if (!text.unknown.contains(i))
            options.givenInputs.emplace(name, inputs[i]);
        if (!isNamed)
            text.node.inputs.push_back(name);
    }
    for (std::size_t i = 0; i < text.outputs; ++i) {
        text.node.outputs.push_back(format("y{}", i));
        model.outputs.push_back(valueInfo(text.node.outputs.back(), {-1}));
    }
    model.nodes.push_back(text.node);
    return importOnnx(modelBytes(model), "test.onnx", options, {});
}

ImportedOperator graphOf(OperatorText text, const std::vector<HostTensor> &inputs)
{
    const ModelResult result = importOperator(std::move(text), inputs);
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    ImportedOperator made;
    if (!result.graph)
        return made;
    made.graph = std::make_shared<const Graph>(*result.graph);
    for (const NodeId id : made.graph->placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(made.graph->node(id));
        made.values.push_back(attributes.initial != nullptr ? *attributes.initial
                                                            : inputs.at(std::stoul(attributes.name.substr(1))));
    }
    return made;
}

std::vector<HostTensor> outputsOf(OperatorText text, const std::vector<HostTensor> &inputs)
{
    const ImportedOperator made = graphOf(std::move(text), inputs);
    if (!made.graph)
        return {};
    const auto outputs = meaningOf(*made.graph, made.values);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? *outputs : std::vector<HostTensor>();
}

std::vector<double> elementsOf(const HostTensor &tensor)
{
    std::vector<double> elements;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        elements.push_back(tensor.at(i).asDouble());
    return elements;
}

HostTensor integers(Shape shape, const std::vector<double> &values)
{
    return HostTensor::ofValues(DType::I64, std::move(shape), values);
}

HostTensor floats(Shape shape, const std::vector<double> &values)
{
    return HostTensor::ofValues(DType::F32, std::move(shape), values);
}

HostTensor randomFloats(std::mt19937 &random, Shape shape, int low)
{
    constexpr double kQuarter = 0.25;
    std::uniform_int_distribution<int> quarters(-4 * low, 4 * low);
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.elements(); ++i)
        values.push_back(quarters(random) * kQuarter);
    return floats(std::move(shape), values);
}

} // namespace sw::test
