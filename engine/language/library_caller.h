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

// A call that was made. It is stale if its nodes were taken back since: then those of the range are not in its scope.
struct LibraryUse {
    std::string function;
    std::vector<std::pair<std::string, Value>> arguments; // with the names that they were given by; empty: by place
    Value result;
    ScopeId scope; // around the call
    ScopeId inner; // of the nodes
    std::size_t first = 0;
    std::size_t end = 0; // of the nodes
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
    [[nodiscard]] const std::vector<LibraryUse> &uses() const { return m_uses; } // in the order of their nodes

private:
    std::shared_ptr<SourceMap> m_sources;
    Library m_library;
    std::stop_token m_stop;
    std::vector<LibraryUse> m_uses;
};

} // namespace sw::language
