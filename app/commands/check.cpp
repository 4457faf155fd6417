#include "app/commands/commands.h"
#include "app/commands/common.h"

namespace sw::command {

Outcome check(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Program);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);
    return failed(compilation.diagnostics); // code 0 if there are at most warnings
}

} // namespace sw::command
