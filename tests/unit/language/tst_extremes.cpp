// Every function of the library on every float type at its extremes, against the same function in f64.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace sw::test {
namespace {

using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kFloats = {DType::F8E5M2, DType::F8E4M3, DType::F16, DType::BF16, DType::F32, DType::F64};

// The distance from 1 to the next number.
double epsilonOf(DType type)
{
    const auto bits = Scalar::of(type, 1.0).bits();
    return Scalar::fromBits(type, bits + 1).asDouble() - 1;
}

double largestOf(DType type)
{
    return largestFiniteOf(type).asDouble();
}

double smallestOf(DType type)
{
    return Scalar::fromBits(type, 1).asDouble();
}

Values roundedTo(DType type, Values values)
{
    for (double &value : values)
        value = Scalar::of(type, value).asDouble();
    return values;
}

Values mapped(Values values, const std::function<double(double)> &function)
{
    std::ranges::transform(values, values.begin(), function);
    return values;
}

std::string literal(double value)
{
    return std::isnan(value) ? "nan" : std::isinf(value) ? (value < 0 ? "-inf" : "inf") : format("{:.17e}", value);
}

Values resultOf(DType type, const Values &x, std::string_view expression)
{
    const std::string list = join(x, ", ", [](double value) { return literal(value); });
    const std::vector<HostTensor> outputs =
        runText(format("const x: {}[{}] = [{}]\noutput {}\n", nameOf(type), x.size(), list, expression));
    EXPECT_EQ(outputs.size(), 1U) << expression;
    Values values;
    for (std::int64_t i = 0; !outputs.empty() && i < outputs.front().elements(); ++i)
        values.push_back(outputs.front().at(i).asDouble());
    return values;
}

// One place of the type from what is right, and as many of the type that is computed in as the case says; the size of what was
// added up counts where the case says it does.
void expectClose(DType type, const Values &found, const Values &right, double places, const Values &sizes,
                 const std::string &what, const Values &operands = {})
{
    ASSERT_EQ(found.size(), right.size()) << what;
    const double wide = epsilonOf(type == DType::F64 ? DType::F64 : DType::F32);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double expected = Scalar::of(type, right[i]).asDouble();
        const bool isSame = found[i] == expected || (std::isnan(found[i]) && std::isnan(expected));
        const double size = std::max(std::abs(right[i]), sizes.empty() ? 0.0 : sizes[i]);
        const double allowed = epsilonOf(type) * std::abs(right[i]) + places * wide * size +
                               smallestOf(type) * std::max(1.0, operands.empty() ? 0.0 : operands[i]);
        EXPECT_TRUE(isSame || std::abs(found[i] - right[i]) <= allowed)
            << what << " of " << nameOf(type) << ", element " << i << ": found " << found[i] << ", expected " << right[i];
    }
}

// ---- functions of one element

struct ElementCase {
    std::string_view name;
    std::string_view expression;
    double (*right)(double);
    double (*slope)(double);
    bool isAbsolute = false; // the error is one of the operand's size
};

double sigmoidOf(double x)
{
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double normalOf(double x)
{
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double tanhGelu(double x)
{
    const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return std::abs(x) > 40 ? std::max(x, 0.0) : 0.5 * x * (1 + std::tanh(inner));
}

const std::array kElementCases = {
    ElementCase{"sigmoid", "sigmoid(x)", sigmoidOf, [](double x) { return sigmoidOf(x) * sigmoidOf(-x); }},
    ElementCase{"silu", "silu(x)", [](double x) { return x == -kInfinity ? 0 : x * sigmoidOf(x); },
                [](double x) { return sigmoidOf(x) + (std::isinf(x) ? 0 : x * sigmoidOf(x) * sigmoidOf(-x)); }},
    ElementCase{"softplus", "softplus(x)",
                [](double x) { return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }, sigmoidOf},
    ElementCase{"log1p", "log1p(x)", [](double x) { return std::log1p(x); }, nullptr},
    ElementCase{"expm1", "expm1(x)", [](double x) { return std::expm1(x); }, [](double x) { return std::exp(x); }},
    ElementCase{"elu", "elu(x)", [](double x) { return x > 0 ? x : std::expm1(x); },
                [](double x) { return x > 0 ? 1 : std::exp(x); }},
    ElementCase{"leaky_relu", "leaky_relu(x)", [](double x) { return x > 0 ? x : x * 0.01; },
                [](double x) { return x > 0 ? 1 : 0.01; }},
    ElementCase{"gelu", "gelu(x)", [](double x) { return std::isinf(x) ? std::max(x, 0.0) : x * normalOf(x); },
                [](double x) { return normalOf(x) + (std::isinf(x) ? 0 : x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI)); },
                true},
    ElementCase{"gelu", "gelu(x, approximate = \"tanh\")", tanhGelu, nullptr, true},
    ElementCase{"clamp", "clamp(x, -2, 3)", [](double x) { return std::isnan(x) ? x : std::clamp(x, -2.0, 3.0); }, nullptr},
};

Values extremesOf(DType type)
{
    Values values = {0.0, -0.0, kInfinity, -kInfinity, kNan};
    const double tiny = smallestOf(type);
    for (const double size : {tiny,
                              tiny * 8,
                              epsilonOf(type),
                              1e-3,
                              0.03,
                              0.25,
                              0.75,
                              1.0,
                              2.5,
                              5.0,
                              9.0,
                              11.0,
                              12.5,
                              15.0,
                              17.0,
                              30.0,
                              88.0,
                              89.5,
                              104.0,
                              400.0,
                              710.0,
                              745.0,
                              1e4,
                              1e10,
                              1e20,
                              largestOf(type) / 2,
                              largestOf(type)}) {
        values.push_back(size);
        values.push_back(-size);
    }
    return roundedTo(type, values);
}

TEST(LanguageExtremes, functionsOfElementsAreStable)
{
    for (const DType type : kFloats) {
        const Values x = extremesOf(type);
        for (const ElementCase &function : kElementCases) {
            Values right;
            Values sizes;
            for (const double value : x) {
                right.push_back(function.right(value));
                sizes.push_back(function.isAbsolute && std::isfinite(value) ? std::abs(value) : 0);
            }
            const Values operands = mapped(x, [](double value) { return std::isfinite(value) ? std::abs(value) : 1; });
            expectClose(type, resultOf(type, x, function.expression), right, 6, sizes, std::string(function.expression),
                        operands);
        }
    }
}

TEST(LanguageExtremes, slopesOfElementsAreFiniteWhereTheyAre)
{
    for (const DType type : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
        Values x = extremesOf(type);
        std::erase_if(x, [](double value) { return std::isnan(value); });
        for (const ElementCase &function : kElementCases) {
            const Values found = resultOf(type, x, format("grad(sum({}), x)", function.expression));
            if (function.slope == nullptr) {
                for (std::size_t i = 0; i < x.size(); ++i)
                    EXPECT_TRUE(!std::isnan(found[i]) || function.name == "log1p") << function.expression << " at " << x[i];
                continue;
            }
            Values right;
            for (const double value : x)
                right.push_back(function.slope(value));
            expectClose(type, found, right, 40, Values(x.size(), 1), format("the slope of {}", function.expression));
        }
    }
}

// ---- functions of rows

struct RowCase {
    std::string_view name;
    std::string_view expression;
    std::function<Values(const Values &)> right;
    double places = 8;
    bool squares = false;    // in the type that is computed in: its largest numbers overflow there
    bool isAbsolute = false; // the error is one of the largest element's size
};

double maximumOf(const Values &x)
{
    double most = -kInfinity;
    for (const double value : x)
        most = std::isnan(value) || std::isnan(most) ? kNan : std::max(most, value);
    return most;
}

double meanOf(const Values &x)
{
    long double total = 0;
    for (const double value : x)
        total += value;
    return static_cast<double>(total / static_cast<long double>(x.size()));
}

double varianceOf(const Values &x)
{
    const double middle = meanOf(x);
    Values squares;
    for (const double value : x)
        squares.push_back((value - middle) * (value - middle));
    return meanOf(squares);
}

double logSumOf(const Values &x)
{
    const double most = maximumOf(x);
    if (!std::isfinite(most))
        return most;
    double total = 0;
    for (const double value : x)
        total += std::exp(value - most);
    return most + std::log(total);
}

Values logSoftmaxOf(const Values &x)
{
    const double most = maximumOf(x);
    Values shifted;
    for (const double value : x)
        shifted.push_back(value - most);
    const double total = logSumOf(shifted);
    Values out;
    for (const double value : shifted)
        out.push_back(std::isfinite(most) ? value - total : kNan);
    return out;
}

Values layerNormOf(const Values &x)
{
    const double middle = meanOf(x);
    const double scale = std::sqrt(varianceOf(x) + 1e-5);
    return mapped(x, [&](double value) { return (value - middle) / scale; });
}

Values rmsNormOf(const Values &x)
{
    const double scale = std::sqrt(meanOf(mapped(x, [](double value) { return value * value; })) + 1e-5);
    return mapped(x, [&](double value) { return value / scale; });
}

// The first place, counted from the front; NaN is the most extreme.
double placeOf(const Values &x, double sign)
{
    std::size_t best = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!std::isnan(x[best]) && (std::isnan(x[i]) || sign * x[i] > sign * x[best]))
            best = i;
    return static_cast<double>(best);
}

const std::vector<RowCase> &rowCases()
{
    static const std::vector<RowCase> kCases = {
        {"softmax", "softmax(x)",
         [](const Values &x) { return mapped(logSoftmaxOf(x), [](double value) { return std::exp(value); }); }, 200},
        {"log_softmax", "log_softmax(x)", logSoftmaxOf, 8, false, true},
        {"logsumexp", "logsumexp(x)", [](const Values &x) { return Values{logSumOf(x)}; }, 8, false, true},
        {"mean", "mean(x)", [](const Values &x) { return Values{meanOf(x)}; }, 8, false, true},
        {"var", "var(x)", [](const Values &x) { return Values{varianceOf(x)}; }, 16, true},
        {"std", "std(x)", [](const Values &x) { return Values{std::sqrt(varianceOf(x))}; }, 16, true},
        {"layer_norm", "layer_norm(x)", layerNormOf, 40, true},
        {"rms_norm", "rms_norm(x)", rmsNormOf, 16, true},
        {"mse", "mse(x, -x)",
         [](const Values &x) { return Values{4 * meanOf(mapped(x, [](double value) { return value * value; }))}; }, 16, true},
        {"all", "cast(all(x), x.dtype)",
         [](const Values &x) { return Values{std::ranges::all_of(x, [](double value) { return value != 0; }) ? 1.0 : 0.0}; }},
        {"any", "cast(any(x), x.dtype)",
         [](const Values &x) { return Values{std::ranges::any_of(x, [](double value) { return value != 0; }) ? 1.0 : 0.0}; }},
        {"argmax", "cast(argmax(x), x.dtype)", [](const Values &x) { return Values{placeOf(x, 1)}; }},
        {"first_place", "cast(first_place(x, max(x)), x.dtype)", [](const Values &x) { return Values{placeOf(x, 1)}; }},
        {"argmin", "cast(argmin(x), x.dtype)", [](const Values &x) { return Values{placeOf(x, -1)}; }},
        {"cross_entropy", "cross_entropy(x.reshape([1, -1]), vconst([1]))",
         [](const Values &x) { return Values{-logSoftmaxOf(x)[1]}; }, 8, false, true},
        {"max_pool2d", "max_pool2d(x.reshape([1, 1, 1, -1]), [1, x.size], stride = 1, padding = [0, 1])[0, 0, 0, 1]",
         [](const Values &x) { return Values{maximumOf(Values(x.begin() + 0, x.end()))}; }},
        {"avg_pool2d", "avg_pool2d(x.reshape([1, 1, 1, -1]), [1, x.size])", [](const Values &x) { return Values{meanOf(x)}; }, 8,
         false, true},
        {"batch_norm", "batch_norm(x.reshape([1, -1]), zeros([3], x.dtype), abs(x), epsilon = 0.0009765625)",
         [](const Values &x) { return mapped(x, [](double v) { return v / std::sqrt(std::abs(v) + 0x1p-10); }); }},
        {"matmul", "x @ x",
         [](const Values &x) {
             return Values{meanOf(mapped(x, [](double v) { return v * v; })) * static_cast<double>(x.size())};
         },
         16, true},
        {"linear", "linear(x, x.reshape([-1, 1]), zeros([1], x.dtype))",
         [](const Values &x) {
             return Values{meanOf(mapped(x, [](double v) { return v * v; })) * static_cast<double>(x.size())};
         },
         16, true},
        {"conv2d", "conv2d(x.reshape([1, 1, 1, -1]), x.reshape([1, 1, 1, -1]))",
         [](const Values &x) {
             return Values{meanOf(mapped(x, [](double v) { return v * v; })) * static_cast<double>(x.size())};
         },
         16, true},
        {"attention", "attention(x.reshape([-1, 1]), x.reshape([-1, 1]), ones([x.size, 1], x.dtype))",
         [](const Values &x) { return Values(x.size(), 1); }, 16, true},
    };
    return kCases;
}

std::vector<Values> rowsOf(DType type, bool squares)
{
    const double largest = largestOf(type);
    const double narrow = largestOf(DType::F16);
    // What the sums of the type that is computed in still hold.
    const double most = squares && largest > narrow ? (type == DType::F64 ? 1e150 : 1e18)
                        : largest > narrow          ? largest / 8
                                                    : largest;
    std::vector<Values> rows = {{0, 0, 0},        {-0.0, 0, -0.0},      {1, 2, 3},           {most, most, most},
                                {most, -most, 0}, {-most, -most, most}, {most, most / 2, 1}, {12, -12, 0},
                                {300, -300, 200}, {1e-3, 2e-3, -1e-3},  {0.5, 0.25, 0},      {-90, -91, -100},
                                {kNan, 1, 2}};
    const double tiny = smallestOf(type);
    if (!squares) // there a third of them rounds away
        rows.push_back({tiny, -tiny, tiny});
    for (Values &row : rows)
        row = roundedTo(type, row);
    return rows;
}

TEST(LanguageExtremes, functionsOfRowsAreStable)
{
    for (const DType type : kFloats) {
        for (const RowCase &function : rowCases()) {
            for (const Values &x : rowsOf(type, function.squares)) {
                const bool hasNan = std::ranges::any_of(x, [](double v) { return std::isnan(v); });
                if (hasNan && (function.name == "attention" || function.name == "max_pool2d"))
                    continue;
                const Values right = function.right(x);
                double size = 0;
                for (const double value : x)
                    size = std::max(size, std::isfinite(value) ? std::abs(value) : 0);
                const Values sizes(right.size(), function.isAbsolute ? size : 0);
                expectClose(type, resultOf(type, x, function.expression), right, function.places, sizes,
                            format("{} of [{}]", function.expression, join(x, ", ", literal)));
            }
        }
    }
}

TEST(LanguageExtremes, infiniteScores)
{
    for (const DType type : {DType::F8E5M2, DType::F16, DType::BF16, DType::F32, DType::F64}) {
        const Values none(3, -kInfinity);
        const Values one = {0, -kInfinity, kInfinity};
        const Values some = {0, -kInfinity, 0};
        EXPECT_EQ(resultOf(type, none, "logsumexp(x)"), (Values{-kInfinity}));
        EXPECT_EQ(resultOf(type, none, "logsumexp(x, keepdims = true)"), (Values{-kInfinity}));
        EXPECT_EQ(resultOf(type, one, "logsumexp(x)"), (Values{kInfinity}));
        EXPECT_EQ(resultOf(type, some, "softmax(x)"), (Values{0.5, 0, 0.5}));
        EXPECT_EQ(resultOf(type, some, "log_softmax(x)")[1], -kInfinity);
        EXPECT_EQ(resultOf(type, some, "grad(logsumexp(x), x)"), (Values{0.5, 0, 0.5}));
        // Shares of nothing, and of what is infinite, are not defined.
        EXPECT_TRUE(std::ranges::all_of(resultOf(type, none, "softmax(x)"), [](double v) { return std::isnan(v); }));
        EXPECT_TRUE(std::isnan(resultOf(type, one, "softmax(x)")[2]));
    }
}

TEST(LanguageExtremes, slopesOfRowsAreFinite)
{
    for (const DType type : {DType::F16, DType::F32}) {
        for (const std::string_view value :
             {"softmax(x)", "log_softmax(x)", "logsumexp(x)", "layer_norm(x)", "rms_norm(x)", "mean(x)", "var(x)",
              "mse(x, x * 0.5)", "cross_entropy(x.reshape([1, -1]), vconst([1]))"}) {
            for (const Values &x : rowsOf(type, true)) {
                if (std::isnan(x[0]))
                    continue;
                for (const double slope : resultOf(type, x, format("grad(sum({} * 0.5), x)", value)))
                    EXPECT_FALSE(std::isnan(slope)) << value << " of [" << join(x, ", ", literal) << "], " << nameOf(type);
            }
        }
    }
}

// What moves elements keeps their bits; the rest does not depend on the values of floats, or is made of functions above.
constexpr std::array<std::string_view, 29> kElsewhere = {
    "acos",        "acosh",     "asin",       "asinh",         "atan",         "atanh",       "cosh",
    "sinh",        "tan", // tst_trigonometry.cpp

    "causal_mask", "distances", "embedding",  "expand_dims",   "feed_forward", "flatten",     "multi_head_attention",
    "one_hot",     "pad2d",     "pair",       "split",         "split_heads",  "squeeze",     "stack",
    "scan",        "swapaxes",  "while_loop", "window_counts", "windows2d",    "written_scan"};

TEST(LanguageExtremes, haveACaseForEveryFunctionOfTheLibrary)
{
    for (const auto &entry : std::filesystem::directory_iterator(resourceFolder() / "library")) {
        if (entry.path().extension() != ".sw")
            continue;
        const std::string name = entry.path().stem().string();
        const bool isShown = std::ranges::find(kElementCases, name, &ElementCase::name) != kElementCases.end() ||
                             std::ranges::find(rowCases(), name, &RowCase::name) != rowCases().end();
        EXPECT_NE(isShown, std::ranges::find(kElsewhere, name) != kElsewhere.end()) << name;
    }
}

TEST(LanguageExtremes, movedElementsKeepTheirBits)
{
    for (const DType type : kFloats) {
        Values x = extremesOf(type);
        x.resize(x.size() - x.size() % 4);
        for (const std::string_view expression :
             {"swapaxes(swapaxes(x.reshape([4, -1]), 0, 1), 0, 1)", "expand_dims(x, 0)", "squeeze(x.reshape([1, -1]))",
              "flatten(x)", "stack([x])", "cat(split(x, 2))", "pad2d(x.reshape([1, -1]), 0)",
              "pad2d(x.reshape([1, 1, -1]), [1, 0], nan)[:, 1]", "windows2d(x.reshape([1, 1, 1, -1]), 1)",
              "embedding(x.reshape([-1, 1]), arange(x.size))", "swapaxes(split_heads(x.reshape([2, -1]), 2), 0, 1)"}) {
            const Values found = resultOf(type, x, format("reshape({}, [-1])", expression));
            ASSERT_EQ(found.size(), x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const bool isSame = found[i] == x[i] && std::signbit(found[i]) == std::signbit(x[i]);
                EXPECT_TRUE(isSame || (std::isnan(found[i]) && std::isnan(x[i]))) << expression << " at " << x[i];
            }
        }
    }
}

// ---- integers: as if they were f32

TEST(LanguageExtremes, integersAreComputedInFloats)
{
    struct Row {
        DType type;
        Values x;
    };
    const std::vector<Row> rows = {{DType::U8, {0, 5, 255}},
                                   {DType::I8, {-128, 5, 127}},
                                   {DType::U16, {0, 3, 65535}},
                                   {DType::I16, {-32768, 2, 32767}},
                                   {DType::I32, {-2147483648.0, -3, 2147483647}},
                                   {DType::U32, {0, 9, 4294967295.0}},
                                   {DType::I64, {-4e18, 7, 4e18}},
                                   {DType::U64, {0, 7, 1e19}}};
    const auto resultOfIntegers = [](const Row &row, std::string_view expression) {
        const std::string list = join(row.x, ", ", [](double value) { return format("{:.0f}", value); });
        const std::vector<HostTensor> outputs =
            runText(format("const x: {}[3] = [{}]\noutput {}\n", nameOf(row.type), list, expression));
        EXPECT_EQ(outputs.at(0).dtype(), DType::F32) << expression;
        Values values;
        for (std::int64_t i = 0; i < outputs.at(0).elements(); ++i)
            values.push_back(outputs.at(0).at(i).asDouble());
        return values;
    };
    for (const Row &row : rows) {
        for (const ElementCase &function : kElementCases) {
            if (function.name == "clamp" || function.name == "log1p")
                continue;
            const Values sizes = function.isAbsolute ? mapped(row.x, [](double value) { return std::abs(value); }) : Values();
            expectClose(DType::F32, resultOfIntegers(row, function.expression), mapped(row.x, function.right), 6, sizes,
                        format("{} of {}", function.expression, nameOf(row.type)));
        }
        for (const RowCase &function : rowCases()) {
            const std::array wanted = {"softmax", "log_softmax", "logsumexp", "mean", "var", "std", "layer_norm", "avg_pool2d"};
            if (std::ranges::find(wanted, function.name) == wanted.end())
                continue;
            const Values right = function.right(row.x);
            const double size = std::abs(row.x[0]) + std::abs(row.x[2]);
            expectClose(DType::F32, resultOfIntegers(row, function.expression), right, 16,
                        Values(right.size(), function.isAbsolute ? size : 1),
                        format("{} of {}", function.expression, nameOf(row.type)));
        }
    }
    // What differs by little is told apart, however large it is.
    EXPECT_EQ(valuesOf("const x: i32[4] = [2147483640, 2147483641, 2147483642, 2147483643]\noutput var(x)\n"), (Values{1.25}));
    EXPECT_EQ(valuesOf("const x: u32[2] = [4294967295, 4294967293]\noutput std(x)\n"), (Values{1}));
    EXPECT_EQ(valuesOf("output mean(full([200], 100, i8))\n"), (Values{100}));
    EXPECT_EQ(valuesOf("output mean(full([3], true))\n"), (Values{1}));
    EXPECT_EQ(valuesOf("output mse(vconst([0], u8), vconst([3], u8))\n"), (Values{9}));
    EXPECT_EQ(valuesOf("output mean(vconst([9223372036854775807, 9223372036854775807], i64))\n"), (Values{0x1p63}));
    EXPECT_EQ(valuesOf("output sum(full([200], 100, i8))\n"), (Values{32})); // a sum keeps its type, and wraps
    EXPECT_EQ(valuesOf("output max_pool2d(vconst([[[[-5, -7]]]], i8), [1, 2], padding = [0, 1])[0, 0, 0]\n"), (Values{-5, -7}));
}

} // namespace
} // namespace sw::test
