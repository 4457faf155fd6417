#include "engine/types/panels.h"

#include "engine/base/assert.h"

#include <cstring>

namespace sw {

namespace {

// One size per loop, so that an element is a register.
template <std::size_t kBytes>
void write(const Panels &panels, const std::byte *matrix, std::byte *to)
{
    const auto steps = static_cast<std::size_t>(panels.steps);
    const auto lanes = static_cast<std::size_t>(panels.lanes);
    const auto group = static_cast<std::size_t>(panels.group);
    const auto rowStride = static_cast<std::size_t>(panels.rowStride);
    const auto stepStride = static_cast<std::size_t>(panels.stepStride);
    for (std::size_t row = 0; row < static_cast<std::size_t>(panels.rows); row += lanes) {
        const std::byte *const first = matrix + row * rowStride * kBytes;
        for (std::size_t step = 0; step < steps; step += group)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (std::size_t own = 0; own < group; ++own, to += kBytes)
                    std::memcpy(to, first + (lane * rowStride + (step + own) * stepStride) * kBytes, kBytes);
    }
}

} // namespace

void writePanels(const Panels &panels, std::size_t elementBytes, std::span<const std::byte> matrix, std::span<std::byte> to)
{
    SW_ASSERT(panels.rows % panels.lanes == 0 && panels.steps % panels.group == 0, "whole panels");
    SW_ASSERT(panels.rowStride * panels.stepStride == (panels.stepStride == 1 ? panels.steps : panels.rows),
              "rows or steps one behind the other");
    SW_ASSERT(matrix.size() == static_cast<std::size_t>(panels.rows * panels.steps) * elementBytes && to.size() == matrix.size(),
              "as many elements as the panels have");
    switch (elementBytes) {
    case 1:
        return write<1>(panels, matrix.data(), to.data());
    case 2:
        return write<2>(panels, matrix.data(), to.data());
    case 4:
        return write<4>(panels, matrix.data(), to.data());
    case 8:
        return write<8>(panels, matrix.data(), to.data());
    case 16:
        return write<16>(panels, matrix.data(), to.data());
    }
    SW_UNREACHABLE();
}

} // namespace sw
