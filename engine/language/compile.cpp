#include "engine/language/compile.h"

#include "engine/language/elaborator.h"

namespace sw {

ProgramResult compileProgram(const ProgramSource &program, const LanguageOptions &options, std::stop_token stop)
{
    const auto sources = std::make_shared<SourceMap>();
    GraphBuilder builder(sources);
    language::Library library(options.libraryFolder);
    return language::Elaborator(program, {sources, builder, library, std::move(stop)}).run();
}

} // namespace sw
