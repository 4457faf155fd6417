#include "engine/backend/llvm/extreme_values.h"

#include "engine/backend/llvm/target.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Target/TargetMachine.h>

#include <array>

namespace sw {

namespace {

// The instruction's last operand: bits 1 and 0 say which of the two, bit 2 that its sign stays.
constexpr unsigned kSmaller = 0b0100;
constexpr unsigned kLarger = 0b0101;

struct RangeInstruction {
    llvm::Intrinsic::ID id;
    bool isDouble;
    unsigned lanes;
    bool hasRounding; // an operand more: how exceptions are treated
};

constexpr std::array kRangeInstructions = {
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_ps_128, false, 4, false},
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_ps_256, false, 8, false},
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_ps_512, false, 16, true},
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_pd_128, true, 2, false},
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_pd_256, true, 4, false},
    RangeInstruction{llvm::Intrinsic::x86_avx512_mask_range_pd_512, true, 8, true},
};

constexpr unsigned kCurrentRounding = 4;

const RangeInstruction *instructionFor(const llvm::Type &type)
{
    const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    if (vector == nullptr)
        return nullptr;
    const llvm::Type &element = *vector->getElementType();
    const auto *found = llvm::find_if(kRangeInstructions, [&](const RangeInstruction &one) {
        return one.lanes == vector->getNumElements() && (one.isDouble ? element.isDoubleTy() : element.isFloatTy());
    });
    return found == kRangeInstructions.end() ? nullptr : found;
}

// The constant that one operand has in all lanes, and the other operand; no constant: neither is one.
struct WithConstant {
    const llvm::APFloat *constant = nullptr;
    llvm::Value *constantOperand = nullptr;
    llvm::Value *other = nullptr;
};

WithConstant withConstant(const llvm::IntrinsicInst &call)
{
    WithConstant found;
    for (const unsigned operand : {0U, 1U})
        if (llvm::PatternMatch::match(call.getArgOperand(operand), llvm::PatternMatch::m_APFloat(found.constant)))
            return {found.constant, call.getArgOperand(operand), call.getArgOperand(1 - operand)};
    return {};
}

// vmaxps as it is: `constant > other ? constant : other`, which is `other` where that is NaN, and where both are zeros. The
// larger one of +0 and -0 is +0, which the sum of both is; that of anything else and +0 is itself. False: left as it is.
bool replaceWithConstant(llvm::IntrinsicInst &call, const WithConstant &operands)
{
    const bool isLarger = call.getIntrinsicID() == llvm::Intrinsic::maximum;
    const llvm::Type &element = *call.getType()->getScalarType();
    if ((!element.isFloatTy() && !element.isDoubleTy()) || operands.constant->isNaN() ||
        (!isLarger && operands.constant->isNegZero()))
        return false;
    llvm::IRBuilder<> builder(&call);
    llvm::Value *other = operands.other;
    if (isLarger && operands.constant->isPosZero())
        other = builder.CreateFAdd(other, operands.constantOperand);
    llvm::Value *isConstant = isLarger ? builder.CreateFCmpOGT(operands.constantOperand, other)
                                       : builder.CreateFCmpOLT(operands.constantOperand, other);
    call.replaceAllUsesWith(builder.CreateSelect(isConstant, operands.constantOperand, other));
    call.eraseFromParent();
    return true;
}

void replace(llvm::IntrinsicInst &call, const RangeInstruction &instruction)
{
    llvm::IRBuilder<> builder(&call);
    llvm::Value *left = call.getArgOperand(0);
    llvm::Value *right = call.getArgOperand(1);
    const bool isLarger = call.getIntrinsicID() == llvm::Intrinsic::maximum;
    llvm::SmallVector<llvm::Value *> operands = {
        left, right, builder.getInt32(isLarger ? kLarger : kSmaller), llvm::Constant::getNullValue(call.getType()),
        llvm::Constant::getAllOnesValue(builder.getIntNTy(std::max(8U, instruction.lanes)))};
    if (instruction.hasRounding)
        operands.push_back(builder.getInt32(kCurrentRounding));
    llvm::Value *ordered = builder.CreateIntrinsic(instruction.id, {}, operands);
    // The instruction prefers a number to NaN; the sum of NaN and anything is NaN.
    llvm::Value *isUnordered = builder.CreateFCmpUNO(left, right);
    call.replaceAllUsesWith(builder.CreateSelect(isUnordered, builder.CreateFAdd(left, right), ordered));
    call.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses RangeInstructionsPass::run(llvm::Function &function, llvm::FunctionAnalysisManager & /*analyses*/) const
{
    if (m_machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
        return llvm::PreservedAnalyses::all();
    const bool hasRange = missingFeatures(m_machine, "avx512dq avx512vl").empty();
    bool isChanged = false;
    for (llvm::BasicBlock &block : function)
        for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
            auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call == nullptr ||
                (call->getIntrinsicID() != llvm::Intrinsic::maximum && call->getIntrinsicID() != llvm::Intrinsic::minimum))
                continue;
            if (const WithConstant operands = withConstant(*call); operands.constant != nullptr) {
                isChanged = replaceWithConstant(*call, operands) || isChanged;
            } else if (const RangeInstruction *found = hasRange ? instructionFor(*call->getType()) : nullptr) {
                replace(*call, *found);
                isChanged = true;
            }
        }
    return isChanged ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace sw
