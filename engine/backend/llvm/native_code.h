#pragma once
// Object files of this machine: loads them into the process, and reads them back as machine instructions. This header has no LLVM
// headers: anything that makes objects (our own code generator, a C compiler) can use it.

#include "engine/backend/backend.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

using ObjectBytes = std::vector<std::byte>;

// The code of one object; it stays in memory as long as this object lives.
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

    // Finds the symbols asked for. It is an error when the object lacks one of them or has calls that cannot be resolved.
    [[nodiscard]] Result<std::shared_ptr<const LoadedCode>> load(const ObjectBytes &object, std::span<const std::string> symbols);

private:
    struct Engine;
    explicit CodeLoader(std::shared_ptr<Engine> engine);
    std::shared_ptr<Engine> m_engine; // outlives the code that it has loaded
};

// The name of this machine's processor and all features that code for it may use: objects that were made for another may not run.
[[nodiscard]] std::string hostProcessorText();

// The instructions of one function. Those with a line number in the object get it as sourceLine, and the tag of that line;
// the others are tagged by what they do. lines: those of the text that the object was made from.
[[nodiscard]] Result<MachineCode> disassembled(const ObjectBytes &object, const std::string &symbol,
                                               std::span<const SourceLine> lines);

} // namespace sw
