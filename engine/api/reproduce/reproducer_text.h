#pragma once
// The texts in a reproducer's folder that are written for its kernel.

#include "engine/backend/backend.h"
#include "engine/types/host_tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// Argument of the kernel, by position.
struct ReproducedArgument {
    std::string name;
    HostTensor value;                        // before the launch
    std::size_t same = 0;                    // the first argument that is the same buffer
    std::optional<HostTensor> expected = {}; // after the launch, of a buffer that the kernel writes
};

struct ReproducedKernel {
    std::string name;
    std::string program;
    std::string command; // empty: not told
    const RenderedSource *source = nullptr;
    DeviceInfo device;
    std::uint32_t deviceNumber = 0; // among those of its backend
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
    std::vector<ReproducedArgument> arguments;
    std::string expectedFrom;   // "the interpreter, from the lowered instructions ..."; empty: nothing is expected
    std::string whyNotExpected; // then
    std::string dimensions;     // "n = 5, m = 2"; empty: none
    bool isEdited = false;
};

[[nodiscard]] std::string_view sourceFileName(TargetLanguage language);
[[nodiscard]] std::string argumentFile(std::size_t argument); // "argument0.npy"
[[nodiscard]] std::string expectedFile(std::size_t argument); // "expected0.npy"

[[nodiscard]] std::string launchHeader(const ReproducedKernel &kernel);
[[nodiscard]] std::string buildScript(const ReproducedKernel &kernel);
[[nodiscard]] std::string readMe(const ReproducedKernel &kernel);

} // namespace sw
