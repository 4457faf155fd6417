#pragma once
// The functions written in the language: NAME.sw in the library's folder defines NAME, and onnx/NAME.sw there one that an
// operator of ONNX is made of. A file is read when its name is first looked up, so a program pays only for what it uses.

#include "engine/language/module.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sw {
class SourceMap;
}

namespace sw::language {

class Library {
public:
    explicit Library(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    Library(const Library &) = delete;
    Library &operator=(const Library &) = delete;

    struct Found {
        const Module *module = nullptr;
        StatementId definition;
    };

    // Returns nothing if there is no such file or it does not define the name. Errors in the file are added to `diagnostics`.
    [[nodiscard]] std::optional<Found> find(std::string_view name, SourceMap &sources, Diagnostics &diagnostics);
    [[nodiscard]] std::vector<std::string> names() const; // of all functions, sorted

private:
    std::filesystem::path m_folder;
    std::unordered_map<std::string, std::unique_ptr<Module>> m_modules; // null: no such file
};

// Registers the top-level functions of a parsed file; reports a second definition of a name.
void listFunctions(Module &module, Diagnostics &diagnostics);

} // namespace sw::language
