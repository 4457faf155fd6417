#include "engine/onnx/refused_operators.h"

namespace sw::onnx {

namespace {

constexpr std::string_view kStrings = "strings: the graph has numbers only";
constexpr std::string_view kRandom = "ONNX leaves open which random values it gives, so no result would be right";
constexpr std::string_view kPictures = "it decodes the files of pictures: give it the decoded picture";
constexpr std::string_view kMaps = "it maps keys to values: the graph has tensors only";
constexpr std::string_view kOptional =
    "a value that may be absent is resolved while importing, and this makes one that the run would have";

constexpr RefusedOperator kRefused[] = {
    {"Bernoulli", kRandom},
    {"ImageDecoder", kPictures},
    {"Multinomial", kRandom},
    {"Optional", kOptional},
    {"RandomNormal", kRandom},
    {"RandomNormalLike", kRandom},
    {"RandomUniform", kRandom},
    {"RandomUniformLike", kRandom},
    {"RegexFullMatch", kStrings},
    {"StringConcat", kStrings},
    {"StringNormalizer", kStrings},
    {"StringSplit", kStrings},
    {"ai.onnx.ml.CastMap", kMaps},
    {"ai.onnx.ml.CategoryMapper", kStrings},
    {"ai.onnx.ml.DictVectorizer", kMaps},
    {"ai.onnx.ml.ZipMap", kMaps},
};

} // namespace

std::span<const RefusedOperator> refusedOperators()
{
    return kRefused;
}

std::string_view whyRefused(std::string_view domain, std::string_view name)
{
    for (const RefusedOperator &row : kRefused) {
        const std::size_t dot = row.name.rfind('.');
        const bool isOwn = dot == std::string_view::npos;
        if (row.name.substr(isOwn ? 0 : dot + 1) == name && domain == (isOwn ? std::string_view() : row.name.substr(0, dot)))
            return row.reason;
    }
    return {};
}

} // namespace sw::onnx
