#include "tests/benchmarks/operator_models.h"

#include "tests/benchmarks/model_writer.h"

#include <functional>
#include <random>
#include <utility>

namespace sw::benchmark {

namespace {

// Adds the operator and its attributes; the model has the input x and gives y.
struct OperatorModel {
    const char *name;
    Extents from;
    Extents to;
    std::function<void(ModelWriter &, const std::string &x)> add;
};

Extents randomPlaces(std::size_t count, std::int64_t below)
{
    std::mt19937_64 random(1);
    Extents places(count);
    for (std::int64_t &place : places)
        place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
    return places;
}

void convolve(ModelWriter &model, const std::string &x, const Extents &kernels, const Extents &pads, std::int64_t dilation = 1,
              std::int64_t groups = 1)
{
    std::int64_t fanIn = 1;
    for (std::size_t i = 1; i < kernels.size(); ++i)
        fanIn *= kernels[i];
    model.one("Conv", {x, model.weights(kernels, fanIn)});
    model.attribute("pads", pads);
    model.attribute("dilations", Extents(kernels.size() - 2, dilation));
    model.attribute("group", groups);
}

void reduce(ModelWriter &model, const std::string &operation, const std::string &x, const Extents &axes)
{
    model.one(operation, {x, model.places(axes)});
    model.attribute("keepdims", 0);
}

std::vector<OperatorModel> spatialOperators()
{
    const Extents image{1, 64, 56, 56};
    return {
        {"conv_1d", {1, 64, 4096}, {1, 64, 4096}, [](auto &m, auto &x) { convolve(m, x, {64, 64, 9}, {4, 4}); }},
        {"conv_3d",
         {1, 16, 16, 32, 32},
         {1, 32, 16, 32, 32},
         [](auto &m, auto &x) { convolve(m, x, {32, 16, 3, 3, 3}, Extents(6, 1)); }},
        {"conv_dilated", image, image, [](auto &m, auto &x) { convolve(m, x, {64, 64, 3, 3}, Extents(4, 2), 2); }},
        {"conv_grouped", image, image, [](auto &m, auto &x) { convolve(m, x, {64, 8, 3, 3}, Extents(4, 1), 1, 8); }},
        {"max_pool",
         image,
         {1, 64, 28, 28},
         [](auto &m, auto &x) {
             m.one("MaxPool", {x});
             m.attribute("kernel_shape", Extents{3, 3});
             m.attribute("strides", Extents{2, 2});
             m.attribute("pads", Extents{1, 1, 0, 0});
         }},
        {"average_pool", image, image,
         [](auto &m, auto &x) {
             m.one("AveragePool", {x});
             m.attribute("kernel_shape", Extents{3, 3});
             m.attribute("pads", Extents(4, 1));
         }},
        {"global_average_pool", image, {1, 64, 1, 1}, [](auto &m, auto &x) { m.one("GlobalAveragePool", {x}); }},
        {"lrn", image, image,
         [](auto &m, auto &x) {
             m.one("LRN", {x});
             m.attribute("size", 5);
         }},
        {"instance_norm", image, image,
         [](auto &m, auto &x) { m.one("InstanceNormalization", {x, m.weights({64}, 1), m.weights({64}, 1)}); }},
        {"resize_linear",
         image,
         {1, 64, 112, 112},
         [](auto &m, auto &x) {
             m.one("Resize", {x, "", "", m.places({1, 64, 112, 112})});
             m.attribute("mode", std::string("linear"));
         }},
        {"resize_cubic",
         image,
         {1, 64, 112, 112},
         [](auto &m, auto &x) {
             m.one("Resize", {x, "", "", m.places({1, 64, 112, 112})});
             m.attribute("mode", std::string("cubic"));
         }},
        {"grid_sample", image, {1, 64, 56, 56}, [](auto &m, auto &x) { m.one("GridSample", {x, m.weights({1, 56, 56, 2}, 3)}); }},
        {"depth_to_space",
         image,
         {1, 16, 112, 112},
         [](auto &m, auto &x) {
             m.one("DepthToSpace", {x});
             m.attribute("blocksize", 2);
         }},
        {"pad_reflect",
         image,
         {1, 64, 60, 60},
         [](auto &m, auto &x) {
             m.one("Pad", {x, m.places({0, 0, 2, 2, 0, 0, 2, 2})});
             m.attribute("mode", std::string("reflect"));
         }},
    };
}

std::vector<OperatorModel> matrixOperators()
{
    const Extents matrix{1024, 1024};
    const auto byAxis = [](const char *operation, std::int64_t axis) {
        return [=](ModelWriter &m, const std::string &x) {
            m.one(operation, {x});
            m.attribute("axis", axis);
        };
    };
    return {
        {"transpose",
         {64, 128, 256},
         {256, 64, 128},
         [](auto &m, auto &x) {
             m.one("Transpose", {x});
             m.attribute("perm", Extents{2, 0, 1});
         }},
        {"softmax_first_axis", matrix, matrix, byAxis("Softmax", 0)},
        {"cumsum_rows", matrix, matrix, [](auto &m, auto &x) { m.one("CumSum", {x, m.places({}, {1})}); }},
        {"cumsum_columns", matrix, matrix, [](auto &m, auto &x) { m.one("CumSum", {x, m.places({}, {0})}); }},
        {"reduce_l2", matrix, {1024}, [](auto &m, auto &x) { reduce(m, "ReduceL2", x, {1}); }},
        {"reduce_log_sum_exp", matrix, {1024}, [](auto &m, auto &x) { reduce(m, "ReduceLogSumExp", x, {0}); }},
        {"reduce_prod", {32, 64, 512}, {32, 512}, [](auto &m, auto &x) { reduce(m, "ReduceProd", x, {1}); }},
        {"top_k", matrix, {1024, 8}, [](auto &m, auto &x) { m.node("TopK", {x, m.places({8})}, 2); }},
        {"gather_rows",
         {20000, 64},
         {4096, 64},
         [](auto &m, auto &x) { m.one("Gather", {x, m.places(randomPlaces(4096, 20000))}); }},
        {"gather_elements", matrix, matrix,
         [](auto &m, auto &x) { m.one("GatherElements", {x, m.places({1024, 1024}, randomPlaces(1024 * 1024, 1024))}); }},
        {"scatter_elements_add", matrix, matrix,
         [](auto &m, auto &x) {
             m.one("ScatterElements", {x, m.places({256, 1024}, randomPlaces(256 * 1024, 1024)), m.weights({256, 1024}, 1)});
             m.attribute("reduction", std::string("add"));
         }},
        {"scatter_nd",
         {20000, 64},
         {20000, 64},
         [](auto &m, auto &x) {
             m.one("ScatterND", {x, m.places({1024, 1}, randomPlaces(1024, 20000)), m.weights({1024, 64}, 1)});
         }},
        {"einsum",
         {16, 128, 64},
         {16, 128, 128},
         [](auto &m, auto &x) {
             m.one("Einsum", {x, m.weights({16, 128, 64}, 64)});
             m.attribute("equation", std::string("bik,bjk->bij"));
         }},
        {"pow", matrix, matrix, [](auto &m, auto &x) { m.one("Pow", {m.one("Abs", {x}), m.numbers({}, {1.7F})}); }},
        {"erf", matrix, matrix, [](auto &m, auto &x) { m.one("Erf", {x}); }},
        {"tanh", matrix, matrix, [](auto &m, auto &x) { m.one("Tanh", {x}); }},
        {"sin", matrix, matrix, [](auto &m, auto &x) { m.one("Sin", {x}); }},
        {"hard_swish", matrix, matrix, [](auto &m, auto &x) { m.one("HardSwish", {x}); }},
        {"where_greater", matrix, matrix,
         [](auto &m, auto &x) { m.one("Where", {m.one("Greater", {x, m.weights({1024}, 1)}), x, m.weights({1024, 1}, 1)}); }},
    };
}

} // namespace

Result<std::vector<std::string>> writtenOperatorModels(std::uint64_t seed)
{
    std::vector<std::string> files;
    for (const auto &operators : {spatialOperators(), matrixOperators()})
        for (const OperatorModel &one : operators) {
            ModelWriter model(seed);
            one.add(model, model.input("x", one.from));
            model.output("y", one.to);
            SW_TRY(std::string file, model.written(one.name));
            files.push_back(std::move(file));
        }
    return files;
}

} // namespace sw::benchmark
