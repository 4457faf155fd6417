#include "engine/backend/opencl/opencl_renderer.h"

#include "engine/backend/source/c_writer.h"
#include "engine/backend/source/kernel_values.h"

#include "embedded/KernelPreludeOpenCl.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::array<std::uint32_t, 6> kVectorLanes = {1, 2, 3, 4, 8, 16};

Result<Done> checkFits(const LoweredKernel &kernel, const DeviceInfo &device)
{
    for (const Instruction &instruction : kernel.instructions)
        if (std::ranges::find(kVectorLanes, instruction.lanes) == kVectorLanes.end())
            return Diagnostic::error(Code::Unsupported, {},
                                     "OpenCL C has vectors of 2, 3, 4, 8 and 16 elements; kernel {} has {}", kernel.name,
                                     instruction.lanes);
    const CheckedSize group = productOf(kernel.localSize);
    if (group > device.maxWorkgroup)
        return Diagnostic::error(Code::Limit, {}, "kernel {} has groups of {} work items, {} takes at most {}", kernel.name,
                                 toText(group), device.id, device.maxWorkgroup);
    const CheckedSize shared = scratchBytes(kernel, InstructionKind::Local);
    if (shared > device.localMemoryBytes)
        return Diagnostic::error(Code::Limit, {}, "kernel {} shares {} bytes in a group, {} has {}", kernel.name, toText(shared),
                                 device.id, device.localMemoryBytes);
    // Because of barriers, a CPU keeps the memory of every work item of the group on one thread's stack.
    const bool isKeptForAll =
        device.kind != DeviceKind::Gpu &&
        std::ranges::find(kernel.instructions, InstructionKind::Barrier, &Instruction::kind) != kernel.instructions.end();
    return checkScratchFits(kernel, device, scratchBytes(kernel, InstructionKind::Buffer) * (isKeptForAll ? group : 1));
}

} // namespace

OpenClRenderer::OpenClRenderer() : m_prelude(embedded::kKernelPreludeOpenCl) {}

Result<RenderedSource> OpenClRenderer::render(const LoweredKernel &kernel, const DeviceInfo &device) const
{
    SW_CHECK(checkFits(kernel, device));
    const bool sharesMemory = scratchBytes(kernel, InstructionKind::Local) > 0;
    CWriter writer(kernel, TargetLanguage::OpenCl, m_prelude);
    const std::vector<std::string> parameters = writer.parameters();
    SW_CHECK(writer.writeAll());
    const bool needsF64 = writer.types().uses(DType::F64);
    if (needsF64 && !device.hasF64)
        return Diagnostic::error(Code::UnsupportedDType, {}, "kernel {} computes in f64, which {} has not", kernel.name,
                                 device.id);

    SourceText text;
    text.line("// {} x {} x {} work items", kernel.globalSize[0], kernel.globalSize[1], kernel.globalSize[2]);
    if (needsF64)
        text.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
    text.line("#pragma OPENCL FP_CONTRACT OFF");
    text.line("");
    text.line(writer.types().typedefs());
    if (!writer.helpers().empty()) {
        text.line("");
        text.line(writer.helpers());
    }
    text.line("");
    text.line("__kernel __attribute__((reqd_work_group_size({}, {}, {})))", kernel.localSize[0], kernel.localSize[1],
              kernel.localSize[2]);
    text.line("void {}({}{}__global long *faults)", entryPointOf(kernel), join(parameters, ", "), parameters.empty() ? "" : ", ");
    text.line("{");
    // A launch without buffers makes the driver translate the kernel ahead of time. Not so where a group shares memory: a return
    // before a barrier makes PoCL 3.1 drop conditions behind it.
    if (!sharesMemory) {
        text.line("    if (!faults)");
        text.line("        return;");
    }
    text.append(writer.body());
    text.line("}");
    return RenderedSource{.kernel = kernel.kernel,
                          .symbol = entryPointOf(kernel),
                          .language = TargetLanguage::OpenCl,
                          .text = text.text(),
                          .lines = text.lines(),
                          .indexChecks = indexChecks(kernel)};
}

} // namespace sw
