#include "engine/api/checked_accesses.h"

#include "engine/api/compilation.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/lowered/check_accesses.h"

#include <algorithm>

namespace sw {

namespace {

Diagnostic noteOf(Severity severity, std::string message)
{
    return {severity, Code::IndexOutOfRange, std::move(message), {}, {}, {}};
}

std::vector<KernelId> withEditedSource(const Compilation &compilation)
{
    std::vector<KernelId> kernels;
    for (const KernelEdit &edit : compilation.edits.edits)
        if (edit.outcome.state == OverrideState::Applied)
            kernels.push_back(edit.kernel);
    return kernels;
}

bool isAccess(const Instruction &instruction)
{
    return instruction.kind == InstructionKind::Load || instruction.kind == InstructionKind::MaskedLoad ||
           instruction.kind == InstructionKind::Store;
}

Diagnostics notesOf(const LoweredProgram &program, std::span<const KernelId> unchecked, std::size_t checked)
{
    Diagnostics notes;
    std::size_t accesses = 0;
    for (const LoweredKernel &kernel : program.kernels) {
        if (std::ranges::find(unchecked, kernel.kernel) != unchecked.end()) {
            notes.push_back(noteOf(Severity::Warning, format("the accesses of {} are not checked: its source is edited, and only "
                                                             "lowered instructions can be checked",
                                                             kernel.name)));
            notes.back().hint = "edit its lowered text instead; memory around its buffers tells what it writes beside them";
            continue;
        }
        accesses += static_cast<std::size_t>(std::ranges::count_if(kernel.instructions, isAccess));
        const auto isCustom = [](const Instruction &one) { return one.kind == InstructionKind::Custom; };
        if (const auto custom = std::ranges::count_if(kernel.instructions, isCustom); custom > 0)
            notes.push_back(noteOf(Severity::Warning, format("{} has {} expressions in the device's language, and nothing checks "
                                                             "what they access",
                                                             kernel.name, custom)));
    }
    notes.push_back(
        noteOf(Severity::Note, format("of {} accesses to memory, {} are proved to stay in it and {} are checked while "
                                      "they run",
                                      accesses, accesses - checked, checked)));
    return notes;
}

} // namespace

Result<CheckedProgram> withCheckedAccesses(ProgramCompiler &compiler, const Compilation &compilation, const std::stop_token &stop)
{
    SW_ASSERT(compilation.program != nullptr, "a compiled program");
    const std::vector<KernelId> unchecked = withEditedSource(compilation);
    PassContext context(compilation.target.device, compilation.target.language, compilation.target.options, stop, kNoRewriteLimit,
                        compilation.target.others, kNoRewrites);
    auto lowered = std::make_shared<const LoweredProgram>(withEveryAccessChecked(*compilation.lowered, unchecked, context));
    SW_CHECK(verifyLowered(*lowered));
    const std::size_t checked = context.rewrites().countOf(kCheckedLoadRule) + context.rewrites().countOf(kCheckedStoreRule);

    SW_TRY(const std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    std::vector<RenderTarget> targets;
    for (const OpenedDevice *device : devices)
        targets.push_back({&device->renderer(), &device->info()});
    SW_TRY(std::vector<RenderedSource> sources, renderProgram(*lowered, targets));
    for (const KernelId kernel : unchecked)
        sources.at(kernel.value) = compilation.code->at(kernel.value);
    SW_TRY(std::vector<ArtifactPtr> artifacts, compileProgram(*lowered, sources, devices, stop));
    CheckedProgram made;
    made.notes = notesOf(*compilation.lowered, unchecked, checked);
    made.program = std::make_shared<const CompiledProgram>(CompiledProgram{std::move(lowered), std::move(artifacts)});
    return made;
}

} // namespace sw
