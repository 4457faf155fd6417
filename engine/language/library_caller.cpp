#include "engine/language/library_caller.h"

#include "engine/language/elaborator.h"

namespace sw::language {

Result<Value> LibraryCaller::call(GraphBuilder &builder, const LibraryCall &made)
{
    const ProgramSource noProgram;
    Result<Value> result = Elaborator(noProgram, {m_sources, builder, m_library, m_stop}).callLibrary(made);
    builder.setScope(made.scope);
    return result;
}

} // namespace sw::language
