#include "tests/unit/language/language_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/graph/verify.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace sw::test {

std::filesystem::path resourceFolder()
{
    return std::filesystem::path(STEPWELL_SOURCE_DIR) / "resources";
}

std::string readText(const std::filesystem::path &path)
{
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path;
    return {std::istreambuf_iterator<char>(stream), {}};
}

ProgramResult compileText(std::string_view text, const std::filesystem::path &folder)
{
    return compileProgram({"test.sw", std::string(text), folder}, {resourceFolder() / "library"}, {});
}

std::vector<HostTensor> runText(std::string_view text)
{
    const ProgramResult compiled = compileText(text);
    EXPECT_TRUE(compiled.graph.has_value()) << toText(compiled.diagnostics) << "in\n" << text;
    if (!compiled.graph)
        return {};
    const auto valid = verifyGraph(*compiled.graph);
    EXPECT_TRUE(valid) << toText(valid.error());
    const auto inputs = placeholderValues(*compiled.graph, {}, 1);
    EXPECT_TRUE(inputs) << toText(inputs.error());
    const auto outputs = meaningOf(*compiled.graph, *inputs);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? *outputs : std::vector<HostTensor>{};
}

std::vector<double> valuesOf(std::string_view text)
{
    const std::vector<HostTensor> outputs = runText(text);
    EXPECT_EQ(outputs.size(), 1U);
    std::vector<double> values;
    for (std::int64_t i = 0; !outputs.empty() && i < outputs.front().elements(); ++i)
        values.push_back(outputs.front().at(i).asDouble());
    return values;
}

} // namespace sw::test
