#pragma once
// What is measured against other libraries: the programs, the work in them, and what is asked of them.

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

struct Case {
    std::string name;
    std::string program;
    std::size_t outputElements = 0;
    std::vector<Peer> peers;
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
