#pragma once
// An ONNX model in plain structs: what the importer works on, free of protocol buffer types.

#include "engine/base/result.h"
#include "engine/types/host_tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sw::onnx {

// Some exporters write it for a dimension that is not known.
inline constexpr std::int64_t kOpenExtent = -1;

struct Dimension {
    std::int64_t extent = kOpenExtent;
    std::string symbol; // "batch_size" of an open one; may be empty for outputs, for inputs "x.0" stands in
};

[[nodiscard]] inline bool isOpen(const Dimension &dimension)
{
    return dimension.extent == kOpenExtent;
}

struct ValueInfo {
    std::string name;
    bool isTensor = false;
    Result<DType> dtype = DType::F32; // or why the element type cannot be used
    std::optional<std::vector<Dimension>> shape = {};
};

// A subgraph of a control-flow operator; none of those is imported, so only its presence matters.
struct Subgraph {};

using AttributeValue = std::variant<std::monostate, float, std::int64_t, std::string, Result<HostTensor>, std::vector<float>,
                                    std::vector<std::int64_t>, std::vector<std::string>, Subgraph>;

struct Attribute {
    std::string name;
    AttributeValue value;
};

struct ModelNode {
    std::string name; // may be empty
    std::string op;
    std::string domain;                    // empty: ONNX's own
    std::vector<std::string> inputs = {};  // an empty name: an optional input that is left out
    std::vector<std::string> outputs = {}; // likewise
    std::vector<Attribute> attributes = {};
};

struct Initializer {
    std::string name;
    Result<HostTensor> value; // or why it cannot be used
};

struct Model {
    std::string name;
    std::string producer;
    std::map<std::string, std::int64_t> opsets; // by domain
    std::vector<ValueInfo> inputs;              // those with an initializer of the same name left out
    std::vector<ValueInfo> outputs;
    std::vector<Initializer> initializers;
    std::vector<ModelNode> nodes;
    std::vector<std::string> functions; // names of the operators that the model itself defines
};

} // namespace sw::onnx
