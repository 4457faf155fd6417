#pragma once
// Calls functions of the library from outside of a program. The front end for models makes operators of them, so that an operator
// which is a formula is written, read and folded like any function of the language.

#include "engine/language/library.h"
#include "engine/language/value.h"

#include <stop_token>

namespace sw::language {

struct LibraryArgument {
    Value value;                // tensors are nodes of the builder that is called with
    std::string_view name = {}; // of the parameter; empty: the next one
};

struct LibraryCall {
    std::string_view function;
    std::vector<LibraryArgument> arguments = {};
    std::string scopeName = {}; // the scope that the nodes get, within `scope`
    ScopeId scope;
    SourceId caller; // what the user sees as the call
};

class LibraryCaller {
public:
    // The files that are read are added to the source map, in which all nodes have their origins.
    LibraryCaller(std::filesystem::path libraryFolder, std::shared_ptr<SourceMap> sources, std::stop_token stop)
        : m_sources(std::move(sources)), m_library(std::move(libraryFolder)), m_stop(std::move(stop))
    {
    }

    // Returns what the function returns. Diagnostics stand at the caller's place, with the way into the function as notes. The
    // builder writes to the same source map; its scope is not the caller's afterwards.
    [[nodiscard]] Result<Value> call(GraphBuilder &builder, const LibraryCall &made);

private:
    std::shared_ptr<SourceMap> m_sources;
    Library m_library;
    std::stop_token m_stop;
};

} // namespace sw::language
