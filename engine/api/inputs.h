#pragma once
// What a run takes as the values of its inputs and parameters: each may be filled in one of several ways, and single elements of
// it changed. All checks are made against the type and the shape that the program declares.

#include "engine/api/tensor_view.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class Graph;

// Program: the value that the program gives a parameter, and random values from the run's seed for all else.
enum class InputFill : std::uint8_t { Program, Zeros, Ones, Range, Constant, Uniform, Normal, Tensor };

struct CellChange {
    std::vector<std::int64_t> coordinates;
    std::string value; // as a program writes it: "0.5", "nan", "true"
    bool operator==(const CellChange &) const = default;
};

struct InputChoice {
    std::string name;
    InputFill fill = InputFill::Program;
    std::uint64_t seed = 1; // Uniform, Normal
    // Range: the first value and the step. Uniform: the bounds; whole numbers of integer types include both. Normal: the mean and
    // the standard deviation.
    double first = 0;
    double second = 1;
    std::string constant = "0";           // Constant: as a program writes it
    TensorViewPtr tensor = {};            // Tensor: of the input's type and shape, or its raw bits
    std::vector<CellChange> changes = {}; // on top of the fill, in order
    bool operator==(const InputChoice &) const = default;
};

// An input or parameter of a program.
struct InputEntry {
    std::string name;
    std::string type;                // "f32[n, 784]"
    std::string elementType;         // "f32"
    std::vector<std::int64_t> shape; // the largest, where it has open dimensions
    bool hasOpenShape = false;
    bool isParam = false;
    bool operator==(const InputEntry &) const = default;
};

// Everything that decides the values of a run.
struct RunInputs {
    std::uint64_t seed = 1;
    std::map<std::string, std::int64_t, std::less<>> dimensions = {}; // values for the program's dimensions
    std::vector<InputChoice> inputs = {};                             // of those that are not as the program says
    bool operator==(const RunInputs &) const = default;
};

// Why the choice cannot be made for that input, in words; empty: it can. What depends on open dimensions is checked by the run.
[[nodiscard]] std::string whyUnfit(const InputChoice &choice, const InputEntry &entry);

// "random, seed 1", "range from 0 in steps of 1", "digit.npy, 3 cells changed"
[[nodiscard]] std::string describe(const InputChoice &choice);

// ---- for the engine itself

[[nodiscard]] std::vector<InputEntry> inputEntries(const Graph &graph);

// One tensor per placeholder that is not a dimension, in Graph::placeholders order. Errors name the input, and both types where
// they differ.
[[nodiscard]] Result<std::vector<HostTensor>> inputValues(const Graph &graph, const RunInputs &inputs);
// The same padded to the shapes of the graph, dimensions included: for the reference interpreter.
[[nodiscard]] Result<std::vector<HostTensor>> interpretedValues(const Graph &graph, const RunInputs &inputs);
// The value of a single one of them.
[[nodiscard]] Result<HostTensor> inputValue(const Graph &graph, const RunInputs &inputs, std::string_view name);

} // namespace sw
