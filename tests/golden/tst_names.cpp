// A program may use any name for its inputs, outputs, dimensions, functions and kernels: every word of the languages that
// kernels are written in, and of our own preludes, is an ordinary name on every device.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/language/compile.h"
#include "tests/support/language_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <span>

namespace sw::test {
namespace {

constexpr std::size_t kWordsPerKernel = 8;

// Makes the program text for some of the words; parts are numbered from 0.
using Part = std::function<std::string(std::span<const std::string> words, std::size_t number)>;

std::string listed(std::span<const std::string> words, std::string_view between)
{
    return join(words, between);
}

struct NamedThings {
    const char *name;
    std::string (*one)(const std::string &word); // the smallest program, to find words that the language itself reserves
    Part part;
};

void PrintTo(const NamedThings &things, std::ostream *out)
{
    *out << things.name;
}

const NamedThings kThings[] = {
    {"inputs", [](const std::string &word) { return format("input {}: f32[4]\noutput one = {} + 1\n", word, word); },
     [](std::span<const std::string> words, std::size_t number) {
         std::string text;
         for (const std::string &word : words)
             text += format("input {}: f32[5]\n", word);
         return text + format("output sum_{} = {}\n", number, listed(words, " * 2 + "));
     }},
    {"outputs", [](const std::string &word) { return format("input one: f32[4]\noutput {} = one + 1\n", word); },
     [](std::span<const std::string> words, std::size_t number) {
         std::string text = format("input from_{}: f32[5]\n", number);
         for (std::size_t i = 0; i < words.size(); ++i)
             text += format("output {} = from_{} * {}\n", words[i], number, i + 1);
         return text;
     }},
    {"dimensions",
     [](const std::string &word) {
         return format("{}: dim[1, 6] = 4\ninput one: f32[{}]\noutput two = sum(one) / {}\n", word, word, word);
     },
     [](std::span<const std::string> words, std::size_t number) {
         std::string text;
         for (std::size_t i = 0; i < words.size(); ++i)
             text += format("{}: dim[1, 6] = 4\ninput of_{}_{}: f32[{}]\noutput mean_{}_{} = sum(of_{}_{}) / {}\n", words[i],
                            number, i, words[i], number, i, number, i, words[i]);
         return text;
     }},
    {"functions",
     [](const std::string &word) {
         return format("def {}(one):\n    return one + 1\ninput two: f32[4]\noutput {}(two)\n", word, word);
     },
     [](std::span<const std::string> words, std::size_t number) {
         std::string text = format("input into_{}: f32[3, 4]\n", number);
         for (std::size_t i = 0; i < words.size(); ++i)
             text += format("def {}(given):\n    return given * {}\noutput called_{}_{} = {}(into_{})\n", words[i], i + 1, number,
                            i, words[i], number);
         return text;
     }},
    {"kernels",
     [](const std::string &word) { return format("input one: f32[4]\noutput kernel(one + 1, name = \"{}\")\n", word); },
     [](std::span<const std::string> words, std::size_t number) {
         std::string text = format("input before_{}: f32[6]\n", number);
         for (std::size_t i = 0; i < words.size(); ++i)
             text += format("output asked_{}_{} = kernel(before_{} + {}, name = \"{}\")\n", number, i, number, i, words[i]);
         return text;
     }},
};

class Names : public ProgramTest, public testing::WithParamInterface<NamedThings> {
protected:
    [[nodiscard]] CompileRequest requestFor(std::string text, const std::string &device) const
    {
        CompileRequest request = ProgramTest::requestFor("names.sw", device);
        request.program.text = std::move(text);
        request.program.isText = true;
        return request;
    }
    // The words that the language itself does not use for something else.
    [[nodiscard]] std::vector<std::string> words() const
    {
        const LanguageOptions options{sourceFolder() / "resources/library"};
        std::vector<std::string> free;
        for (const std::string &word : languageWords(sourceFolder() / "resources"))
            if (compileProgram({"one.sw", GetParam().one(word), {}}, options, {}).graph)
                free.push_back(word);
        return free;
    }
};

TEST_P(Names, areOfNoMeaningToAnyDevice)
{
    const std::vector<std::string> all = words();
    EXPECT_GT(all.size(), 700U) << "only few words are taken by the language itself";
    EXPECT_TRUE(std::ranges::find(all, "f32x16") != all.end());
    EXPECT_TRUE(std::ranges::find(all, "get_global_id") != all.end());
    std::string text;
    for (std::size_t i = 0; i < all.size(); i += kWordsPerKernel)
        text += GetParam().part(std::span(all).subspan(i, std::min(kWordsPerKernel, all.size() - i)), i);

    std::vector<NamedTensor> wanted;
    for (const char *device : {"interpreter", "llvm", "c", "opencl"}) {
        SCOPED_TRACE(device);
        if (!whyUnavailable(device).empty())
            continue;
        ProgramCompiler compiler(m_registry);
        const auto result = run(compiler, requestFor(text, device));
        ASSERT_TRUE(result) << toText(result.error());
        if (wanted.empty())
            wanted = result->outputs;
        ASSERT_EQ(result->outputs.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            for (std::int64_t element = 0; element < wanted[i].value.elements(); ++element)
                ASSERT_NEAR(result->outputs[i].value.at(element).asDouble(), wanted[i].value.at(element).asDouble(), 1e-3)
                    << wanted[i].name;
        // The kernels have few different structures; their names do not count.
        EXPECT_LT(compiler.openedDevice(device, 0).value()->compiledCount(), 20U);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Names, testing::ValuesIn(kThings), [](const auto &test) { return std::string(test.param.name); });

} // namespace
} // namespace sw::test
