#pragma once
// How long the steps of a schedule take, by a roofline: a kernel takes as long as its memory traffic or its arithmetic, whichever
// is longer, and the time that handing it out takes. The figures are options of the compilation, not measurements, so that the
// same program has the same estimates everywhere. Only their proportions matter: they decide the critical path.

#include <cstdint>

namespace sw {

struct RooflineFigures {
    double memoryBytesPerNanosecond = 10;
    double operationsPerNanosecond = 50;
    double transferBytesPerNanosecond = 8; // between a device and the host, or two devices
    double launchNanoseconds = 1000;       // of a kernel or a transfer, however small
    bool operator==(const RooflineFigures &) const = default;
};

// What a kernel costs, from its shapes alone.
struct KernelEstimate {
    std::int64_t flops = 0; // multiply and add count as one each
    std::int64_t bytesRead = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t registers = 0; // scalar values that one work item holds at once, before any tile or vector
    std::int64_t nanoseconds = 0;

    [[nodiscard]] std::int64_t bytes() const { return bytesRead + bytesWritten; }
    // Operations per byte of traffic; 0 where there is no traffic.
    [[nodiscard]] double intensity() const;
};

[[nodiscard]] std::int64_t kernelNanoseconds(const KernelEstimate &estimate, const RooflineFigures &figures);
[[nodiscard]] std::int64_t transferNanoseconds(std::int64_t bytes, const RooflineFigures &figures);

} // namespace sw
