#pragma once
// What is measured against other libraries: the programs, the work in them, what is asked of them, and what their results are
// checked against.

#include "engine/types/shape.h"
#include "tests/benchmarks/library_peers.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace sw::benchmark {

// What bounds a case: work is in operations, or in bytes that are read and written once.
enum class Limit : std::uint8_t { Arithmetic, Copy, Read, Write };

struct FileConstant {
    std::filesystem::path file;
    Shape shape;
};

// How far two results may be apart, each of which is right.
struct Bound {
    double relative = 0; // of the largest difference, to the largest value; 0: none
    std::string reason = {};
    double scale = 0; // stands for the largest value where there is one alone, which may be small by chance; 0: it is not needed
};

struct Case {
    std::string name;
    std::string program;
    std::size_t outputElements = 0;
    std::vector<Peer> peers = {};
    Bound bound = {};
    Computation reference = {}; // is compared besides the peers, and takes no part in the times; empty: the peers are enough
    Limit limit = Limit::Arithmetic;
    double work = 0;
    double goal = 1;  // the time of the best peer, in times of ours
    double share = 0; // of the limit; 0: none is asked for
    // In a case that memory bounds: what has to be computed besides, one operation for each lane of an instruction. The limit is
    // what takes longer.
    double operations = 0;
    // Tensors that are constants of the program and inputs of the peers, behind the program's own: the program loads them from
    // these files.
    std::vector<FileConstant> constants = {};
};

[[nodiscard]] std::vector<Case> peerCases();

} // namespace sw::benchmark
