#pragma once
// Passes over lowered kernels that are written as text.

#include "engine/lowered/parser.h"
#include "engine/lowered/printer.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/pass_context.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sw::test {

using Pass = Result<std::optional<LoweredProgram>> (*)(const LoweredProgram &, PassContext &);

inline const DeviceInfo kDevice;
inline const DeviceInfo kGpu = [] {
    DeviceInfo device;
    device.kind = DeviceKind::Gpu;
    return device;
}();
inline const CompileOptions kOptions;

[[nodiscard]] inline LoweredKernel parsed(std::string_view body)
{
    LoweredParseOptions options{.file = "t"};
    options.originOf = [](const SourceRange &range) { return Origin(SourceId(range.line)); };
    auto kernel = parseLoweredKernel(
        format("kernel \"k\" symbol \"k\" id 0 global [4, 1, 1] local [1, 1, 1] arguments [0, 1]\n{}end\n", body), options);
    SW_ASSERT(kernel.has_value(), toText(kernel ? Diagnostics{} : kernel.error()));
    return std::move(kernel).value();
}

struct Outcome {
    LoweredKernel kernel;
    std::vector<RewriteEvent> events;
};

[[nodiscard]] inline Outcome after(Pass pass, const LoweredKernel &kernel, std::uint32_t budget = kNoRewriteLimit,
                                   const DeviceInfo &device = kDevice)
{
    PassContext context(device, TargetLanguage::C, kOptions, {}, budget);
    auto program = pass(LoweredProgram{nullptr, {kernel}}, context).value();
    return {program ? std::move(program->kernels.front()) : kernel, context.rewrites().events()};
}

// The body, without the kernel's first and last line.
[[nodiscard]] inline std::string bodyAfter(Pass pass, std::string_view body, const DeviceInfo &device = kDevice)
{
    const LoweredKernel kernel = after(pass, parsed(body), kNoRewriteLimit, device).kernel;
    const auto verified = verifyLowered(kernel);
    EXPECT_TRUE(verified) << toText(verified ? Diagnostics{} : verified.error());
    const std::string text = printLowered(kernel, PrintOrigins::Hidden).text;
    const std::size_t start = text.find('\n') + 1;
    return "\n" + text.substr(start, text.size() - start - 4);
}

} // namespace sw::test
