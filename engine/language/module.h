#pragma once
// A file that has been read: the program itself or a file of the library.

#include "engine/base/id.h"
#include "engine/language/syntax_tree.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace sw::language {

struct Module {
    Module(std::string name, std::string text) : source(std::move(name), std::move(text)) {}

    SourceText source;
    SyntaxTree tree; // points into source
    FileId file;
    std::unordered_map<std::string_view, StatementId> functions;
};

} // namespace sw::language
