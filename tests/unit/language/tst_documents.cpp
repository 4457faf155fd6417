// What is shipped beside the program: the examples, the library and the language's description.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {
namespace {

std::vector<std::filesystem::path> programsIn(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".sw")
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

// The blocks between ``` and ```, but not those of another language.
std::vector<std::string> codeBlocksOf(const std::string &text)
{
    std::vector<std::string> blocks;
    std::size_t at = 0;
    while ((at = text.find("```", at)) != std::string::npos) {
        const std::size_t begin = text.find('\n', at) + 1;
        const std::size_t end = text.find("```", begin);
        if (end == std::string::npos)
            break;
        if (begin == at + 4)
            blocks.push_back(text.substr(begin, end - begin));
        at = end + 3;
    }
    return blocks;
}

TEST(LanguageDocuments, examplesComputeFiniteValues)
{
    const auto files = programsIn(resourceFolder() / "examples");
    EXPECT_GE(files.size(), 10U);
    for (const auto &file : files) {
        const std::string text = readText(file);
        EXPECT_TRUE(text.starts_with("# ")) << file << " does not say what it teaches";
        const ProgramResult compiled = compileText(text);
        EXPECT_TRUE(compiled.diagnostics.empty()) << file << "\n" << toText(compiled.diagnostics);
        for (const HostTensor &output : runText(text)) {
            for (std::int64_t i = 0; i < output.elements(); ++i)
                ASSERT_TRUE(std::isfinite(output.at(i).asDouble())) << file << " element " << i;
        }
    }
}

TEST(LanguageDocuments, everyLibraryFileOpensWithAComment)
{
    const auto files = programsIn(resourceFolder() / "library");
    EXPECT_GE(files.size(), 40U);
    for (const auto &file : files) {
        const std::string text = readText(file);
        EXPECT_TRUE(text.starts_with("# ")) << file;
        EXPECT_NE(text.find("def " + file.stem().string() + "("), std::string::npos) << file << " does not define its name";
    }
}

// A library file is only read when it is used: name each function once, so that one that does not parse is noticed.
TEST(LanguageDocuments, everyLibraryFileParses)
{
    for (const auto &file : programsIn(resourceFolder() / "library")) {
        const ProgramResult compiled = compileText("f = " + file.stem().string() + "\noutput 1\n");
        EXPECT_TRUE(compiled.diagnostics.empty()) << toText(compiled.diagnostics);
    }
}

TEST(LanguageDocuments, everyCodeBlockOfTheDescriptionCompiles)
{
    const std::vector<std::string> blocks = codeBlocksOf(readText(resourceFolder() / "docs/language.md"));
    EXPECT_GE(blocks.size(), 6U);
    for (const std::string &block : blocks) {
        const ProgramResult compiled = compileText(block);
        EXPECT_TRUE(compiled.graph && compiled.diagnostics.empty()) << block << toText(compiled.diagnostics);
    }
}

} // namespace
} // namespace sw::test
