#include "engine/api/kernel_code.h"

#include "engine/api/compilation.h"
#include "engine/api/describe_common.h"
#include "engine/graph/value_path.h"
#include "engine/lowered/editable_text.h"
#include "engine/passes/lowered/edit_kernels.h"

#include <algorithm>

namespace sw {

namespace {

// The lowered program before texts took the place of kernels.
const LoweredProgram &uneditedProgram(const Compilation &compilation)
{
    for (const PassStep &step : compilation.pipeline.steps)
        if (step.pass->id == kEditKernelsPass)
            if (const auto *before = std::get_if<LoweredProgramPtr>(&step.before))
                return **before;
    return *compilation.lowered;
}

} // namespace

KernelCode kernelCodeOf(const Compilation &compilation, std::uint32_t kernel, CodeForm form)
{
    KernelCode made;
    const bool isMade = compilation.lowered != nullptr && kernel < compilation.lowered->kernels.size() &&
                        (form == CodeForm::Lowered || compilation.code != nullptr);
    if (!isMade)
        return made;
    const Schedule &schedule = *compilation.schedule;
    const LoweredKernel &lowered = compilation.lowered->kernels.at(kernel);
    made.kernel = lowered.name;
    made.device = schedule.device(lowered.device).id;
    made.form = nameOf(form);
    made.value = ValuePaths(*schedule.graph).of(schedule.kernels.at(kernel).root);
    made.interface = interfaceText(uneditedProgram(compilation).kernels.at(kernel));
    if (form == CodeForm::Lowered) {
        made.language = languageName(TargetLanguage::Lowered);
        made.original = editableText(uneditedProgram(compilation).kernels.at(kernel)).text;
        made.current = editableText(lowered).text;
        return made;
    }
    made.interface = interfaceText(lowered);
    const RenderedSource &source = compilation.code->at(kernel);
    made.language = languageName(source.language);
    made.current = withLineEnds(source.text);
    const auto &originals = compilation.edits.originals;
    const auto original = std::ranges::find(originals, KernelId(kernel), &RenderedSource::kernel);
    made.original = original == originals.end() ? made.current : withLineEnds(original->text);
    return made;
}

std::string codeOverride(const KernelCode &kernel, const std::string &name, const std::string &text)
{
    Override item{.kind = OverrideKind::Code, .value = kernel.value};
    item.code.device = kernel.device;
    item.code.form = kernel.form == nameOf(CodeForm::Lowered) ? CodeForm::Lowered : CodeForm::Source;
    item.code.name = name;
    item.code.interface = kernel.interface;
    item.code.original = textMark(kernel.original);
    item.code.text = withLineEnds(text);
    return toText(item);
}

} // namespace sw
