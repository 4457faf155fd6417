// Several kernels in one OpenCL program: what they share is written once, and every kernel's lines keep their numbers.

#include "engine/backend/opencl/program_text.h"
#include "engine/backend/source/prelude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sw {
namespace {

constexpr std::string_view kHelpers = "### sw_one\n"
                                      "static inline int sw_one(void)\n"
                                      "{{\n"
                                      "    return 1;\n"
                                      "}}\n"
                                      "\n"
                                      "### sw_last\n"
                                      "static inline int sw_last(void)\n"
                                      "{{\n"
                                      "    return 2;\n"
                                      "}}\n";

RenderedSource kernelWith(const std::string &symbol, std::initializer_list<std::string_view> helpers)
{
    const PreludeTemplates templates(kHelpers);
    PreludeInstances used(templates);
    for (const std::string_view helper : helpers)
        used.use(helper, "", [](std::string_view name) { return std::string(name); });
    RenderedSource source;
    source.symbol = symbol;
    source.text = format("typedef int i32;\n\n{}\n__kernel void {}()\n{{\n}}\n", used.text(), symbol);
    return source;
}

std::size_t countOf(std::string_view part, std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST(ProgramText, definesSharedHelpersOnce)
{
    const RenderedSource a = kernelWith("a", {"sw_last", "sw_one"}); // the last of its file, with another one after it
    const RenderedSource b = kernelWith("b", {"sw_one", "sw_last"});
    const std::array<const RenderedSource *, 2> sources{&a, &b};
    const std::string text = combinedProgram(sources);
    EXPECT_EQ(countOf("int sw_one", text), 1U) << text;
    EXPECT_EQ(countOf("int sw_last", text), 1U) << text;
    EXPECT_EQ(countOf("typedef", text), 1U) << text;
    EXPECT_EQ(countOf("__kernel", text), 2U) << text;
}

TEST(ProgramText, keepsTheNumbersOfLines)
{
    const RenderedSource a = kernelWith("a", {"sw_one"});
    const RenderedSource b = kernelWith("b", {"sw_one"});
    const std::array<const RenderedSource *, 2> sources{&a, &b};
    const std::string text = combinedProgram(sources);
    const std::size_t second = text.find("#line 1 \"b.cl\"\n") + std::string_view("#line 1 \"b.cl\"\n").size();
    const auto lineOf = [](std::string_view inside) {
        return std::ranges::count(inside.substr(0, inside.find("__kernel")), '\n');
    };
    EXPECT_EQ(lineOf(std::string_view(text).substr(second)), lineOf(b.text));
}

} // namespace
} // namespace sw
