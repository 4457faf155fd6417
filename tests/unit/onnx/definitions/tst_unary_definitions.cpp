// Operators of one element of one operand, in the types and versions that they have.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sw::test {

namespace {

constexpr double kPi = std::numbers::pi;

struct Unary {
    const char *op;
    std::int64_t opset;
    double (*value)(double);
    double low = -6; // of the operand
    double high = 6;
};

double roundEven(double x)
{
    const double down = std::floor(x);
    if (x - down != 0.5)
        return std::floor(x + 0.5);
    return std::fmod(down, 2) == 0 ? down : down + 1;
}

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

const Unary kUnary[] = {
    {"Abs", 6, [](double x) { return std::abs(x); }},
    {"Acos", 7, [](double x) { return std::acos(x); }, -1, 1},
    {"Acosh", 9, [](double x) { return std::acosh(x); }, 1, 8},
    {"Asin", 7, [](double x) { return std::asin(x); }, -1, 1},
    {"Asinh", 9, [](double x) { return std::asinh(x); }},
    {"Atan", 7, [](double x) { return std::atan(x); }},
    {"Atanh", 9, [](double x) { return std::atanh(x); }, -0.75, 0.75},
    {"Ceil", 1, [](double x) { return std::ceil(x); }},
    {"Cos", 7, [](double x) { return std::cos(x); }},
    {"Cosh", 9, [](double x) { return std::cosh(x); }, -4, 4},
    {"Erf", 9, [](double x) { return std::erf(x); }},
    {"Exp", 1, [](double x) { return std::exp(x); }, -4, 4},
    {"Floor", 1, [](double x) { return std::floor(x); }},
    {"HardSwish", 14, [](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); }},
    {"Identity", 1, [](double x) { return x; }},
    {"Log", 1, [](double x) { return std::log(x); }, 0.25, 9},
    {"Mish", 18, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"Neg", 6, [](double x) { return -x; }},
    {"Reciprocal", 1, [](double x) { return 1 / x; }, 0.25, 9},
    {"Relu", 1, [](double x) { return std::max(x, 0.0); }},
    {"Round", 11, roundEven},
    {"Sigmoid", 1, sigmoid},
    {"Sign", 9, [](double x) { return x > 0   ? 1.0
                                      : x < 0 ? -1.0
                                              : 0.0; }},
    {"Sin", 7, [](double x) { return std::sin(x); }},
    {"Sinh", 9, [](double x) { return std::sinh(x); }, -4, 4},
    {"Softplus", 1, [](double x) { return std::log1p(std::exp(x)); }},
    {"Softsign", 1, [](double x) { return x / (1 + std::abs(x)); }},
    {"Sqrt", 1, [](double x) { return std::sqrt(x); }, 0, 9},
    {"Tan", 7, [](double x) { return std::tan(x); }, -1.25, 1.25},
    {"Tanh", 1, [](double x) { return std::tanh(x); }},
};

// With attributes: alpha, beta, and which of them the operator has.
struct Activation {
    const char *op;
    std::int64_t opset;
    const char *first;
    double firstDefault;
    const char *second;
    double secondDefault;
    double (*value)(double x, double a, double b);
};
const Activation kActivations[] = {
    {"Celu", 12, "alpha", 1, "", 0,
     [](double x, double a, double) { return std::max(0.0, x) + std::min(0.0, a * (std::exp(x / a) - 1)); }},
    {"Elu", 1, "alpha", 1, "", 0, [](double x, double a, double) { return x < 0 ? a * (std::exp(x) - 1) : x; }},
    {"HardSigmoid", 1, "alpha", 0.2, "beta", 0.5,
     [](double x, double a, double b) { return std::max(0.0, std::min(1.0, a * x + b)); }},
    {"LeakyRelu", 1, "alpha", 0.01, "", 0, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {"Selu", 6, "alpha", 1.67326319217681884765625, "gamma", 1.05070102214813232421875,
     [](double x, double a, double g) { return x > 0 ? g * x : g * (a * std::exp(x) - a); }},
    {"Shrink", 9, "lambd", 0.5, "bias", 0, [](double x, double l, double b) { return x < -l  ? x + b
                                                                                     : x > l ? x - b
                                                                                             : 0.0; }},
    {"Swish", 24, "alpha", 1, "", 0, [](double x, double a, double) { return x * sigmoid(a * x); }},
    {"ThresholdedRelu", 10, "alpha", 1, "", 0, [](double x, double a, double) { return x > a ? x : 0.0; }},
};

Numbers inRange(Draw &draw, const Unary &unary, Places extents, DType dtype)
{
    Numbers x = draw.numbers(std::move(extents), dtype, 6);
    for (double &element : x.elements)
        element = std::clamp(element, unary.low, unary.high);
    return x;
}

Numbers applied(const Numbers &x, double (*value)(double))
{
    Numbers y = x;
    for (double &element : y.elements)
        element = value(element);
    return y;
}

} // namespace

TEST(OperatorDefinitions, ofOneOperand)
{
    for (const Unary &unary : kUnary)
        checkDefinition(
            [&](Draw &draw) {
                const Numbers x = inRange(draw, unary, draw.extents(0, 4, draw.chance(10) ? 0 : 1), draw.floatType());
                return Drawn{.text = {.node = {.op = unary.op}, .opset = draw.number(unary.opset, 27)},
                             .inputs = {x},
                             .outputs = {applied(x, unary.value)}};
            },
            12);
}

TEST(OperatorDefinitions, ofOneOperandKeepIntegers)
{
    for (const char *op : {"Abs", "Neg", "Sign", "Relu", "Identity"})
        checkDefinition(
            [&](Draw &draw) {
                const Unary &unary = *std::ranges::find_if(kUnary, [&](const Unary &each) { return each.op == std::string(op); });
                const DType dtype = draw.oneOf({DType::I8, DType::I16, DType::I32, DType::I64});
                const Numbers x = draw.numbers(draw.extents(0, 3), dtype, 100);
                return Drawn{.text = {.node = {.op = op}, .opset = draw.number(14, 27)},
                             .inputs = {x},
                             .outputs = {applied(x, unary.value)}};
            },
            10);
}

TEST(OperatorDefinitions, ofActivations)
{
    for (const Activation &activation : kActivations)
        checkDefinition(
            [&](Draw &draw) {
                Drawn drawn{.text = {.node = {.op = activation.op}, .opset = draw.number(activation.opset, 27)}};
                double a = activation.firstDefault;
                double b = activation.secondDefault;
                const auto attribute = [&](const char *name, double &value) {
                    if (*name == 0 || draw.chance(40))
                        return;
                    value = static_cast<double>(draw.number(1, 8)) / 4;
                    drawn.text.node.attributes.push_back(numberAttribute(name, static_cast<float>(value)));
                    drawn.note += format("{} {} ", name, value);
                };
                attribute(activation.first, a);
                attribute(activation.second, b);
                const DType dtype = std::string_view(activation.op) == "Celu" ? DType::F32 : draw.floatType();
                drawn.inputs = {draw.numbers(draw.extents(0, 4), dtype)};
                Numbers y = drawn.inputs[0];
                for (double &element : y.elements)
                    element = activation.value(element, a, b);
                drawn.outputs = {y};
                return drawn;
            },
            20);
}

TEST(OperatorDefinitions, ofIsInfAndIsNan)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.oneOf({DType::F32, DType::F64, DType::F16, DType::BF16});
        Numbers x = draw.numbers(draw.extents(0, 3), dtype);
        for (double &element : x.elements)
            element = draw.oneOf<double>({element, element, INFINITY, -INFINITY, NAN});
        const bool isNan = draw.chance(40);
        const bool positive = draw.chance(60);
        const bool negative = draw.chance(60);
        Drawn drawn{.text = {.node = {.op = isNan ? "IsNaN" : "IsInf"}, .opset = draw.number(20, 27)}, .inputs = {x}};
        if (!isNan)
            drawn.text.node.attributes = {integerAttribute("detect_positive", positive ? 1 : 0),
                                          integerAttribute("detect_negative", negative ? 1 : 0)};
        Numbers y{x.extents, x.elements, DType::Bool};
        for (double &element : y.elements)
            element = isNan                  ? (std::isnan(element) ? 1 : 0)
                      : !std::isinf(element) ? 0
                                             : ((element > 0 ? positive : negative) ? 1 : 0);
        drawn.outputs = {y};
        return drawn;
    });
}

TEST(OperatorDefinitions, ofGelu)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 3), draw.floatType());
        const bool isTanh = draw.chance(50);
        Drawn drawn{.text = {.node = {.op = "Gelu"}, .opset = draw.number(20, 27)}, .inputs = {x}, .outputs = {x}};
        if (isTanh)
            drawn.text.node.attributes = {textAttribute("approximate", "tanh")};
        for (double &e : drawn.outputs[0].elements)
            e = isTanh ? 0.5 * e * (1 + std::tanh(std::sqrt(2 / kPi) * (e + 0.044715 * e * e * e)))
                       : 0.5 * e * (1 + std::erf(e / std::sqrt(2.0)));
        return drawn;
    });
}

} // namespace sw::test
