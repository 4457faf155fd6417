#pragma once
// Which elements of its memory a stepped run touches, how often and when.

#include "engine/lowered/stop_condition.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sw {

struct ElementTouches {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
    // Positions behind the first and the last step that touched it; 0: none did.
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

struct MemoryTouches {
    InstructionId memory;                 // a DefineGlobal, Buffer or Local; a Buffer is that of all work items together
    std::vector<ElementTouches> elements; // empty: the memory is larger than the limit
};

struct AccessLimits {
    std::uint64_t steps = 50'000'000;  // from the beginning of the run; below 2^32
    std::int64_t elements = 4'000'000; // of all memories together
};

struct AccessCounts {
    std::uint64_t steps = 0; // that were counted
    bool isWhole = false;    // the run has no more
    std::vector<MemoryTouches> memories;
};

// What a memory holds at the end of the run, and who put it there.
struct WrittenMemory {
    InstructionId memory; // a DefineGlobal
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> writers; // by element: the position behind the last step that wrote it; 0: none did
};

// One access, at the position behind its step.
struct PastAccess {
    std::uint64_t position = 0;
    AccessKind kind = AccessKind::Load;
    InstructionId memory;
    std::int64_t first = 0; // element
    std::uint32_t count = 0;
};

} // namespace sw
