#include "tests/unit/allocations/grown_programs.h"

#include "engine/api/resources.h"
#include "engine/base/text.h"
#include "engine/language/compile.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace sw::test {

namespace {

// Lines that each make the next value of the one before: v0, v1, ... The first one reads x, the last one is the output.
std::string oneAfterAnother(std::string declarations, std::size_t size,
                            const std::function<std::string(std::size_t, const std::string &)> &next)
{
    std::string text = std::move(declarations);
    std::string value = "x";
    for (std::size_t i = 0; i < size; ++i) {
        text += format("v{} = {}\n", i, next(i, value));
        value = format("v{}", i);
    }
    return text + format("output {}\n", value);
}

} // namespace

std::string chainText(std::size_t size)
{
    return oneAfterAnother("input x: f32[16]\n", size, [](std::size_t i, const std::string &value) {
        return format("{} {} x", value, i % 2 == 0 ? "+" : "*");
    });
}

std::string sumsText(std::size_t size)
{
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
        text += format("input x{}: f32[8, 16]\noutput sum{} = sum(x{} * x{}, axis = 1)\n", i, i, i, i);
    return text;
}

std::string readersText(std::size_t size)
{
    std::string text = "input x: f32[16]\nvalue = exp(x)\n";
    for (std::size_t i = 0; i < size; ++i)
        text += format("output reader{} = value * {}\n", i, i + 2);
    return text;
}

std::string equalText(std::size_t size)
{
    std::string text = "input x: f32[16]\n";
    for (std::size_t i = 0; i < size; ++i)
        text += format("same{} = exp(x)\noutput reader{} = same{} * {}\n", i, i, i, i + 2);
    return text;
}

std::string layersText(std::size_t size)
{
    std::string declarations = "input x: f32[8, 16]\n";
    for (std::size_t i = 0; i < size; ++i)
        declarations += format("input w{}: f32[16, 16]\n", i);
    return oneAfterAnother(std::move(declarations), size,
                           [](std::size_t i, const std::string &value) { return format("relu({} @ w{})", value, i); });
}

std::string viewsText(std::size_t size)
{
    const auto next = [](std::size_t i, const std::string &value) {
        return i % 2 == 0 ? format("reshape(permute(reshape({}, [2, 2, 4]), [1, 0, 2]), [4, 4])", value)
                          : format("reshape(permute(reshape({}, [4, 2, 2]), [0, 2, 1]), [4, 4])", value);
    };
    return oneAfterAnother("input x: f32[4, 4]\n", size, next);
}

std::string mixedViewsText(std::size_t size)
{
    return oneAfterAnother("input x: f32[4, 6]\n", size,
                           [](std::size_t, const std::string &value) { return format("reshape({}.T, [4, 6])", value); });
}

std::string sinesText(std::size_t size)
{
    return oneAfterAnother("input x: f32[256, 256]\n", size,
                           [](std::size_t, const std::string &value) { return format("sin({})", value); });
}

std::string lookupsText(std::size_t size)
{
    return oneAfterAnother("input at: i32[1024]\ninput x: f32[1024]\n", size,
                           [](std::size_t, const std::string &value) { return format("gather({}, at, axis = 0)", value); });
}

GraphPtr graphOf(const std::string &text)
{
    const std::filesystem::path library = std::filesystem::path(findResourceFolder()) / "library";
    ProgramResult made = compileProgram({.name = "grown.sw", .text = text, .folder = {}}, {library}, {});
    if (!made.graph)
        throw std::runtime_error(toText(made.diagnostics));
    return std::make_shared<const Graph>(std::move(*made.graph));
}

} // namespace sw::test
