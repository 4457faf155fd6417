#pragma once
// LLVM's code generator for one target machine. Only .cpp files that include LLVM anyway include this header.

#include "engine/backend/llvm/ir_translation.h"

#include <memory>

namespace sw {

// Setting up the passes of a code generator takes as long as a small kernel does in them, so that they are kept and run again for
// the next module. Serves one thread at a time.
class CodeGenerator {
public:
    explicit CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine);
    ~CodeGenerator();
    CodeGenerator(const CodeGenerator &) = delete;
    CodeGenerator &operator=(const CodeGenerator &) = delete;

    [[nodiscard]] llvm::TargetMachine &machine() const;
    // Errors: this machine's code cannot be written so.
    [[nodiscard]] Result<ObjectBytes> generate(llvm::Module &module, EmittedCode emitted);

private:
    struct Passes;
    std::unique_ptr<llvm::TargetMachine> m_machine;
    std::unique_ptr<Passes> m_passes; // null: nothing was generated yet
};

} // namespace sw
