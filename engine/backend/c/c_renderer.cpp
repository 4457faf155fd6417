#include "engine/backend/c/c_renderer.h"

#include "engine/backend/source/c_writer.h"
#include "engine/backend/source/kernel_values.h"

#include "embedded/KernelPreludeC.h"

namespace sw {

namespace {

void writeRangeFunction(SourceText &text, const LoweredKernel &kernel)
{
    std::string arguments;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
        arguments += format("args[{}], ", i);
    text.line("");
    text.line("// Runs the work items begin <= gx < end of one row; args holds the buffers' addresses.");
    text.line("void {}{}(void *const *args, int64_t begin, int64_t end, int64_t gy, int64_t gz, int64_t *faults)",
              entryPointOf(kernel), kCRangeSuffix);
    text.line("{");
    text.indent();
    text.line("for (int64_t gx = begin; gx < end; ++gx)");
    text.line("    {}({}gx, gy, gz, faults);", entryPointOf(kernel), arguments);
    text.outdent();
    text.line("}");
}

} // namespace

CRenderer::CRenderer() : m_prelude(embedded::kKernelPreludeC) {}

Result<RenderedSource> CRenderer::render(const LoweredKernel &kernel, const DeviceInfo &device) const
{
    SW_CHECK(checkNeedsNoGroups(kernel, device.id));
    // Without groups, memory that a group would share belongs to the single work item.
    SW_CHECK(checkScratchFits(kernel, device,
                              scratchBytes(kernel, InstructionKind::Buffer) + scratchBytes(kernel, InstructionKind::Local)));
    CWriter writer(kernel, TargetLanguage::C, m_prelude);
    const std::vector<std::string> parameters = writer.parameters();
    SW_CHECK(writer.writeAll());

    SourceText text;
    text.line("// One call runs one work item of {} x {} x {}.", kernel.globalSize[0], kernel.globalSize[1],
              kernel.globalSize[2]);
    text.line("#include <stdint.h>");
    text.line("");
    text.line(writer.types().typedefs());
    if (!writer.helpers().empty()) {
        text.line("");
        text.line(writer.helpers());
    }
    text.line("");
    text.line("__attribute__((noinline)) void {}({}{}int64_t gx, int64_t gy, int64_t gz, int64_t *faults)", entryPointOf(kernel),
              join(parameters, ", "), parameters.empty() ? "" : ", ");
    text.line("{");
    text.append(writer.body());
    text.line("}");
    writeRangeFunction(text, kernel);
    return RenderedSource{.kernel = kernel.kernel,
                          .symbol = entryPointOf(kernel),
                          .language = TargetLanguage::C,
                          .text = text.text(),
                          .lines = text.lines(),
                          .indexChecks = indexChecks(kernel)};
}

} // namespace sw
