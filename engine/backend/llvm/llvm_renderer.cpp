#include "engine/backend/llvm/llvm_renderer.h"

#include "engine/backend/llvm/llvm_writer.h"
#include "engine/backend/source/kernel_values.h"

#include "embedded/KernelPreludeLlvm.h"

namespace sw {

namespace {

std::vector<InstructionId> globals(const LoweredKernel &kernel)
{
    std::vector<InstructionId> found(kernel.arguments.size());
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (kernel.instructions[i].kind == InstructionKind::DefineGlobal)
            found.at(kernel.instructions[i].argument) = InstructionId(i);
    return found;
}

std::string parameters(const LoweredKernel &kernel)
{
    std::string text;
    const std::vector<InstructionId> arguments = globals(kernel);
    const std::vector<std::string> names = argumentNames(kernel);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool isUsed = arguments[i].isValid();
        const bool isWritten = isUsed && kernel.instruction(arguments[i]).isWritten;
        text += format("ptr noalias{} align 64 %{}, ", isWritten ? "" : " readonly", names[i]);
    }
    return text + "i64 %gx, i64 %gy, i64 %gz, ptr %faults";
}

// Writes the function that runs a row of work items, so that one call from the runtime runs many of them.
void writeRangeFunction(SourceText &text, const LoweredKernel &kernel)
{
    text.line("");
    text.line("; Runs the work items begin <= gx < end of one row; args holds the buffers' addresses.");
    text.line("define void @{}{}(ptr %args, i64 %begin, i64 %end, i64 %gy, i64 %gz, ptr %faults) #0 {{", entryPointOf(kernel),
              kRangeSuffix);
    text.line("entry:");
    text.indent();
    std::string arguments;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
        text.line("%place{} = getelementptr ptr, ptr %args, i64 {}", i, i);
        text.line("%buffer{} = load ptr, ptr %place{}, align 8", i, i);
        arguments += format("ptr %buffer{}, ", i);
    }
    text.line("br label %next");
    text.outdent();
    text.line("next:");
    text.indent();
    text.line("%gx = phi i64 [ %begin, %entry ], [ %following, %next ]");
    text.line("call void @{}({}i64 %gx, i64 %gy, i64 %gz, ptr %faults)", entryPointOf(kernel), arguments);
    text.line("%following = add nsw i64 %gx, 1");
    text.line("%isMore = icmp slt i64 %following, %end");
    text.line("br i1 %isMore, label %next, label %done");
    text.outdent();
    text.line("done:");
    text.indent();
    text.line("ret void");
    text.outdent();
    text.line("}");
}

void writeMetadata(SourceText &text, const LlvmWriter &writer)
{
    text.line("");
    text.line("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" }");
    text.line("attributes #1 = { nounwind noinline \"prefer-vector-width\"=\"512\" }");
    text.line("!0 = !{}");      // for !invariant.load
    text.line("!1 = !{i32 1}"); // for !nontemporal
    for (std::size_t i = 0; i < writer.loopMetadata().size(); ++i)
        text.line("!{} = distinct !{{!{}, !{{!\"llvm.loop.unroll.count\", i32 {}}}}}", i + 2, i + 2, writer.loopMetadata()[i]);
}

} // namespace

LlvmRenderer::LlvmRenderer() : m_prelude(embedded::kKernelPreludeLlvm) {}

Result<RenderedSource> LlvmRenderer::render(const LoweredKernel &kernel, const DeviceInfo &device) const
{
    SW_CHECK(checkNeedsNoGroups(kernel, device.id));
    // Without groups, memory that a group would share belongs to the single work item.
    SW_CHECK(checkScratchFits(kernel, device,
                              scratchBytes(kernel, InstructionKind::Buffer) + scratchBytes(kernel, InstructionKind::Local)));
    LlvmWriter writer(kernel, m_prelude, device);
    SW_CHECK(writer.writeAll());

    SourceText text;
    text.line("; One call runs one work item of {} x {} x {}.", kernel.globalSize[0], kernel.globalSize[1], kernel.globalSize[2]);
    text.line("define void @{}({}) #1 {{", entryPointOf(kernel), parameters(kernel));
    text.line("entry:");
    text.append(writer.allocations());
    text.append(writer.body());
    text.line("}");
    writeRangeFunction(text, kernel);
    if (!writer.helpers().empty()) {
        text.line("");
        text.line(writer.helpers());
    }
    writeMetadata(text, writer);
    return RenderedSource{.kernel = kernel.kernel,
                          .symbol = entryPointOf(kernel),
                          .language = TargetLanguage::Llvm,
                          .text = text.text(),
                          .lines = text.lines(),
                          .indexChecks = indexChecks(kernel)};
}

} // namespace sw
