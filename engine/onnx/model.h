#pragma once
// An ONNX model in plain structs, which the importer uses so that it needs no protocol buffer types.

#include "engine/base/result.h"
#include "engine/onnx/onnx_types.h"
#include "engine/types/host_tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sw::onnx {

// Some exporters write it for an unknown dimension.
inline constexpr std::int64_t kOpenExtent = -1;

struct Dimension {
    std::int64_t extent = kOpenExtent;
    std::string symbol; // the name of an open dimension; may be empty for outputs; inputs use "x.0" where the file has no name
};

[[nodiscard]] inline bool isOpen(const Dimension &dimension)
{
    return dimension.extent == kOpenExtent;
}

struct ValueInfo {
    std::string name;
    bool isTensor = false;
    Result<DType> dtype = DType::F32; // or the reason why the element type cannot be used
    std::optional<std::vector<Dimension>> shape = {};
    Narrow narrow = Narrow::None;
};

struct ModelGraph;
// What a node of control flow repeats or chooses. Its nodes also read the values of the graphs around it.
using Subgraph = std::shared_ptr<const ModelGraph>;

// In a node of a function: the attribute of this name of the node that calls the function.
struct AttributeReference {
    std::string name;
};

using AttributeValue = std::variant<std::monostate, float, std::int64_t, std::string, Result<HostTensor>, std::vector<float>,
                                    std::vector<std::int64_t>, std::vector<std::string>, Subgraph, AttributeReference>;

struct Attribute {
    std::string name;
    AttributeValue value;
};

struct ModelNode {
    std::string name; // may be empty
    std::string op;
    std::string domain;                    // empty for ONNX's own domain
    std::vector<std::string> inputs = {};  // an empty name is an optional input that is left out
    std::vector<std::string> outputs = {}; // likewise
    std::vector<Attribute> attributes = {};
    std::vector<std::string> modules = {}; // around it, as far as the exporter says so apart from the name
};

struct Initializer {
    std::string name;
    Result<HostTensor> value; // or the reason why it cannot be used
    Narrow narrow = Narrow::None;
};

struct ModelGraph {
    std::string name;
    std::vector<ValueInfo> inputs; // without those that have an initializer of the same name
    std::vector<ValueInfo> outputs;
    std::vector<Initializer> initializers;
    std::vector<ModelNode> nodes;
};

using Opsets = std::map<std::string, std::int64_t>; // by domain

// An operator that the model defines itself. Its inputs and outputs have names and no types.
struct ModelFunction : ModelGraph {
    std::string domain;
    Opsets opsets;
    std::vector<Attribute> defaults; // of attributes that a caller may leave out
};

struct Model : ModelGraph {
    std::string producer;     // with its version
    std::string licence = {}; // as the model says; may be empty
    Opsets opsets;
    std::vector<ModelFunction> functions;
    std::vector<std::string> repeatedNames = {}; // of values that were defined more than once; the last definition has the name

    // Null if the model does not define the operator.
    [[nodiscard]] const ModelFunction *function(std::string_view domain, std::string_view op) const
    {
        for (const ModelFunction &each : functions)
            if (each.name == op && each.domain == domain)
                return &each;
        return nullptr;
    }
};

} // namespace sw::onnx
