#include "tests/benchmarks/block_models.h"

#include "engine/types/random_fill.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <utility>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::benchmark {

namespace {

using ::onnx::AttributeProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;
using Extents = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

constexpr std::int64_t kOpset = 20; // the first one that has Gelu

// Writes a graph node by node; each value has the name of its place.
class ModelWriter {
public:
    explicit ModelWriter(std::uint64_t seed) : m_seed(seed)
    {
        m_model.set_ir_version(9);
        m_model.add_opset_import()->set_version(kOpset);
        m_model.mutable_graph()->set_name("block");
    }

    std::string input(const std::string &name, const Extents &extents)
    {
        describe(*m_model.mutable_graph()->add_input(), name, extents);
        return name;
    }

    void output(const std::string &name, const Extents &extents)
    {
        describe(*m_model.mutable_graph()->add_output(), name, extents);
    }

    // Uniform, so that sums over `fanIn` elements keep the size of what they are of.
    std::string weights(const Extents &extents, std::int64_t fanIn)
    {
        const double scale = std::sqrt(3.0 / static_cast<double>(fanIn));
        const HostTensor values = uniformTensor(DType::F32, Shape(extents), m_seed++, -scale, scale);
        return constant(extents, TensorProto::FLOAT, values.bytes().data(), values.bytes().size());
    }

    std::string numbers(const Extents &extents, const std::vector<float> &values)
    {
        return constant(extents, TensorProto::FLOAT, values.data(), values.size() * sizeof(float));
    }

    std::string places(const Extents &values)
    {
        return constant({static_cast<std::int64_t>(values.size())}, TensorProto::INT64, values.data(),
                        values.size() * sizeof(std::int64_t));
    }

    // The node's first outputs.
    Names node(const std::string &operation, const Names &inputs, std::size_t outputs = 1)
    {
        m_node = m_model.mutable_graph()->add_node();
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

    std::string one(const std::string &operation, const Names &inputs) { return node(operation, inputs).front(); }

    // Of the node that was made last.
    void attribute(const std::string &name, std::int64_t value)
    {
        AttributeProto &made = *m_node->add_attribute();
        made.set_name(name);
        made.set_type(AttributeProto::INT);
        made.set_i(value);
    }

    void attribute(const std::string &name, const Extents &values)
    {
        AttributeProto &made = *m_node->add_attribute();
        made.set_name(name);
        made.set_type(AttributeProto::INTS);
        for (const std::int64_t value : values)
            made.add_ints(value);
    }

    // Renames what the node that was made last gives.
    void call(const std::string &name, int output = 0) { m_node->set_output(output, name); }

    Result<std::string> written(const std::string &name) const
    {
        const std::filesystem::path folder = std::filesystem::temp_directory_path() / "stepwell-blocks" / name;
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        const std::filesystem::path file = folder / "model.onnx";
        std::ofstream out(file, std::ios::binary);
        if (!out || !m_model.SerializeToOstream(&out))
            return Diagnostic::error(Code::File, {.file = file}, "cannot be written");
        return file.string();
    }

private:
    std::string nextName() { return format("v{}", m_names++); }

    static void describe(ValueInfoProto &value, const std::string &name, const Extents &extents)
    {
        value.set_name(name);
        auto &type = *value.mutable_type()->mutable_tensor_type();
        type.set_elem_type(TensorProto::FLOAT);
        for (const std::int64_t extent : extents)
            type.mutable_shape()->add_dim()->set_dim_value(extent);
    }

    std::string constant(const Extents &extents, TensorProto::DataType type, const void *data, std::size_t bytes)
    {
        TensorProto &tensor = *m_model.mutable_graph()->add_initializer();
        tensor.set_name(nextName());
        tensor.set_data_type(type);
        for (const std::int64_t extent : extents)
            tensor.add_dims(extent);
        tensor.set_raw_data(data, bytes);
        return tensor.name();
    }

    ModelProto m_model;
    NodeProto *m_node = nullptr;
    std::uint64_t m_seed;
    std::size_t m_names = 0;
};

std::string linear(ModelWriter &model, const std::string &x, std::int64_t from, std::int64_t to)
{
    const std::string product = model.one("MatMul", {x, model.weights({from, to}, from)});
    return model.one("Add", {product, model.weights({to}, to)});
}

std::string normalized(ModelWriter &model, const std::string &x, std::int64_t width)
{
    return model.one("LayerNormalization", {x, model.weights({width}, 1), model.weights({width}, width)});
}

ModelWriter gptBlock(std::uint64_t seed)
{
    constexpr std::int64_t kPlaces = 256;
    constexpr std::int64_t kWidth = 512;
    constexpr std::int64_t kHeads = 8;
    constexpr std::int64_t kHeadWidth = kWidth / kHeads;
    ModelWriter model(seed);
    const std::string x = model.input("x", {1, kPlaces, kWidth});
    const std::string together = linear(model, normalized(model, x, kWidth), kWidth, 3 * kWidth);
    const Names parts = model.node("Split", {together, model.places({kWidth, kWidth, kWidth})}, 3);
    model.attribute("axis", 2);
    const auto heads = [&](const std::string &part, const Extents &order) {
        const std::string apart = model.one("Reshape", {part, model.places({1, kPlaces, kHeads, kHeadWidth})});
        std::string moved = model.one("Transpose", {apart});
        model.attribute("perm", order);
        return moved;
    };
    const std::string keys = heads(parts[1], {0, 2, 3, 1});
    const std::string products = model.one("MatMul", {heads(parts[0], {0, 2, 1, 3}), keys});
    const std::string scores = model.one("Mul", {products, model.numbers({1}, {1 / std::sqrt(static_cast<float>(kHeadWidth))})});
    std::vector<float> mask(static_cast<std::size_t>(kPlaces * kPlaces), 0);
    for (std::int64_t row = 0; row < kPlaces; ++row)
        for (std::int64_t column = row + 1; column < kPlaces; ++column)
            mask[static_cast<std::size_t>(row * kPlaces + column)] = -std::numeric_limits<float>::infinity();
    const std::string masked = model.one("Add", {scores, model.numbers({1, 1, kPlaces, kPlaces}, mask)});
    const std::string shares = model.one("Softmax", {masked});
    model.attribute("axis", -1);
    const std::string seen = model.one("MatMul", {shares, heads(parts[2], {0, 2, 1, 3})});
    const std::string back = model.one("Transpose", {seen});
    model.attribute("perm", Extents{0, 2, 1, 3});
    const std::string joined = model.one("Reshape", {back, model.places({1, kPlaces, kWidth})});
    const std::string attended = model.one("Add", {x, linear(model, joined, kWidth, kWidth)});
    const std::string wide = linear(model, normalized(model, attended, kWidth), kWidth, 4 * kWidth);
    const std::string narrow = linear(model, model.one("Gelu", {wide}), 4 * kWidth, kWidth);
    model.one("Add", {attended, narrow});
    model.call("y");
    model.output("y", {1, kPlaces, kWidth});
    return model;
}

ModelWriter mobileNetBlock(std::uint64_t seed)
{
    constexpr std::int64_t kChannels = 64;
    constexpr std::int64_t kWide = 384;
    constexpr std::int64_t kSide = 56;
    ModelWriter model(seed);
    const std::string x = model.input("x", {1, kChannels, kSide, kSide});
    const auto convolved = [&](const std::string &from, const Extents &kernels, std::int64_t groups, std::int64_t padding) {
        const std::string w = model.weights(kernels, kernels[1] * kernels[2] * kernels[3]);
        std::string made = model.one("Conv", {from, w, model.weights({kernels[0]}, kernels[0])});
        model.attribute("group", groups);
        model.attribute("pads", Extents(4, padding));
        return made;
    };
    const auto limited = [&](const std::string &from) {
        return model.one("Clip", {from, model.numbers({}, {0}), model.numbers({}, {6})});
    };
    const std::string wide = limited(convolved(x, {kWide, kChannels, 1, 1}, 1, 0));
    const std::string mixed = limited(convolved(wide, {kWide, 1, 3, 3}, kWide, 1));
    model.one("Add", {x, convolved(mixed, {kChannels, kWide, 1, 1}, 1, 0)});
    model.call("y");
    model.output("y", {1, kChannels, kSide, kSide});
    return model;
}

ModelWriter transposedConvolution(std::uint64_t seed)
{
    constexpr std::int64_t kChannels = 128;
    constexpr std::int64_t kOutputs = 64;
    constexpr std::int64_t kSide = 28;
    ModelWriter model(seed);
    const std::string x = model.input("x", {1, kChannels, kSide, kSide});
    const std::string w = model.weights({kChannels, kOutputs, 4, 4}, kChannels * 4);
    model.one("ConvTranspose", {x, w, model.weights({kOutputs}, kOutputs)});
    model.attribute("strides", Extents{2, 2});
    model.attribute("pads", Extents{1, 1, 1, 1});
    model.call("y");
    model.output("y", {1, kOutputs, 2 * kSide, 2 * kSide});
    return model;
}

ModelWriter product(std::uint64_t seed, std::int64_t size)
{
    ModelWriter model(seed);
    model.one("MatMul", {model.input("x", {size, size}), model.weights({size, size}, size)});
    model.call("y");
    model.output("y", {size, size});
    return model;
}

ModelWriter lstmStep(std::uint64_t seed)
{
    constexpr std::int64_t kUnits = 512;
    ModelWriter model(seed);
    const std::string x = model.input("x", {1, 1, kUnits});
    const std::string h = model.input("h", {1, 1, kUnits});
    const std::string c = model.input("c", {1, 1, kUnits});
    const std::string w = model.weights({1, 4 * kUnits, kUnits}, kUnits);
    const std::string r = model.weights({1, 4 * kUnits, kUnits}, kUnits);
    model.node("LSTM", {x, w, r, model.weights({1, 8 * kUnits}, kUnits), "", h, c}, 3);
    model.attribute("hidden_size", kUnits);
    model.call("y");
    model.call("next_h", 1);
    model.call("next_c", 2);
    model.output("y", {1, 1, 1, kUnits});
    model.output("next_h", {1, 1, kUnits});
    model.output("next_c", {1, 1, kUnits});
    return model;
}

} // namespace

Result<std::vector<std::string>> writtenBlockModels(std::uint64_t seed)
{
    std::vector<std::string> files;
    for (const auto &[name, model] : {std::pair<const char *, ModelWriter>{"gpt_block", gptBlock(seed)},
                                      {"mobilenet_block", mobileNetBlock(seed)},
                                      {"transposed_convolution", transposedConvolution(seed)},
                                      {"product_256", product(seed, 256)},
                                      {"product_512", product(seed, 512)},
                                      {"product_1024", product(seed, 1024)},
                                      {"product_2048", product(seed, 2048)},
                                      {"lstm_step", lstmStep(seed)}}) {
        SW_TRY(std::string file, model.written(name));
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace sw::benchmark
