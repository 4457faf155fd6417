#include "engine/onnx/read_model.h"

#include "engine/onnx/module_paths.h"
#include "engine/onnx/read_tensor.h"
#include "engine/onnx/repeated_names.h"
#include "engine/onnx/split_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace sw::onnx {

namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::StringStringEntryProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

// Deep enough for any control flow, and shallow enough for any stack.
constexpr int kMaxNesting = 100;

// ONNX's own domain has two spellings.
std::string domainOf(const std::string &domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

Subgraph subgraphOf(const GraphProto &proto, const ModelFile &file);

AttributeValue valueOf(const AttributeProto &proto, const ModelFile &file)
{
    if (!proto.ref_attr_name().empty())
        return AttributeReference{proto.ref_attr_name()};
    switch (proto.type()) {
    case AttributeProto::FLOAT:
        return proto.f();
    case AttributeProto::INT:
        return std::int64_t{proto.i()};
    case AttributeProto::STRING:
        return proto.s();
    case AttributeProto::TENSOR:
        return readTensor(proto.t(), file);
    case AttributeProto::FLOATS:
        return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case AttributeProto::INTS:
        return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case AttributeProto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case AttributeProto::GRAPH:
        return subgraphOf(proto.g(), file);
    case AttributeProto::GRAPHS:
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

// What a node says about itself. The schema of Debian 12 does not know its field yet.
constexpr int kNodeMetadataField = 9;

template <class Proto>
std::vector<StringStringEntryProto> metadataOf(const Proto &proto)
{
    std::vector<StringStringEntryProto> entries;
    if constexpr (requires { proto.metadata_props(); }) {
        entries.assign(proto.metadata_props().begin(), proto.metadata_props().end());
    } else {
        const auto &unknown = proto.GetReflection()->GetUnknownFields(proto);
        for (int i = 0; i < unknown.field_count(); ++i) {
            const auto &field = unknown.field(i);
            if (field.number() == kNodeMetadataField && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
                if (StringStringEntryProto entry; entry.ParseFromString(field.length_delimited()))
                    entries.push_back(std::move(entry));
        }
    }
    return entries;
}

ModulePath modulesOf(const NodeProto &proto)
{
    ModulePath modules;
    for (const StringStringEntryProto &entry : metadataOf(proto)) {
        if (entry.key() == "pkg.torch.onnx.name_scopes")
            return modulesInNameScopes(entry.value());
        if (entry.key() == "namespace")
            modules = modulesInNamespace(entry.value());
    }
    return modules;
}

ModelNode nodeOf(const NodeProto &proto, const ModelFile &file)
{
    ModelNode node{.name = proto.name(), .op = proto.op_type(), .domain = domainOf(proto.domain())};
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const AttributeProto &attribute : proto.attribute())
        node.attributes.push_back({attribute.name(), valueOf(attribute, file)});
    node.modules = modulesOf(proto);
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

// The message without the large tensors, which the file then has apart. What cannot be split tells why when it is parsed whole.
Result<ModelProto> parseSplit(ModelFile &file)
{
    std::optional<SplitModel> split = splitModel(file.bytes);
    if (!split)
        return parse(file.bytes, file.where);
    auto proto = parse(std::as_bytes(std::span(split->message)), file.where);
    if (!proto)
        return parse(file.bytes, file.where);
    file.apart = std::move(split->apart);
    return proto;
}

template <class Proto>
Opsets opsetsOf(const Proto &proto)
{
    Opsets opsets;
    for (const auto &opset : proto.opset_import())
        opsets.emplace(domainOf(opset.domain()), opset.version());
    return opsets;
}

Result<Opsets> modelOpsets(const ModelProto &proto, const SourceRange &where)
{
    Opsets opsets = opsetsOf(proto);
    if (opsets.empty())
        return Diagnostic::error(Code::MalformedModel, where, "the model names no operator set");
    return opsets;
}

Initializer initializerOf(const TensorProto &tensor, const ModelFile &file)
{
    auto stored = readStored(tensor, file);
    if (stored)
        return {tensor.name(), std::move(stored->value), stored->narrow};
    return {tensor.name(), stored.failure()};
}

// All but the initializers, which are there.
void readGraph(const GraphProto &graph, const ModelFile &file, ModelGraph &model)
{
    std::set<std::string_view> initialized;
    for (const Initializer &initializer : model.initializers)
        initialized.insert(initializer.name);
    for (const ValueInfoProto &input : graph.input()) {
        if (!initialized.contains(input.name())) // up to IR version 3, inputs also list the initializers
            model.inputs.push_back(withNamedDimensions(valueInfoOf(input, file.where)));
    }
    for (const ValueInfoProto &output : graph.output())
        model.outputs.push_back(valueInfoOf(output, file.where));
    for (const NodeProto &node : graph.node())
        model.nodes.push_back(nodeOf(node, file));
}

Subgraph subgraphOf(const GraphProto &proto, const ModelFile &file)
{
    ModelGraph graph;
    graph.name = proto.name();
    for (const TensorProto &tensor : proto.initializer())
        graph.initializers.push_back(initializerOf(tensor, file));
    readGraph(proto, file, graph);
    return std::make_shared<const ModelGraph>(std::move(graph));
}

// The attributes of a function that have a default. The schema of Debian 12 does not know their field yet.
constexpr int kDefaultsField = 11;

template <class Proto>
std::vector<AttributeProto> defaultsOf(const Proto &proto)
{
    std::vector<AttributeProto> defaults;
    if constexpr (requires { proto.attribute_proto(); }) {
        defaults.assign(proto.attribute_proto().begin(), proto.attribute_proto().end());
    } else {
        const auto &unknown = proto.GetReflection()->GetUnknownFields(proto);
        for (int i = 0; i < unknown.field_count(); ++i) {
            const auto &field = unknown.field(i);
            if (field.number() == kDefaultsField && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
                if (AttributeProto attribute; attribute.ParseFromString(field.length_delimited()))
                    defaults.push_back(std::move(attribute));
        }
    }
    return defaults;
}

ModelFunction functionOf(const FunctionProto &proto, const ModelFile &file)
{
    ModelFunction function;
    function.name = proto.name();
    function.domain = domainOf(proto.domain());
    function.opsets = opsetsOf(proto);
    for (const std::string &name : proto.input())
        function.inputs.push_back({.name = name});
    for (const std::string &name : proto.output())
        function.outputs.push_back({.name = name});
    for (const AttributeProto &attribute : defaultsOf(proto))
        function.defaults.push_back({attribute.name(), valueOf(attribute, file)});
    for (const NodeProto &node : proto.node())
        function.nodes.push_back(nodeOf(node, file));
    return function;
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

Result<Model> readModel(const ModelBytes &from, const std::stop_token &stop)
{
    const SourceRange where{.file = from.fileName};
    ModelFile file{where, std::make_shared<ExternalFiles>(from.folder), from.bytes, from.mapped};
    SW_TRY(ModelProto proto, parseSplit(file));
    Model model;
    model.name = proto.graph().name();
    model.producer = proto.producer_name();
    if (!proto.producer_version().empty())
        model.producer += " " + proto.producer_version();
    for (const StringStringEntryProto &entry : proto.metadata_props())
        if (entry.key() == "license" || entry.key() == "licence" ||
            entry.key() == "model_license") // as ONNX's list of keys has it
            model.licence = entry.value();
    SW_TRY(model.opsets, modelOpsets(proto, where));
    if (proto.graph().sparse_initializer_size() != 0)
        return Diagnostic::error(Code::Unsupported, where, "the model has {} sparse initializers, which are not supported",
                                 proto.graph().sparse_initializer_size());
    for (const FunctionProto &function : proto.functions())
        model.functions.push_back(functionOf(function, file));
    // Each tensor leaves the message when it is read, so that elements are in memory only once.
    for (TensorProto &tensor : *proto.mutable_graph()->mutable_initializer()) {
        if (stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "the import was cancelled");
        const TensorProto taken = std::exchange(tensor, TensorProto());
        model.initializers.push_back(initializerOf(taken, file));
    }
    readGraph(proto.graph(), file, model);
    model.repeatedNames = resolveRepeatedNames(model);
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
