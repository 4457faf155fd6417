#pragma once
// The larger and the smaller one of two floats by the rules of IEEE 754-2019 (NaN wins, -0 is below +0), in few instructions of
// x86.

#include <llvm/IR/PassManager.h>

namespace llvm {
class TargetMachine;
}

namespace sw {

// x86's vmaxps takes the second operand when one is NaN or both are zeros, so LLVM puts four instructions around it for
// llvm.maximum and llvm.minimum.
//
// vrangeps (AVX512DQ) orders zeros; NaN is left, which one comparison finds and one masked addition makes: three instructions
// in place of six. Without it, vminps in both orders and the bits of both results: the larger value is the negated smaller one
// of what is negated, and loops carry what is not negated.
//
// Beside a constant that is no NaN, only its zeros are left to order: vmaxps with the constant first, and before it, for
// max(x, 0), an addition of 0.
class ExtremeValuesPass : public llvm::PassInfoMixin<ExtremeValuesPass> {
public:
    explicit ExtremeValuesPass(const llvm::TargetMachine &machine) : m_machine(machine) {}
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) const;

private:
    const llvm::TargetMachine &m_machine;
};

} // namespace sw
