#include "app/commands/tuned_request.h"

#include "engine/api/tune/use_tunings.h"

namespace sw::command {

Result<CompileRequest> tunedRequestOf(const Arguments &arguments, const Environment &environment, CompileUntil until)
{
    SW_TRY(CompileRequest request, requestOf(arguments, environment, until));
    if (environment.figures == nullptr || arguments.has(kNoTuningsOption.name))
        return request;
    ProgramCompiler compiler(environment.registry);
    return withTunings(compiler, std::move(request), tuningsBeside(*environment.figures), environment.stop);
}

std::string tuningNotes(const Environment &environment)
{
    const auto tunings = environment.figures == nullptr ? nullptr : tuningsBeside(*environment.figures).read();
    std::string text;
    if (tunings != nullptr)
        for (const std::string &note : tunings->notes)
            text += format("warning: {}\n", note);
    return text;
}

} // namespace sw::command
