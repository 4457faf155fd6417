#include "engine/passes/lowered/edit_kernels.h"

#include "engine/lowered/editable_text.h"
#include "engine/lowered/type_rules.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/lowered/code_overrides.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <map>
#include <utility>

namespace sw {

namespace {

// The same kernels, some with bodies of their own.
KernelList withKernels(const KernelList &kernels, std::map<std::size_t, LoweredKernel> edited)
{
    KernelList made;
    std::map<std::size_t, std::size_t> bodies; // by their numbers before
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (const auto found = edited.find(i); found != edited.end()) {
            made.push_back(std::move(found->second));
            continue;
        }
        const KernelBinding *binding = kernels.bindingOf(i);
        if (binding == nullptr) {
            made.push_back(kernels.bodyOf(i));
            continue;
        }
        const auto [body, isNew] = bodies.try_emplace(kernels.bodyNumberOf(i), 0);
        if (isNew)
            body->second = made.addBody(kernels.bodies()[kernels.bodyNumberOf(i)]);
        made.addBound(body->second, *binding);
    }
    return made;
}

Result<Done> checkSpellings(const LoweredKernel &kernel, TargetLanguage language, std::string_view device)
{
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::Alu &&
            spellingOf(instruction.op, language, operandTypeOf(instruction, kernel.instructions)).empty())
            return Diagnostic::error(Code::Unsupported, {}, "{} has no operation {}", device, instructionText(instruction))
                .withHint("the pass decompose writes such operations out; this text comes behind it");
    return Done{};
}

Result<LoweredKernel> editedKernel(const LoweredKernel &kernel, const EditedCode &code, const PassContext &context)
{
    SW_TRY(LoweredKernel edited, readEditedText(kernel, code.text));
    SW_CHECK(checkSpellings(edited, context.language(kernel.device), code.device));
    return edited;
}

bool isSameText(const LoweredKernel &a, const LoweredKernel &b)
{
    return editableText(a).text == editableText(b).text;
}

} // namespace

Result<std::optional<LoweredProgram>> editKernels(const LoweredProgram &program, PassContext &context)
{
    LoweredProgram changed{program.schedule, program.kernels,
                           findCodeOverrides(program, context.options().overrides, CodeForm::Lowered)};
    if (changed.edits.empty())
        return std::optional<LoweredProgram>();
    for (KernelEdit &edit : changed.edits) {
        if (edit.outcome.state != OverrideState::Applied || !context.mayRewrite())
            continue;
        const EditedCode &code = context.options().overrides.items[edit.override].code;
        const LoweredKernel &kernel = program.kernels.at(edit.kernel.value);
        if (std::string reason = whyOutOfDate(code, editableText(kernel).text); !reason.empty()) {
            edit.outcome = {OverrideState::Refused, std::move(reason)};
            continue;
        }
        Result<LoweredKernel> edited = editedKernel(kernel, code, context);
        if (edited && isSameText(*edited, kernel)) {
            edit.outcome = {OverrideState::NoChange, "the text is the kernel's own"};
            continue;
        }
        KernelList kernels = edited ? withKernels(changed.kernels, {{edit.kernel.value, *edited}}) : KernelList();
        const Result<Done> isSound = edited ? verifyLowered({program.schedule, kernels}) : Result<Done>(edited.failure());
        if (!isSound) {
            edit.outcome = {OverrideState::Refused, isSound.error().front().message};
            edit.problems = isSound.error();
            continue;
        }
        // Not by kernel: this pass looks for its kernels in the whole program.
        context.record(kEditedTextRule, [&] {
            return RewriteDetail{
                format("{} gets the instructions of {}", kernel.name, titleOf(context.options().overrides.items[edit.override]))};
        });
        changed.kernels = std::move(kernels);
    }
    return std::optional(std::move(changed));
}

} // namespace sw
