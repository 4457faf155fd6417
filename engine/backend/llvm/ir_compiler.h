#pragma once
// LLVM IR text to an object file of this machine.

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

    // symbol: the function whose machine instructions are to know the lines of the text. May be called by several threads
    // at once.
    [[nodiscard]] Result<ObjectBytes> compile(std::string_view text, const std::string &symbol);

    // Target machines that are kept for the next kernels.
    [[nodiscard]] std::size_t idleMachines() const;

private:
    struct State;
    explicit IrCompiler(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace sw
