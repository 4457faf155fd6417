// What prepares features for classical learning.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sw::test {

namespace {

OperatorText prepared(std::string op, std::vector<Message> attributes)
{
    return {.node = {.op = std::move(op), .attributes = std::move(attributes), .domain = "ai.onnx.ml"},
            .opset = 1,
            .domain = "ai.onnx.ml"};
}

} // namespace

TEST(FeatureDefinitions, ofNormalizer)
{
    checkDefinition([](Draw &draw) {
        Numbers x = draw.numbers({draw.number(1, 4), draw.number(1, 3)}, draw.oneOf({DType::F32, DType::F64, DType::I64}));
        for (std::int64_t i = 0; i < x.extents[1]; ++i)
            x.at({0, i}) = draw.chance(50) ? 0 : x.at({0, i});
        const std::string norm = draw.oneOf({"MAX", "L1", "L2"});
        return Drawn{.text = prepared("Normalizer", {textAttribute("norm", norm)}),
                     .inputs = {x},
                     .outputs = {computed(x.extents, DType::F32,
                                          [&](const Places &at) {
                                              double total = 0;
                                              for (std::int64_t i = 0; i < x.extents[1]; ++i) {
                                                  const double each = x.at({at[0], i});
                                                  total = norm == "MAX"  ? std::max(total, std::abs(each))
                                                          : norm == "L1" ? total + std::abs(each)
                                                                         : total + each * each;
                                              }
                                              const double by = norm == "L2" ? std::sqrt(total) : total;
                                              return by == 0 ? x.at(at) : x.at(at) / by;
                                          })},
                     .relative = 1e-5,
                     .note = norm};
    });
}

TEST(FeatureDefinitions, ofImputer)
{
    checkDefinition([](Draw &draw) {
        const bool isInteger = draw.chance(40);
        Numbers x = draw.numbers({draw.number(1, 4), draw.number(1, 4)}, isInteger ? DType::I64 : DType::F32, 1);
        const bool isNan = !isInteger && draw.chance(50);
        const double missing = isNan ? NAN : 1;
        for (double &element : x.elements)
            if (draw.chance(30))
                element = missing;
        const Numbers values = draw.numbers({draw.chance(50) ? 1 : x.extents[1]}, x.dtype);
        const Places whole(values.elements.begin(), values.elements.end());
        return Drawn{.text =
                         prepared("Imputer", {isInteger ? integersAttribute("imputed_value_int64s", whole)
                                                        : numbersAttribute("imputed_value_floats", values.elements),
                                              isInteger ? integerAttribute("replaced_value_int64", 1)
                                                        : numberAttribute("replaced_value_float", static_cast<float>(missing))}),
                     .inputs = {x},
                     .outputs = {computed(x.extents, x.dtype, [&](const Places &at) {
                         const double element = x.at(at);
                         return (isNan ? std::isnan(element) : element == missing) ? values.broadcastAt(at) : element;
                     })}};
    });
}

TEST(FeatureDefinitions, ofFeatureVectorizer)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t rows = draw.number(1, 4);
        std::vector<Numbers> inputs;
        Places widths;
        for (std::int64_t i = draw.number(1, 3); i > 0; --i) {
            const Places extents = draw.chance(20) ? Places{rows} : Places{rows, draw.number(1, 4)};
            inputs.push_back(draw.numbers(extents, draw.oneOf({DType::F32, DType::F64, DType::I64, DType::I32})));
            widths.push_back(draw.number(1, 4));
        }
        const Numbers y =
            computed({rows, std::accumulate(widths.begin(), widths.end(), std::int64_t{0})}, DType::F32, [&](const Places &at) {
                std::size_t input = 0;
                std::int64_t column = at[1];
                for (; column >= widths[input]; ++input)
                    column -= widths[input];
                const Numbers &x = inputs[input];
                const std::int64_t width = x.rank() == 1 ? 1 : x.extents[1];
                return column >= width ? 0 : x.elements[static_cast<std::size_t>(at[0] * width + column)];
            });
        return Drawn{.text = prepared("FeatureVectorizer", {integersAttribute("inputdimensions", widths)}),
                     .inputs = inputs,
                     .outputs = {y}};
    });
}

TEST(FeatureDefinitions, ofOneHotEncoder)
{
    checkDefinition([](Draw &draw) {
        const Numbers categories = draw.different({draw.number(1, 4)}, DType::I64);
        Numbers x = draw.numbers(draw.extents(1, 3), draw.oneOf({DType::I64, DType::I32, DType::F32, DType::F64}), 2);
        const bool hasOthers = draw.chance(60);
        if (!hasOthers)
            for (double &element : x.elements)
                element = categories.elements[static_cast<std::size_t>(draw.number(0, categories.count() - 1))];
        Places extents = x.extents;
        extents.push_back(categories.count());
        const Places list(categories.elements.begin(), categories.elements.end());
        return Drawn{.text = prepared("OneHotEncoder",
                                      {integersAttribute("cats_int64s", list), integerAttribute("zeros", hasOthers ? 1 : 0)}),
                     .inputs = {x},
                     .outputs = {computed(extents, DType::F32, [&](const Places &at) {
                         const double element = x.at(Places(at.begin(), at.end() - 1));
                         return element == categories.elements[static_cast<std::size_t>(at.back())] ? 1 : 0;
                     })}};
    });
}

} // namespace sw::test
