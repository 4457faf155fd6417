#include "tests/benchmarks/block_models.h"

#include "tests/benchmarks/model_writer.h"

#include <cmath>
#include <limits>
#include <utility>

namespace sw::benchmark {

namespace {

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
    model.output("y", {1, kOutputs, 2 * kSide, 2 * kSide});
    return model;
}

ModelWriter product(std::uint64_t seed, std::int64_t size)
{
    ModelWriter model(seed);
    model.one("MatMul", {model.input("x", {size, size}), model.weights({size, size}, size)});
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
    model.output("y", {1, 1, 1, kUnits});
    model.output("next_h", {1, 1, kUnits}, 1);
    model.output("next_c", {1, 1, kUnits}, 2);
    return model;
}

} // namespace

Result<std::vector<std::string>> writtenBlockModels(std::uint64_t seed)
{
    std::vector<std::pair<std::string, ModelWriter>> models;
    models.emplace_back("gpt_block", gptBlock(seed));
    models.emplace_back("mobilenet_block", mobileNetBlock(seed));
    models.emplace_back("transposed_convolution", transposedConvolution(seed));
    for (const std::int64_t size : {256, 512, 1024, 2048})
        models.emplace_back(format("product_{}", size), product(seed, size));
    models.emplace_back("lstm_step", lstmStep(seed));
    std::vector<std::string> files;
    for (const auto &[name, model] : models) {
        SW_TRY(std::string file, model.written(name));
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace sw::benchmark
