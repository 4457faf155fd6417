#pragma once
// A graph as a program of the language: a line per node, with what is written out in the graph (a number that is broadcast)
// put back where it is read.

#include "engine/graph/graph.h"
#include "engine/graph/printer.h"

#include <span>
#include <string>
#include <vector>

namespace sw {

// How the value of an input is written. Random: it is from the seed, and nothing is written. Listed: as a constant. Loaded: as a
// parameter with a file beside the program.
enum class WrittenAs : std::uint8_t { Random, Listed, Loaded };

struct WrittenInput {
    WrittenAs as = WrittenAs::Random;
    HostTensor value = {}; // Listed, Loaded
};

struct ProgramText {
    std::string text;
    TensorFiles files; // Loaded values
};

// stem: of the names of files. inputs: by placeholder; placeholders must be inputs whose names are identifiers. Errors: a kind of
// node that this does not write, and constants of more than kListedElements.
[[nodiscard]] Result<ProgramText> programText(const Graph &graph, std::span<const WrittenInput> inputs, const std::string &stem);

} // namespace sw
