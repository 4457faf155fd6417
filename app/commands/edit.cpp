#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/kernel_code.h"
#include "engine/api/override_list.h"
#include "engine/base/whole_file.h"

#include <algorithm>
#include <filesystem>

namespace sw::command {

namespace {

// The overrides of the file, if there is one, with this one switched on in place of others for its kernel.
Result<std::string> withFile(const std::string &file, const KernelCode &kernel, const std::string &override)
{
    OverrideFile read;
    if (std::filesystem::exists(file)) {
        SW_TRY(const std::string text, readTextFile(file));
        SW_CHECK(parseOverrides(text, file)); // says what is wrong with it
        read = readOverrides(text, file);
    }
    OverridesWith with = withOverride(std::move(read.lines), override);
    return overridesText(withVariantOn(std::move(with.lines), kernel, with.index));
}

} // namespace

Outcome edit(const Arguments &arguments, const Environment &environment)
{
    const std::string stage = arguments.value("--stage", "code");
    if (stage != "code" && stage != "lowered")
        return usageFailed(
            {Diagnostic::error(Code::Argument, {}, "the stage to edit is code or lowered, not {}", sw::quoted(stage))});
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Code);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);
    Outcome outcome = failed(compilation.diagnostics);
    if (!compilation.succeeded)
        return outcome;
    const Result<KernelId> kernel = wantedKernel(arguments, *compilation.schedule);
    if (!kernel)
        return usageFailed(kernel.error());
    const KernelCode code = kernelCodeOf(compilation, kernel->value, stage == "code" ? CodeForm::Source : CodeForm::Lowered);
    const std::string file = arguments.value("-o", {});
    const std::string override = codeOverride(code, arguments.value("--name", {}), code.current);
    Result<std::string> text = arguments.has("--plain") ? Result<std::string>(code.current) : withFile(file, code, override);
    if (!text)
        return failed(text.error());
    if (file.empty()) {
        outcome.output = std::move(*text);
        return outcome;
    }
    const Result<Done> written = writeWholeFile(file, {*text}, Durability::Synced);
    return written ? outcome : failed(written.error());
}

} // namespace sw::command
