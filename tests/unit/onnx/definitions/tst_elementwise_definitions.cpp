// Operators of one element of each of several operands, in the types and versions that they have.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

Numbers applied(const Numbers &x, double (*value)(double))
{
    Numbers y = x;
    for (double &element : y.elements)
        element = value(element);
    return y;
}

// a and b of one type that broadcast to each other.
struct Pair {
    Numbers a;
    Numbers b;
    Places whole;
};
Pair pairOf(Draw &draw, DType dtype, int reach = 6)
{
    const Places extents = draw.extents(0, 4, draw.chance(10) ? 0 : 1);
    Numbers a = draw.numbers(extents, dtype, reach);
    Numbers b = draw.numbers(draw.broadcastTo(extents), dtype, reach);
    if (draw.chance(50))
        std::swap(a, b);
    Places whole = broadcastOf(a.extents, b.extents);
    return {std::move(a), std::move(b), std::move(whole)};
}

DType anyInteger(Draw &draw)
{
    return draw.oneOf({DType::I32, DType::I64, DType::I8, DType::I16, DType::U8, DType::U16, DType::U32, DType::U64});
}

DType anyNumber(Draw &draw)
{
    return draw.chance(50) ? draw.floatType() : anyInteger(draw);
}

struct Binary {
    const char *op;
    std::int64_t opset;
    double (*value)(double, double);
    bool givesBool = false;
    bool hasIntegers = true;
    bool hasFloats = true;
    bool hasBools = false;
};

const Binary kBinary[] = {
    {.op = "Add", .opset = 7, .value = [](double a, double b) { return a + b; }},
    {.op = "Sub", .opset = 7, .value = [](double a, double b) { return a - b; }},
    {.op = "Mul", .opset = 7, .value = [](double a, double b) { return a * b; }},
    {.op = "Max", .opset = 12, .value = [](double a, double b) { return std::max(a, b); }},
    {.op = "Min", .opset = 12, .value = [](double a, double b) { return std::min(a, b); }},
    {.op = "Equal",
     .opset = 11,
     .value = [](double a, double b) { return a == b ? 1.0 : 0.0; },
     .givesBool = true,
     .hasBools = true},
    {.op = "Greater", .opset = 9, .value = [](double a, double b) { return a > b ? 1.0 : 0.0; }, .givesBool = true},
    {.op = "GreaterOrEqual", .opset = 12, .value = [](double a, double b) { return a >= b ? 1.0 : 0.0; }, .givesBool = true},
    {.op = "Less", .opset = 9, .value = [](double a, double b) { return a < b ? 1.0 : 0.0; }, .givesBool = true},
    {.op = "LessOrEqual", .opset = 12, .value = [](double a, double b) { return a <= b ? 1.0 : 0.0; }, .givesBool = true},
    {.op = "And",
     .opset = 7,
     .value = [](double a, double b) { return a * b; },
     .givesBool = true,
     .hasIntegers = false,
     .hasFloats = false,
     .hasBools = true},
    {.op = "Or",
     .opset = 7,
     .value = [](double a, double b) { return std::max(a, b); },
     .givesBool = true,
     .hasIntegers = false,
     .hasFloats = false,
     .hasBools = true},
    {.op = "Xor",
     .opset = 7,
     .value = [](double a, double b) { return a == b ? 0.0 : 1.0; },
     .givesBool = true,
     .hasIntegers = false,
     .hasFloats = false,
     .hasBools = true},
    {.op = "BitwiseAnd",
     .opset = 18,
     .value = [](double a, double b) { return static_cast<double>(static_cast<std::int64_t>(a) & static_cast<std::int64_t>(b)); },
     .hasFloats = false},
    {.op = "BitwiseOr",
     .opset = 18,
     .value = [](double a, double b) { return static_cast<double>(static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b)); },
     .hasFloats = false},
    {.op = "BitwiseXor",
     .opset = 18,
     .value = [](double a, double b) { return static_cast<double>(static_cast<std::int64_t>(a) ^ static_cast<std::int64_t>(b)); },
     .hasFloats = false},
};

DType typeFor(Draw &draw, const Binary &binary)
{
    if (binary.hasBools && (draw.chance(20) || (!binary.hasIntegers && !binary.hasFloats)))
        return DType::Bool;
    if (binary.hasIntegers && (draw.chance(50) || !binary.hasFloats))
        return anyInteger(draw);
    return draw.floatType();
}

} // namespace

TEST(OperatorDefinitions, ofTwoOperands)
{
    for (const Binary &binary : kBinary)
        checkDefinition([&](Draw &draw) {
            const DType dtype = typeFor(draw, binary);
            const Pair pair = pairOf(draw, dtype, isUnsigned(dtype) ? 3 : 6);
            const Numbers y = computed(pair.whole, binary.givesBool ? DType::Bool : dtype, [&](const Places &at) {
                return binary.value(pair.a.broadcastAt(at), pair.b.broadcastAt(at));
            });
            return Drawn{.text = {.node = {.op = binary.op}, .opset = draw.number(std::max<std::int64_t>(binary.opset, 18), 27)},
                         .inputs = {pair.a, pair.b},
                         .outputs = {y}};
        });
}

// Integers round towards zero.
TEST(OperatorDefinitions, ofDiv)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = anyNumber(draw);
        Pair pair = pairOf(draw, dtype, 20);
        for (double &element : pair.b.elements)
            element = element == 0 ? 3 : element;
        const Numbers y = computed(pair.whole, dtype, [&](const Places &at) {
            const double quotient = pair.a.broadcastAt(at) / pair.b.broadcastAt(at);
            return isInteger(dtype) ? std::trunc(quotient) : quotient;
        });
        return Drawn{.text = {.node = {.op = "Div"}, .opset = draw.number(14, 27)}, .inputs = {pair.a, pair.b}, .outputs = {y}};
    });
}

// fmod 0 has the divisor's sign, fmod 1 the dividend's.
TEST(OperatorDefinitions, ofMod)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = anyNumber(draw);
        const bool isTruncating = isFloat(dtype) || draw.chance(50);
        Pair pair = pairOf(draw, dtype, 20);
        for (double &element : pair.b.elements)
            element = element == 0 ? 3 : element;
        const Numbers y = computed(pair.whole, dtype, [&](const Places &at) {
            const double a = pair.a.broadcastAt(at);
            const double b = pair.b.broadcastAt(at);
            const double rest = std::fmod(a, b);
            return !isTruncating && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
        });
        Drawn drawn{.text = {.node = {.op = "Mod"}, .opset = draw.number(13, 27)}, .inputs = {pair.a, pair.b}, .outputs = {y}};
        if (isTruncating)
            drawn.text.node.attributes = {integerAttribute("fmod", 1)};
        return drawn;
    });
}

// The result has the type of the base.
TEST(OperatorDefinitions, ofPow)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.oneOf({DType::F32, DType::F64, DType::F16, DType::I32, DType::I64});
        const DType exponent = draw.oneOf({DType::F32, DType::I32, DType::I64, DType::U8});
        Pair pair = pairOf(draw, DType::I32, 3);
        pair.a.dtype = dtype;
        pair.b.dtype = exponent;
        for (double &element : pair.b.elements)
            element = std::abs(element);
        const Numbers y = computed(pair.whole, dtype,
                                   [&](const Places &at) { return std::pow(pair.a.broadcastAt(at), pair.b.broadcastAt(at)); });
        return Drawn{.text = {.node = {.op = "Pow"}, .opset = draw.number(13, 27)}, .inputs = {pair.a, pair.b}, .outputs = {y}};
    });
}

// Before opset 7 the second operand fits into the first, whose axis `axis` is its first one, and only where broadcast is 1.
TEST(OperatorDefinitions, ofTwoOperandsBeforeOpset7)
{
    struct Old {
        const char *op;
        double (*value)(double, double);
        bool givesBool = false;
        DType dtype = DType::F32;
    };
    const Old kOld[] = {{"Add", [](double a, double b) { return a + b; }},
                        {"Sub", [](double a, double b) { return a - b; }},
                        {"Mul", [](double a, double b) { return a * b; }},
                        {"Div", [](double a, double b) { return a / b; }},
                        {"Pow", [](double a, double b) { return std::pow(a, b); }},
                        {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }, true},
                        {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }, true},
                        {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }, true, DType::I32},
                        {"And", [](double a, double b) { return a * b; }, true, DType::Bool},
                        {"Or", [](double a, double b) { return std::max(a, b); }, true, DType::Bool},
                        {"Xor", [](double a, double b) { return a == b ? 0.0 : 1.0; }, true, DType::Bool}};
    for (const Old &old : kOld)
        checkDefinition([&](Draw &draw) {
            const Places extents = draw.extents(0, 4);
            const std::int64_t rank = static_cast<std::int64_t>(extents.size());
            const std::int64_t first = draw.number(0, rank);
            const std::int64_t last = draw.number(first, rank);
            const bool isWhole = draw.chance(30);
            Numbers from = draw.numbers(extents, old.dtype, 3);
            Numbers b = draw.numbers(isWhole ? extents : Places(extents.begin() + first, extents.begin() + last), old.dtype, 3);
            if (isFloat(old.dtype)) { // a power of a positive number, and no division by 0
                for (double &element : b.elements)
                    element = std::abs(element) + 1;
                for (double &element : from.elements)
                    element = std::abs(element) + 0.25;
            }
            Drawn drawn{.text = {.node = {.op = old.op}, .opset = draw.number(1, 6)}, .inputs = {from, b}};
            const bool isFromEnd = !isWhole && last == rank && draw.chance(50);
            if (!isWhole)
                drawn.text.node.attributes = {integerAttribute("broadcast", 1)};
            if (!isWhole && !isFromEnd && first < rank)
                drawn.text.node.attributes.push_back(integerAttribute("axis", first));
            const std::int64_t start = isWhole ? 0 : first < rank || last == first ? first : rank - (last - first);
            drawn.note = format("axis {} ", start);
            drawn.outputs = {computed(extents, old.givesBool ? DType::Bool : DType::F32, [&](const Places &at) {
                const Places inner(at.begin() + start, at.begin() + start + static_cast<std::ptrdiff_t>(b.rank()));
                return old.value(from.at(at), b.at(inner));
            })};
            return drawn;
        });
}

TEST(OperatorDefinitions, ofManyOperands)
{
    struct Variadic {
        const char *op;
        double (*combine)(double, double);
    };
    const Variadic kVariadic[] = {{"Sum", [](double a, double b) { return a + b; }},
                                  {"Mean", [](double a, double b) { return a + b; }},
                                  {"Max", [](double a, double b) { return std::max(a, b); }},
                                  {"Min", [](double a, double b) { return std::min(a, b); }}};
    for (const Variadic &variadic : kVariadic)
        checkDefinition([&](Draw &draw) {
            const DType dtype = draw.floatType();
            const std::int64_t count = draw.number(1, 4);
            const Places extents = draw.extents(0, 3);
            Drawn drawn{.text = {.node = {.op = variadic.op}, .opset = draw.number(13, 27)}};
            Places whole = {};
            for (std::int64_t i = 0; i < count; ++i) {
                drawn.inputs.push_back(draw.numbers(draw.broadcastTo(extents), dtype));
                whole = broadcastOf(whole, drawn.inputs.back().extents);
            }
            drawn.outputs = {computed(whole, dtype, [&](const Places &at) {
                double total = drawn.inputs[0].broadcastAt(at);
                for (std::size_t i = 1; i < drawn.inputs.size(); ++i)
                    total = variadic.combine(total, drawn.inputs[i].broadcastAt(at));
                return std::string_view(variadic.op) == "Mean" ? total / static_cast<double>(count) : total;
            })};
            return drawn;
        });
}

TEST(OperatorDefinitions, ofNotAndBits)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 3), DType::Bool);
        return Drawn{.text = {.node = {.op = "Not"}, .opset = draw.number(1, 27)},
                     .inputs = {x},
                     .outputs = {applied(x, [](double each) { return 1 - each; })}};
    });
    checkDefinition([](Draw &draw) {
        const DType dtype = anyInteger(draw);
        const Numbers x = draw.numbers(draw.extents(0, 3), dtype, 100);
        const double bits = std::pow(2.0, infoOf(dtype).bits);
        Numbers y = x;
        for (double &element : y.elements)
            element = isSigned(dtype) ? -element - 1 : bits - 1 - element;
        if (dtype == DType::U64)
            y = x, y.dtype = DType::U32;
        const Numbers from = dtype == DType::U64 ? Numbers{x.extents, x.elements, DType::U32} : x;
        if (dtype == DType::U64)
            for (double &element : y.elements)
                element = 4294967295.0 - element;
        return Drawn{.text = {.node = {.op = "BitwiseNot"}, .opset = 18}, .inputs = {from}, .outputs = {y}};
    });
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.oneOf({DType::U8, DType::U16, DType::U32, DType::U64});
        const bool isLeft = draw.chance(50);
        Pair pair = pairOf(draw, dtype, 7);
        const double limit = std::pow(2.0, std::min(infoOf(dtype).bits, 32U));
        const Numbers y = computed(pair.whole, dtype, [&](const Places &at) {
            const double shift = std::pow(2.0, pair.b.broadcastAt(at));
            return isLeft ? std::fmod(pair.a.broadcastAt(at) * shift, limit) : std::floor(pair.a.broadcastAt(at) / shift);
        });
        return Drawn{.text = {.node = {.op = "BitShift", .attributes = {textAttribute("direction", isLeft ? "LEFT" : "RIGHT")}},
                              .opset = draw.number(11, 27)},
                     .inputs = {pair.a, pair.b},
                     .outputs = {y}};
    });
}

// The bounds may be left out, or be in the wrong order: then the upper one holds.
TEST(OperatorDefinitions, ofClip)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = anyNumber(draw);
        const Numbers x = draw.numbers(draw.extents(0, 3), dtype);
        const Numbers low = numberOf(static_cast<double>(draw.number(0, 3)), dtype);
        const Numbers high = numberOf(static_cast<double>(draw.number(1, 5)), dtype);
        const bool hasLow = draw.chance(70);
        const bool hasHigh = draw.chance(70);
        Drawn drawn{.text = {.node = {.op = "Clip", .inputs = {"x0"}}, .opset = draw.number(12, 27)}, .inputs = {x}};
        if (hasLow) {
            drawn.text.node.inputs.push_back("x1");
            drawn.inputs.push_back(low);
        }
        if (hasHigh) {
            if (!hasLow)
                drawn.text.node.inputs.emplace_back();
            drawn.text.node.inputs.push_back(format("x{}", drawn.inputs.size()));
            drawn.inputs.push_back(high);
        }
        Numbers y = x;
        for (double &element : y.elements) {
            element = hasLow ? std::max(element, low.elements[0]) : element;
            element = hasHigh ? std::min(element, high.elements[0]) : element;
        }
        drawn.outputs = {y};
        return drawn;
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 3));
        Drawn drawn{.text = {.node = {.op = "Clip"}, .opset = draw.number(1, 10)}, .inputs = {x}, .outputs = {x}};
        if (draw.chance(60)) {
            drawn.text.node.attributes.push_back(numberAttribute("min", -1.5F));
            for (double &element : drawn.outputs[0].elements)
                element = std::max(element, -1.5);
        }
        if (draw.chance(60)) {
            drawn.text.node.attributes.push_back(numberAttribute("max", 2));
            for (double &element : drawn.outputs[0].elements)
                element = std::min(element, 2.0);
        }
        return drawn;
    });
}

TEST(OperatorDefinitions, ofPRelu)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I32, DType::I64});
        const Numbers x = draw.numbers(draw.extents(1, 4), dtype);
        const Numbers slope = draw.numbers(draw.broadcastTo(x.extents), dtype, 3);
        return Drawn{.text = {.node = {.op = "PRelu"}, .opset = draw.number(9, 27)},
                     .inputs = {x, slope},
                     .outputs = {computed(x.extents, dtype, [&](const Places &at) {
                         return x.at(at) < 0 ? x.at(at) * slope.broadcastAt(at) : x.at(at);
                     })}};
    });
}

TEST(OperatorDefinitions, ofWhere)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.chance(20) ? DType::Bool : anyNumber(draw);
        const Places extents = draw.extents(0, 4);
        const Numbers condition = draw.numbers(draw.broadcastTo(extents), DType::Bool);
        const Numbers a = draw.numbers(draw.broadcastTo(extents), dtype);
        const Numbers b = draw.numbers(draw.broadcastTo(extents), dtype);
        return Drawn{
            .text = {.node = {.op = "Where"}, .opset = draw.number(9, 27)},
            .inputs = {condition, a, b},
            .outputs = {computed(broadcastOf(broadcastOf(condition.extents, a.extents), b.extents), dtype, [&](const Places &at) {
                return condition.broadcastAt(at) != 0 ? a.broadcastAt(at) : b.broadcastAt(at);
            })}};
    });
}

} // namespace sw::test
