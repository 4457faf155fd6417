// tests/golden/language/*.golden: "== input", then what becomes of it under "== graph" or "== diagnostic". SW_UPDATE_GOLDEN=1
// in the environment writes what was found.

#include "engine/graph/printer.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace sw::test {
namespace {

constexpr std::string_view kInputHeading = "== input\n";

std::filesystem::path goldenFolder()
{
    return std::filesystem::path(STEPWELL_SOURCE_DIR) / "tests/golden/language";
}

std::vector<std::filesystem::path> goldenFiles()
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(goldenFolder())) {
        if (entry.path().extension() == ".golden")
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::string inputOf(std::string_view golden)
{
    const std::size_t begin = golden.find(kInputHeading);
    EXPECT_NE(begin, std::string_view::npos) << "no section " << kInputHeading;
    const std::string_view rest = golden.substr(begin + kInputHeading.size());
    const std::size_t end = rest.starts_with("== ") ? 0 : rest.find("\n== ") + 1;
    return std::string(end == 0 && !rest.starts_with("== ") ? rest : rest.substr(0, end));
}

std::string goldenOf(const std::string &input)
{
    const ProgramResult compiled = compileText(input);
    std::string text = std::string(kInputHeading) + input;
    if (!compiled.diagnostics.empty())
        text += "== diagnostic\n" + toText(compiled.diagnostics);
    if (compiled.graph)
        text += "== graph\n" + printGraph(*compiled.graph).text;
    return text;
}

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

// From the first line that differs on: what was expected and what was found.
std::string difference(const std::string &expected, const std::string &found)
{
    const std::vector<std::string> left = linesOf(expected);
    const std::vector<std::string> right = linesOf(found);
    const auto common = std::ranges::mismatch(left, right);
    std::string out = format("line {}:\n", common.in1 - left.begin() + 1);
    for (auto line = common.in1; line != left.end(); ++line)
        out += "- " + *line + "\n";
    for (auto line = common.in2; line != right.end(); ++line)
        out += "+ " + *line + "\n";
    return out;
}

TEST(LanguageGolden, everyFileGivesWhatItSays)
{
    const std::vector<std::filesystem::path> files = goldenFiles();
    ASSERT_FALSE(files.empty());
    const bool updates = std::getenv("SW_UPDATE_GOLDEN") != nullptr;
    for (const std::filesystem::path &file : files) {
        const std::string expected = readText(file);
        const std::string found = goldenOf(inputOf(expected));
        if (updates && found != expected)
            std::ofstream(file, std::ios::binary) << found;
        else
            EXPECT_TRUE(found == expected) << file.filename() << "\n" << difference(expected, found);
    }
}

} // namespace
} // namespace sw::test
