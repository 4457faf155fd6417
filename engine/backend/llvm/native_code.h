#pragma once
// Object files of this machine: loading them into the process, and reading them back as machine instructions. No LLVM headers
// here: whoever makes objects (our own code generator, a C compiler) uses this.

#include "engine/backend/backend.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

using ObjectBytes = std::vector<std::byte>;

// The code of one object; it stays in memory as long as this does.
class LoadedCode {
public:
    virtual ~LoadedCode() = default;
    [[nodiscard]] virtual void *address(const std::string &symbol) const = 0; // null: the object has no such symbol
};

class CodeLoader {
public:
    static Result<std::unique_ptr<CodeLoader>> create();
    ~CodeLoader();
    CodeLoader(const CodeLoader &) = delete;
    CodeLoader &operator=(const CodeLoader &) = delete;

    // Finds the symbols asked for; an object without one of them, or with calls that lead nowhere, is an error.
    [[nodiscard]] Result<std::shared_ptr<const LoadedCode>> load(const ObjectBytes &object, std::span<const std::string> symbols);

private:
    struct Engine;
    explicit CodeLoader(std::shared_ptr<Engine> engine);
    std::shared_ptr<Engine> m_engine; // outlives the code that was loaded by it
};

// The instructions of one function. Where the object has line numbers, sourceLine is one of them, and the tag says
// Instruction; the other instructions are tagged by what they do. lines: of the text that the object was made from.
[[nodiscard]] Result<std::vector<MachineInstruction>> disassembled(const ObjectBytes &object, const std::string &symbol,
                                                                   std::span<const SourceLine> lines);

} // namespace sw
