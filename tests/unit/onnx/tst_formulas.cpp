// Operators that are functions of the library: what the table says of them, what their nodes know, and what goes wrong.

#include "engine/language/builtins.h"
#include "engine/language/compile.h"
#include "engine/onnx/operator_formula.h"
#include "engine/onnx/operators.h"
#include "engine/ops/op.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace sw::test {

namespace {

std::filesystem::path fileOf(std::string_view function)
{
    const std::string name = std::string(function) + ".sw";
    const std::filesystem::path common = libraryFolder() / name;
    return std::filesystem::exists(common) ? common : libraryFolder() / "onnx" / name;
}

std::set<std::string> functionsIn(const std::filesystem::path &folder)
{
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".sw")
            names.insert(entry.path().stem().string());
    return names;
}

// The names of the function's parameters.
std::set<std::string> parametersOf(std::string_view function)
{
    std::ifstream stream(fileOf(function));
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const std::string head = format("def {}(", function);
    const std::size_t begin = text.find(head);
    EXPECT_NE(begin, std::string::npos) << function;
    std::set<std::string> names;
    if (begin == std::string::npos)
        return names;
    std::string_view list = std::string_view(text).substr(begin + head.size());
    list = list.substr(0, list.find("):"));
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view one = list.substr(0, comma);
        one.remove_prefix(std::min(one.find_first_not_of(" \n"), one.size()));
        names.emplace(one.substr(0, one.find(' ')));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return names;
}

OperatorText trilu(std::string name = {})
{
    return {.node = {.op = "Trilu", .name = std::move(name)}};
}

} // namespace

TEST(OnnxFormulas, namesAFunctionOfTheLibraryAndItsParameters)
{
    std::size_t formulas = 0;
    for (const onnx::OperatorRow &row : onnx::operatorTable()) {
        if (row.rule.handler != nullptr)
            continue;
        ++formulas;
        const onnx::Formula formula = onnx::parseFormula(row.rule.formula);
        ASSERT_TRUE(std::filesystem::exists(fileOf(formula.function))) << row.name;
        const std::set<std::string> parameters = parametersOf(formula.function);
        EXPECT_LE(formula.arguments.size(), parameters.size()) << row.name;
        for (const onnx::FormulaArgument &argument : formula.arguments)
            EXPECT_TRUE(argument.parameter.empty() || parameters.contains(std::string(argument.parameter)))
                << row.name << ": " << argument.parameter;
    }
    EXPECT_GE(formulas, 50U);
}

// A program's own functions, the library's and those of operators are looked up by one name.
TEST(OnnxFormulas, hideNoOtherFunction)
{
    const std::set<std::string> common = functionsIn(libraryFolder());
    for (const std::string &name : functionsIn(libraryFolder() / "onnx")) {
        EXPECT_FALSE(common.contains(name)) << name;
        EXPECT_EQ(language::builtinNamed(name), nullptr) << name;
        EXPECT_FALSE(opNamed(name)) << name;
    }
}

TEST(OnnxFormulas, foldToOneScopeAndPointAtTheLibrary)
{
    const ModelResult result = importOperator(trilu("block/upper"), {floats({2, 2}, {1, 2, 3, 4})});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const SourceMap &sources = result.graph->sources();
    std::size_t inside = 0;
    for (const Node &node : result.graph->nodes()) {
        if (sources.scopePath(node.scope) != "block/Trilu")
            continue;
        ++inside;
        const SourceItem &item = sources.item(node.origin.sources().front());
        EXPECT_EQ(sources.file(item.file).name, "library/onnx/trilu.sw");
        EXPECT_EQ(sources.programRange(node.origin).line, 5U); // of the listing: two comments, the input, the node
    }
    EXPECT_GE(inside, 5U);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).name, "y0") << "the model's name, not the function's";
}

TEST(OnnxFormulas, tellWhichNodeIsWrongAndWhereInTheFunction)
{
    const ModelResult result = importOperator(trilu("mask"), {floats({3}, {1, 2, 3})});
    ASSERT_FALSE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    const Diagnostic &problem = result.diagnostics[0];
    EXPECT_EQ(problem.message, "Trilu 'mask': a triangle needs matrices, found a tensor f32[3]");
    EXPECT_EQ(problem.code, Code::ShapeMismatch);
    EXPECT_EQ(problem.where.file, "test.onnx");
    EXPECT_EQ(problem.where.line, 4U);
    ASSERT_FALSE(problem.notes.empty());
    EXPECT_EQ(problem.notes[0].where.file, "library/onnx/trilu.sw");
}

TEST(OnnxFormulas, refuseAnAttributeOfAnotherType)
{
    OperatorText text = trilu();
    text.node.attributes = {textAttribute("upper", "yes")};
    const ModelResult result = importOperator(text, {floats({1, 1}, {1})});
    ASSERT_FALSE(result.graph);
    EXPECT_EQ(result.diagnostics[0].message, "Trilu that makes 'y0': attribute 'upper' is not an integer");
}

TEST(OnnxFormulas, needTheLibrary)
{
    const ModelText model{.inputs = {valueInfo("x", {2, 2})},
                          .nodes = {{.op = "Trilu", .inputs = {"x"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {2, 2})},
                          .opset = 14};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", {.libraryFolder = "/nowhere"}, {});
    ASSERT_FALSE(result.graph);
    EXPECT_EQ(result.diagnostics[0].message,
              "Trilu that makes 'y': the library has no function trilu, which should be in trilu.sw");
}

// The values of a function of known operands are known: they decide a shape here.
TEST(OnnxFormulas, areFoldedWhenTheirOperandsAreKnown)
{
    const ModelText model{.inputs = {valueInfo("x", {6})},
                          .nodes = {{.op = "CumSum", .inputs = {"ones", "axis"}, .outputs = {"shape"}},
                                    {.op = "Mul", .inputs = {"shape", "factor"}, .outputs = {"larger"}},
                                    {.op = "Reshape", .inputs = {"x", "larger"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {2, 3})},
                          .initializers = {integerTensor("ones", {2}, {2, -1}), integerTensor("axis", {}, {0}),
                                           integerTensor("factor", {2}, {1, 3})},
                          .opset = 14};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{2, 3}));
    EXPECT_LE(result.graph->nodes().size(), 3U) << "the placeholder, the reshape and the sink";
}

// A file is read only when it is used: name each function once, so that one that does not parse is noticed.
TEST(OnnxFormulas, areFunctionsOfTheLanguageWithAComment)
{
    for (const std::string &name : functionsIn(libraryFolder() / "onnx")) {
        std::ifstream stream(libraryFolder() / "onnx" / (name + ".sw"));
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        EXPECT_TRUE(text.starts_with("# ")) << name << " does not say what it is";
        const ProgramResult compiled = compileProgram({"test.sw", format("f = {}\noutput 1\n", name), {}}, {libraryFolder()}, {});
        EXPECT_TRUE(compiled.diagnostics.empty()) << toText(compiled.diagnostics);
    }
}

} // namespace sw::test
