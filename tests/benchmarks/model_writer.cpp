#include "tests/benchmarks/model_writer.h"

#include "engine/types/random_fill.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::benchmark {

namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;

constexpr std::int64_t kOpset = 20; // the first one that has Gelu

void describe(::onnx::ValueInfoProto &value, const std::string &name, const Extents &extents)
{
    value.set_name(name);
    auto &type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(TensorProto::FLOAT);
    for (const std::int64_t extent : extents)
        type.mutable_shape()->add_dim()->set_dim_value(extent);
}

} // namespace

ModelWriter::ModelWriter(std::uint64_t seed) : m_model(std::make_unique<::onnx::ModelProto>()), m_seed(seed)
{
    m_model->set_ir_version(9);
    m_model->add_opset_import()->set_version(kOpset);
    m_model->mutable_graph()->set_name("measured");
}

ModelWriter::~ModelWriter() = default;
ModelWriter::ModelWriter(ModelWriter &&) noexcept = default;

std::string ModelWriter::nextName()
{
    return format("v{}", m_names++);
}

std::string ModelWriter::input(const std::string &name, const Extents &extents)
{
    describe(*m_model->mutable_graph()->add_input(), name, extents);
    return name;
}

void ModelWriter::output(const std::string &name, const Extents &extents, std::size_t output)
{
    m_node->set_output(static_cast<int>(output), name);
    describe(*m_model->mutable_graph()->add_output(), name, extents);
}

std::string ModelWriter::weights(const Extents &extents, std::int64_t fanIn)
{
    const double scale = std::sqrt(3.0 / static_cast<double>(fanIn));
    const HostTensor values = uniformTensor(DType::F32, Shape(extents), m_seed++, -scale, scale);
    return constant(extents, TensorProto::FLOAT, values.bytes().data(), values.bytes().size());
}

std::string ModelWriter::numbers(const Extents &extents, const std::vector<float> &values)
{
    return constant(extents, TensorProto::FLOAT, values.data(), values.size() * sizeof(float));
}

std::string ModelWriter::places(const Extents &values)
{
    return places({static_cast<std::int64_t>(values.size())}, values);
}

std::string ModelWriter::places(const Extents &extents, const Extents &values)
{
    return constant(extents, TensorProto::INT64, values.data(), values.size() * sizeof(std::int64_t));
}

Names ModelWriter::node(const std::string &operation, const Names &inputs, std::size_t outputs)
{
    m_node = m_model->mutable_graph()->add_node();
    m_node->set_op_type(operation);
    for (const std::string &name : inputs)
        m_node->add_input(name);
    Names made;
    for (std::size_t i = 0; i < outputs; ++i) {
        made.push_back(nextName());
        m_node->add_output(made.back());
    }
    return made;
}

void ModelWriter::attribute(const std::string &name, std::int64_t value)
{
    AttributeProto &made = *m_node->add_attribute();
    made.set_name(name);
    made.set_type(AttributeProto::INT);
    made.set_i(value);
}

void ModelWriter::attribute(const std::string &name, const Extents &values)
{
    AttributeProto &made = *m_node->add_attribute();
    made.set_name(name);
    made.set_type(AttributeProto::INTS);
    for (const std::int64_t value : values)
        made.add_ints(value);
}

void ModelWriter::attribute(const std::string &name, const std::string &value)
{
    AttributeProto &made = *m_node->add_attribute();
    made.set_name(name);
    made.set_type(AttributeProto::STRING);
    made.set_s(value);
}

Result<std::string> ModelWriter::written(const std::string &name) const
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "stepwell-measured" / name;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const std::filesystem::path file = folder / "model.onnx";
    std::ofstream out(file, std::ios::binary);
    if (!out || !m_model->SerializeToOstream(&out))
        return Diagnostic::error(Code::File, {.file = file}, "cannot be written");
    return file.string();
}

std::string ModelWriter::constant(const Extents &extents, int type, const void *data, std::size_t bytes)
{
    TensorProto &tensor = *m_model->mutable_graph()->add_initializer();
    tensor.set_name(nextName());
    tensor.set_data_type(type);
    for (const std::int64_t extent : extents)
        tensor.add_dims(extent);
    tensor.set_raw_data(data, bytes);
    return tensor.name();
}

} // namespace sw::benchmark
