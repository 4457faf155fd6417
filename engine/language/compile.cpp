#include "engine/language/compile.h"

#include "engine/language/elaborator.h"

namespace sw {

ProgramResult compileProgram(const ProgramSource &program, const LanguageOptions &options, std::stop_token stop)
{
    return language::Elaborator(program, options, std::move(stop)).run();
}

} // namespace sw
