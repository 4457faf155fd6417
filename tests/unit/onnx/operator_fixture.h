#pragma once
// One operator of a model, run by the reference interpreter.

#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"

#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <vector>

namespace sw::test {

[[nodiscard]] std::filesystem::path libraryFolder();
// The options with the language's library in them, which operators are made of.
[[nodiscard]] ModelOptions libraryOptions(ModelOptions options = {});

struct OperatorText {
    NodeText node; // inputs are x0, x1 ... unless it says others, outputs y0, y1 ...
    std::int64_t opset = 22;
    std::size_t outputs = 1;
    std::string domain = {};            // that the opset is one of
    std::set<std::size_t> unknown = {}; // inputs whose values are given to the run alone, not to the import
};
[[nodiscard]] ModelResult importOperator(OperatorText text, const std::vector<HostTensor> &inputs);

// The graph of an operator, with the values of its placeholders.
struct ImportedOperator {
    GraphPtr graph;
    std::vector<HostTensor> values;
};
// Fails the test, and gives no graph, when the operator cannot be imported.
[[nodiscard]] ImportedOperator graphOf(OperatorText text, const std::vector<HostTensor> &inputs);
// Fails the test, and gives nothing, when the operator cannot be imported or run.
[[nodiscard]] std::vector<HostTensor> outputsOf(OperatorText text, const std::vector<HostTensor> &inputs);

[[nodiscard]] std::vector<double> elementsOf(const HostTensor &tensor);
[[nodiscard]] HostTensor integers(Shape shape, const std::vector<double> &values); // i64
[[nodiscard]] HostTensor floats(Shape shape, const std::vector<double> &values);   // f32
// Whole numbers and quarters from -low to low, so that sums of a few are exact.
[[nodiscard]] HostTensor randomFloats(std::mt19937 &random, Shape shape, int low = 8);

} // namespace sw::test
