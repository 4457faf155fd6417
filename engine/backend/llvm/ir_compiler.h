#pragma once
// Compiles LLVM IR text to an object file for this machine.

#include "engine/backend/llvm/native_code.h"

#include <memory>
#include <string>
#include <string_view>

namespace sw {

class IrCompiler {
public:
    static Result<std::unique_ptr<IrCompiler>> create();
    ~IrCompiler();
    IrCompiler(const IrCompiler &) = delete;
    IrCompiler &operator=(const IrCompiler &) = delete;

    // symbol: the function whose machine instructions should carry the line numbers of the text. Several threads may call this
    // at the same time.
    [[nodiscard]] Result<ObjectBytes> compile(std::string_view text, const std::string &symbol);

    // What an object depends on besides the text: LLVM, how it is called, and the processor.
    [[nodiscard]] std::string description() const;

    // The number of target machines kept for the next kernels.
    [[nodiscard]] std::size_t idleMachines() const;

private:
    struct State;
    explicit IrCompiler(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace sw
