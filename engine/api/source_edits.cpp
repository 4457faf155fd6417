#include "engine/api/source_edits.h"

#include "engine/base/line_alignment.h"
#include "engine/passes/lowered/code_overrides.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

std::vector<SourceLine> linesOfEdited(const RenderedSource &original, std::string_view text)
{
    const auto aligned = alignLines(linesOf(original.text), linesOf(text));
    std::vector<SourceLine> lines(aligned.size());
    for (std::size_t i = 0; i < aligned.size(); ++i)
        if (aligned[i] && aligned[i]->before < original.lines.size())
            lines[i] = original.lines[aligned[i]->before];
    return lines;
}

// The commands write a comment with the kernel's name above its text.
std::string_view withoutHeading(std::string_view text, std::string_view original)
{
    const bool hasHeading = text.starts_with("//") || text.starts_with(";");
    const std::string_view rest = text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
    return hasHeading && rest == withLineEnds(original) ? rest : text;
}

// What the text says of the work items that it is for: "One call runs one work item of 16 x 1 x 1." Empty: it does not say.
std::string_view workItemsIn(std::string_view text)
{
    const std::size_t at = text.find("One call runs one work item of ");
    return at == std::string_view::npos ? std::string_view() : text.substr(at, text.find('\n', at) - at);
}

// Text for fewer work items than the kernel now has, say, would leave a part of the results out.
bool isForOtherWorkItems(std::string_view text, std::string_view original)
{
    const std::string_view said = workItemsIn(text);
    return !said.empty() && !workItemsIn(original).empty() && said != workItemsIn(original);
}

// The compiler's messages are in the text; the place of others is unknown. One about a file that the text includes names a line
// of that file, which the text may not have.
Diagnostics inText(Diagnostics problems, const RenderedSource &source)
{
    for (Diagnostic &problem : problems) {
        const bool isInText = problem.where.file.starts_with(source.symbol + ".") && problem.where.line <= source.lines.size();
        problem.where = isInText ? problem.where : SourceRange();
        problem.where.file.clear();
    }
    return problems;
}

} // namespace

SourceEdits replaceSources(const LoweredProgram &program, const Overrides &overrides, std::vector<RenderedSource> &sources)
{
    SourceEdits found{findCodeOverrides(program, overrides, CodeForm::Source), {}};
    for (KernelEdit &edit : found.edits) {
        if (edit.outcome.state != OverrideState::Applied)
            continue;
        const EditedCode &code = overrides.items[edit.override].code;
        RenderedSource &source = sources.at(edit.kernel.value);
        if (std::string reason = whyOutOfDate(code, withLineEnds(source.text)); !reason.empty()) {
            edit.outcome = {OverrideState::Refused, std::move(reason)};
        } else if (withoutHeading(code.text, source.text) == withLineEnds(source.text)) {
            edit.outcome = {OverrideState::NoChange, "the text is the kernel's own"};
        } else if (code.text.find(source.symbol) == std::string::npos) {
            edit.outcome = {OverrideState::Refused, format("the text does not define {}, which is launched", source.symbol)};
        } else if (isForOtherWorkItems(code.text, source.text)) {
            edit.outcome = {OverrideState::Refused,
                            format("the text is for other work items, with other loops, devices or threads: it says {}, and the "
                                   "kernel's own text {}",
                                   quoted(workItemsIn(code.text)), quoted(workItemsIn(source.text)))};
        } else {
            found.originals.push_back(source);
            source.lines = linesOfEdited(found.originals.back(), code.text);
            source.text = code.text;
        }
    }
    return found;
}

bool refuseBrokenSources(SourceEdits &edits, const LoweredProgram &program, std::vector<RenderedSource> &sources,
                         std::span<OpenedDevice *const> devices, const std::stop_token &stop)
{
    bool isAnyRefused = false;
    for (KernelEdit &edit : edits.edits) {
        if (edit.outcome.state != OverrideState::Applied)
            continue;
        RenderedSource &source = sources.at(edit.kernel.value);
        OpenedDevice &device = *devices[program.kernels.bodyOf(edit.kernel.value).device.value];
        const Result<std::vector<ArtifactPtr>> compiled = device.compile(std::span(&source, 1), stop);
        if (stop.stop_requested())
            return isAnyRefused;
        if (compiled)
            continue;
        edit.outcome = {OverrideState::Refused, compiled.error().front().message};
        edit.problems = inText(compiled.error(), source);
        const auto original = std::ranges::find(edits.originals, edit.kernel, &RenderedSource::kernel);
        source = *original;
        edits.originals.erase(original);
        isAnyRefused = true;
    }
    return isAnyRefused;
}

} // namespace sw
