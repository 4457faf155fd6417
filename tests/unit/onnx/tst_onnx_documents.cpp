// resources/docs/onnx.md has the table of operators, written from the one that the importer reads. SW_UPDATE_GOLDEN=1 in the
// environment writes the file anew.

#include "engine/onnx/operator_formula.h"
#include "engine/onnx/operators.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sw::test {

namespace {

constexpr std::string_view kMarker = "| operator | opsets | made of |\n| --- | --- | --- |\n";

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

std::string tableText()
{
    std::string text(kMarker);
    for (const onnx::OperatorRow &row : onnx::operatorTable()) {
        const std::string last = row.lastOpset == onnx::kNoLastOpset ? "on" : format("to {}", row.lastOpset);
        text += format("| {} | {} {} | {} |\n", row.name, row.firstOpset, last, ruleText(row));
    }
    return text;
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

} // namespace sw::test
