// resources/docs/onnx.md has the table of operators, written from the one that the importer reads and from the list of ONNX's own
// tests, and the one of what is refused. SW_UPDATE_GOLDEN=1 in the environment writes the file anew.

#include "engine/onnx/operator_formula.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/refused_operators.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace sw::test {

namespace {

constexpr std::string_view kMarker = "| operator | opsets | ONNX's tests | made of |\n| --- | --- | --- | --- |\n";
constexpr std::string_view kRefused =
    "\n## What is refused\n\nOperators of ONNX that a model cannot have; an error says so and names the "
    "nodes. The importer reads the same table.\n\n| operator | why |\n| --- | --- |\n";

std::filesystem::path documentFile()
{
    return libraryFolder().parent_path() / "docs/onnx.md";
}

std::string ruleText(const onnx::OperatorRow &row)
{
    if (row.rule.handler != nullptr)
        return "primitives";
    const std::string function(onnx::parseFormula(row.rule.formula).function);
    const bool isCommon = std::filesystem::exists(libraryFolder() / (function + ".sw"));
    return format("[{}](../library/{}{}.sw)", function, isCommon ? "" : "onnx/", function);
}

struct NodeTests {
    std::string name;
    std::int64_t opset = 0;
    std::int64_t count = 0;
};

std::vector<NodeTests> nodeTests()
{
    std::ifstream stream(libraryFolder().parent_path().parent_path() / "tests/data/onnx_node_tests.tsv");
    std::vector<NodeTests> tests;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream fields(line);
        NodeTests of;
        if (!line.starts_with('#') && fields >> of.name >> of.opset >> of.count)
            tests.push_back(of);
    }
    return tests;
}

// The first row of an operator also has the tests of a domain without opsets.
bool isOf(const NodeTests &tests, const onnx::OperatorRow &row)
{
    return tests.name == row.name && tests.opset <= row.lastOpset && (tests.opset >= row.firstOpset || tests.opset == 0);
}

std::string refusedText()
{
    std::string text(kRefused);
    for (const onnx::RefusedOperator &row : onnx::refusedOperators())
        text += format("| {} | {} |\n", row.name, row.reason);
    return text;
}

std::string tableText()
{
    const std::vector<NodeTests> tests = nodeTests();
    std::string text(kMarker);
    for (const onnx::OperatorRow &row : onnx::operatorTable()) {
        const std::string last = row.lastOpset == onnx::kNoLastOpset ? "on" : format("to {}", row.lastOpset);
        std::int64_t count = 0;
        for (const NodeTests &of : tests)
            count += isOf(of, row) ? of.count : 0;
        const std::string counted = count == 0 ? "-" : format("{}", count);
        text += format("| {} | {} {} | {} | {} |\n", row.name, row.firstOpset, last, counted, ruleText(row));
    }
    return text + refusedText();
}

} // namespace

TEST(OnnxDocuments, theTableOfOperatorsIsTheImporters)
{
    std::ifstream stream(documentFile());
    std::string text(std::istreambuf_iterator<char>(stream), {});
    const std::size_t at = text.find(kMarker);
    ASSERT_NE(at, std::string::npos);
    if (std::getenv("SW_UPDATE_GOLDEN") != nullptr) {
        text = text.substr(0, at) + tableText();
        std::ofstream(documentFile()) << text;
    }
    EXPECT_EQ(text.substr(at), tableText()) << "If this is meant: SW_UPDATE_GOLDEN=1 writes the file anew.";
}

// Each test is of an operator in the table, and no operator is in both tables.
TEST(OnnxDocuments, theTablesCoverOnnxsTests)
{
    const std::vector<NodeTests> tests = nodeTests();
    EXPECT_GT(tests.size(), 150U);
    for (const NodeTests &of : tests) {
        const auto rows =
            std::ranges::count_if(onnx::operatorTable(), [&](const onnx::OperatorRow &row) { return isOf(of, row); });
        EXPECT_EQ(rows, 1) << of.name << " " << of.opset;
    }
    for (const onnx::RefusedOperator &row : onnx::refusedOperators())
        EXPECT_EQ(std::ranges::find(onnx::operatorTable(), row.name, &onnx::OperatorRow::name), onnx::operatorTable().end())
            << row.name;
    EXPECT_TRUE(std::ranges::is_sorted(onnx::refusedOperators(), {}, &onnx::RefusedOperator::name));
}

} // namespace sw::test
