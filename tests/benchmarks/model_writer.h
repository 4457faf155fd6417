#pragma once
// Writes ONNX models with random weights, to measure what the test models do not have.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace sw::benchmark {

using Extents = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

// A graph, node by node; each value has a name of its own.
class ModelWriter {
public:
    explicit ModelWriter(std::uint64_t seed);
    ~ModelWriter();
    ModelWriter(ModelWriter &&) noexcept;
    ModelWriter &operator=(ModelWriter &&) = delete;
    ModelWriter(const ModelWriter &) = delete;
    ModelWriter &operator=(const ModelWriter &) = delete;

    std::string input(const std::string &name, const Extents &extents); // of f32
    // Names what the node that was made last gives, and makes it an output of the model.
    void output(const std::string &name, const Extents &extents, std::size_t output = 0);

    // Uniform, so that sums over `fanIn` elements keep the size of what they are of.
    std::string weights(const Extents &extents, std::int64_t fanIn);
    std::string numbers(const Extents &extents, const std::vector<float> &values);
    std::string places(const Extents &values);                         // a list of i64
    std::string places(const Extents &extents, const Extents &values); // of a shape

    Names node(const std::string &operation, const Names &inputs, std::size_t outputs = 1);
    std::string one(const std::string &operation, const Names &inputs) { return node(operation, inputs).front(); }

    // Of the node that was made last.
    void attribute(const std::string &name, std::int64_t value);
    void attribute(const std::string &name, const Extents &values);
    void attribute(const std::string &name, const std::string &value);

    // The file, the model.onnx in a folder of this name among the system's temporary ones. Errors: it cannot be written.
    [[nodiscard]] Result<std::string> written(const std::string &name) const;

private:
    std::string constant(const Extents &extents, int type, const void *data, std::size_t bytes);
    std::string nextName();

    std::unique_ptr<::onnx::ModelProto> m_model;
    ::onnx::NodeProto *m_node = nullptr;
    std::uint64_t m_seed;
    std::size_t m_names = 0;
};

} // namespace sw::benchmark
