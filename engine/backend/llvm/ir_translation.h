#pragma once
// From LLVM IR text to what a code generator makes of it. Only .cpp files that include LLVM anyway include this header.

#include "engine/backend/backend.h"
#include "engine/backend/llvm/native_code.h"

#include <functional>
#include <string>
#include <string_view>

namespace llvm {
class Function;
class Module;
class PassInstrumentationCallbacks;
class TargetMachine;
} // namespace llvm

namespace sw {

class CodeGenerator;

enum class EmittedCode : std::uint8_t { Object, Assembly };

struct TranslationOptions {
    EmittedCode emitted = EmittedCode::Object;
    bool hasLines = true;          // instructions carry the lines of the text
    std::uint32_t vectorScale = 0; // length of scalable vectors in units of 128 bits; 0: the processor says it
    llvm::PassInstrumentationCallbacks *callbacks = nullptr;
};

// symbol: the function that gets the lines. Errors: in the text, at its lines.
[[nodiscard]] Result<ObjectBytes> translated(std::string_view text, const std::string &symbol, CodeGenerator &generator,
                                             const TranslationOptions &options = {});

// Runs `work`, inside of which LLVM may end the process; that becomes an error of this kernel.
[[nodiscard]] Result<Done> recovered(const std::string &symbol, const std::function<void()> &work);

} // namespace sw
