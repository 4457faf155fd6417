#include "engine/language/library_caller.h"

#include "engine/language/elaborator.h"

namespace sw::language {

Result<Value> LibraryCaller::call(GraphBuilder &builder, const LibraryCall &made)
{
    const ProgramSource noProgram;
    LibraryUse use;
    use.function = made.function;
    use.scope = made.scope;
    use.first = builder.size();
    use.inner = ScopeId(m_sources->scopes().size()); // the first that the call opens
    Result<Value> result = Elaborator(noProgram, {m_sources, builder, m_library, m_stop}).callLibrary(made);
    builder.setScope(made.scope);
    if (!result)
        return result;
    use.end = builder.size();
    use.result = *result;
    for (const LibraryArgument &argument : made.arguments)
        use.arguments.emplace_back(argument.name, argument.value);
    while (!m_uses.empty() && m_uses.back().end > use.first)
        m_uses.pop_back();
    m_uses.push_back(std::move(use));
    return result;
}

} // namespace sw::language
