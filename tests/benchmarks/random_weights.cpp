#include "tests/benchmarks/random_weights.h"

#include "engine/types/random_fill.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::benchmark {

namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

template <class T>
std::vector<T> rawOr(const TensorProto &tensor, const auto &field)
{
    std::vector<T> values(field.begin(), field.end());
    if (values.empty()) {
        values.resize(tensor.raw_data().size() / sizeof(T));
        std::copy_n(tensor.raw_data().data(), values.size() * sizeof(T), reinterpret_cast<char *>(values.data()));
    }
    return values;
}

// The number that the node fills its shape with; 0 when it is no float.
float filledWith(const NodeProto &node)
{
    for (const AttributeProto &attribute : node.attribute())
        if (attribute.name() == "value" && attribute.t().data_type() == TensorProto::FLOAT)
            if (const std::vector<float> values = rawOr<float>(attribute.t(), attribute.t().float_data()); !values.empty())
                return values.front();
    return 0;
}

TensorProto weights(const std::string &name, const std::vector<std::int64_t> &extents, std::uint64_t seed)
{
    const Shape shape(extents);
    const bool isMatrix = shape.rank() >= 2;
    const double fanIn = isMatrix ? static_cast<double>(shape.elements()) / static_cast<double>(shape[0]) : 1;
    const double scale = isMatrix ? std::sqrt(6 / fanIn) : 0.25;
    const double offset = isMatrix ? 0 : 0.5;
    const HostTensor values = uniformTensor(DType::F32, shape, seed, offset - scale, offset + scale);
    TensorProto tensor;
    tensor.set_name(name);
    tensor.set_data_type(TensorProto::FLOAT);
    for (const std::int64_t extent : extents)
        tensor.add_dims(extent);
    tensor.set_raw_data(values.bytes().data(), values.bytes().size());
    return tensor;
}

RandomWeights replaceIn(GraphProto &graph, std::uint64_t seed)
{
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const TensorProto &tensor : graph.initializer())
        if (tensor.data_type() == TensorProto::INT64)
            shapes[tensor.name()] = rawOr<std::int64_t>(tensor, tensor.int64_data());
    RandomWeights made;
    GraphProto without = graph;
    without.clear_node();
    for (const NodeProto &node : graph.node()) {
        const auto shape = node.op_type() == "ConstantOfShape" ? shapes.find(node.input(0)) : shapes.end();
        if (shape == shapes.end() || filledWith(node) == 0) {
            *without.add_node() = node;
            continue;
        }
        *without.add_initializer() = weights(node.output(0), shape->second, seed + made.tensors);
        ++made.tensors;
        made.elements += Shape(shape->second).elements();
    }
    graph = std::move(without);
    return made;
}

} // namespace

Result<RandomWeights> withRandomWeights(const std::string &file, std::uint64_t seed)
{
    std::ifstream in(file, std::ios::binary);
    ModelProto model;
    if (!in || !model.ParseFromIstream(&in))
        return Diagnostic::error(Code::File, {.file = file}, "cannot be read as an ONNX model");
    RandomWeights made = replaceIn(*model.mutable_graph(), seed);
    made.file = file;
    if (made.tensors == 0)
        return made;
    const std::filesystem::path from(file);
    made.file = std::filesystem::temp_directory_path() /
                format("stepwell-{}-random-{}", from.parent_path().filename().string(), from.filename().string());
    std::ofstream out(made.file, std::ios::binary);
    if (!out || !model.SerializeToOstream(&out))
        return Diagnostic::error(Code::File, {.file = made.file}, "cannot be written");
    return made;
}

} // namespace sw::benchmark
