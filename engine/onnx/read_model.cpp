#include "engine/onnx/read_model.h"

#include "engine/onnx/read_tensor.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <set>

namespace sw::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

// Deep enough for any control flow, and shallow enough for any stack.
constexpr int kMaxNesting = 100;

// ONNX's own domain has two spellings.
std::string domainOf(const std::string &domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

AttributeValue valueOf(const AttributeProto &proto, const SourceRange &where)
{
    switch (proto.type()) {
    case AttributeProto::FLOAT:
        return proto.f();
    case AttributeProto::INT:
        return std::int64_t{proto.i()};
    case AttributeProto::STRING:
        return proto.s();
    case AttributeProto::TENSOR:
        return readTensor(proto.t(), where);
    case AttributeProto::FLOATS:
        return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case AttributeProto::INTS:
        return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case AttributeProto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
        return Subgraph{};
    case AttributeProto::UNDEFINED:
    case AttributeProto::SPARSE_TENSOR:
    case AttributeProto::SPARSE_TENSORS:
    case AttributeProto::TENSORS:
    case AttributeProto::TYPE_PROTO:
    case AttributeProto::TYPE_PROTOS:
        return std::monostate{};
    }
    return std::monostate{};
}

ModelNode nodeOf(const NodeProto &proto, const SourceRange &where)
{
    ModelNode node{.name = proto.name(), .op = proto.op_type(), .domain = domainOf(proto.domain())};
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const AttributeProto &attribute : proto.attribute())
        node.attributes.push_back({attribute.name(), valueOf(attribute, where)});
    return node;
}

ValueInfo valueInfoOf(const ValueInfoProto &proto, const SourceRange &where)
{
    ValueInfo info{.name = proto.name()};
    if (!proto.type().has_tensor_type())
        return info;
    const TypeProto::Tensor &tensor = proto.type().tensor_type();
    info.isTensor = true;
    if (const auto type = elementTypeOfOnnx(tensor.elem_type(), where)) {
        info.dtype = type->dtype;
        info.narrow = type->narrow;
    } else {
        info.dtype = type.failure();
    }
    if (!tensor.has_shape())
        return info;
    info.shape.emplace();
    for (const auto &dimension : tensor.shape().dim()) {
        if (dimension.has_dim_value())
            info.shape->push_back({dimension.dim_value(), {}});
        else
            info.shape->push_back({kOpenExtent, dimension.dim_param()});
    }
    return info;
}

// An open dimension needs a name so that the user can give its extent.
ValueInfo withNamedDimensions(ValueInfo info)
{
    for (std::size_t axis = 0; info.shape && axis < info.shape->size(); ++axis)
        if (Dimension &dimension = (*info.shape)[axis]; isOpen(dimension) && dimension.symbol.empty())
            dimension.symbol = format("{}.{}", info.name, axis);
    return info;
}

Result<ModelProto> parse(std::span<const std::byte> bytes, const SourceRange &where)
{
    if (bytes.empty())
        return Diagnostic::error(Code::MalformedModel, where, "the file is empty, expected an ONNX model");
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return Diagnostic::error(Code::Limit, where, "the model has {} bytes; a model file has less than 2 GiB", bytes.size());
    google::protobuf::io::ArrayInputStream array(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::io::CodedInputStream stream(&array);
    stream.SetRecursionLimit(kMaxNesting);
    ModelProto proto;
    if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        return Diagnostic::error(Code::MalformedModel, where,
                                 "not an ONNX model, or a damaged one: no valid message from byte {} on",
                                 stream.CurrentPosition());
    if (!proto.has_graph())
        return Diagnostic::error(Code::MalformedModel, where, "not an ONNX model: it has no graph");
    return proto;
}

Result<std::map<std::string, std::int64_t>> opsetsOf(const ModelProto &proto, const SourceRange &where)
{
    std::map<std::string, std::int64_t> opsets;
    for (const auto &opset : proto.opset_import())
        opsets.emplace(domainOf(opset.domain()), opset.version());
    if (opsets.empty())
        return Diagnostic::error(Code::MalformedModel, where, "the model names no operator set");
    return opsets;
}

void readGraph(const GraphProto &graph, const SourceRange &where, Model &model)
{
    std::set<std::string_view> initialized;
    for (const auto &tensor : graph.initializer()) {
        initialized.insert(tensor.name());
        auto stored = readStored(tensor, where);
        if (stored)
            model.initializers.push_back({tensor.name(), std::move(stored->value), stored->narrow});
        else
            model.initializers.push_back({tensor.name(), stored.failure()});
    }
    for (const ValueInfoProto &input : graph.input()) {
        if (!initialized.contains(input.name())) // up to IR version 3, inputs also list the initializers
            model.inputs.push_back(withNamedDimensions(valueInfoOf(input, where)));
    }
    for (const ValueInfoProto &output : graph.output())
        model.outputs.push_back(valueInfoOf(output, where));
    for (const NodeProto &node : graph.node())
        model.nodes.push_back(nodeOf(node, where));
}

// The length in bytes of the UTF-8 sequence that starts here; 0 if there is none.
std::size_t sequenceLength(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U)
            return 0;
    }
    return length;
}

} // namespace

Result<Model> readModel(std::span<const std::byte> bytes, const std::string &fileName)
{
    const SourceRange where{.file = fileName};
    SW_TRY(const ModelProto proto, parse(bytes, where));
    Model model;
    model.name = proto.graph().name();
    model.producer = proto.producer_name();
    SW_TRY(model.opsets, opsetsOf(proto, where));
    if (proto.graph().sparse_initializer_size() != 0)
        return Diagnostic::error(Code::Unsupported, where, "the model has {} sparse initializers, which are not supported",
                                 proto.graph().sparse_initializer_size());
    for (const auto &function : proto.functions())
        model.functions.push_back(function.name());
    readGraph(proto.graph(), where, model);
    return model;
}

std::string displayText(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        const auto first = static_cast<unsigned char>(text.front());
        if (length == 0 || first < 0x20 || first == 0x7F) {
            out += format("\\x{:02x}", first);
            text.remove_prefix(1);
            continue;
        }
        out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

} // namespace sw::onnx
