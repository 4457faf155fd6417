#pragma once
// Small programs whose kernels are of every kind that loops are transformed for. Their sizes are odd, so that tiles and vectors
// leave rests.

#include "engine/types/symbolic.h"

#include <string>
#include <vector>

namespace sw {

struct SmallProgram {
    std::string name;
    std::string text;
    // No device may round its operations otherwise than the reference, as long as products are not fused into sums.
    bool isExact = true;
    // A sum that another one reads is kept for some rows at a time, though it is small: a kernel in stages.
    bool isInStages = false;
    std::vector<SymbolicBindings> runs = {{}}; // the dimensions of each
};

[[nodiscard]] std::vector<SmallProgram> loopPrograms();

} // namespace sw
