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
#include <vector>

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

// What the value is the negation of; null: it is none.
llvm::Value *negatedIn(llvm::Value *value)
{
    auto *operation = llvm::dyn_cast<llvm::UnaryOperator>(value);
    return operation != nullptr && operation->getOpcode() == llvm::Instruction::FNeg ? operation->getOperand(0) : nullptr;
}

llvm::Value *negated(llvm::IRBuilder<> &builder, llvm::Value *value)
{
    llvm::Value *operand = negatedIn(value);
    return operand != nullptr ? operand : builder.CreateFNeg(value);
}

// Where a loop carries negated values, it carries the values, and what reads them negates. False: the phi is not of that kind.
bool carryUnnegated(llvm::PHINode &phi)
{
    const auto isNegation = [](llvm::Value *value) { return negatedIn(value) != nullptr; };
    if (llvm::none_of(phi.incoming_values(), isNegation) || !llvm::all_of(phi.incoming_values(), [&](llvm::Value *value) {
            return isNegation(value) || llvm::isa<llvm::ConstantFP, llvm::ConstantDataVector, llvm::ConstantVector>(value);
        }))
        return false;
    llvm::IRBuilder<> builder(&phi);
    llvm::PHINode *carried = builder.CreatePHI(phi.getType(), phi.getNumIncomingValues());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
        carried->addIncoming(negated(builder, phi.getIncomingValue(i)), phi.getIncomingBlock(i)); // constants are folded
    llvm::BasicBlock *block = phi.getParent();
    builder.SetInsertPoint(block, block->getFirstInsertionPt());
    llvm::Value *read = builder.CreateFNeg(carried);
    phi.replaceAllUsesWith(read);
    phi.eraseFromParent();
    for (llvm::User *user : llvm::make_early_inc_range(read->users()))
        if (negatedIn(user) != nullptr)
            user->replaceAllUsesWith(carried);
    return true;
}

// A phi may become one of these when another has. None is looked at again once it is done: one that changes its sign in each
// round would never end.
void carryUnnegated(llvm::Function &function)
{
    std::vector<llvm::PHINode *> left;
    for (llvm::BasicBlock &block : function)
        for (llvm::PHINode &phi : block.phis())
            if (phi.getType()->isFPOrFPVectorTy())
                left.push_back(&phi);
    while (std::erase_if(left, [](llvm::PHINode *phi) { return carryUnnegated(*phi); }) > 0) {}
}

// vminps both ways: the two results are equal but for zeros and NaN, where each gives its second operand. The bits of both
// together are -0 where one of them is, and NaN where one of them is. The larger one is the negated smaller one of the negated
// operands; a chain of such values, and a loop that carries one, negates once at either end.
void replaceByBothOrders(llvm::IntrinsicInst &call)
{
    llvm::IRBuilder<> builder(&call);
    llvm::Type *type = call.getType();
    llvm::Type *bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
    const bool isLarger = call.getIntrinsicID() == llvm::Intrinsic::maximum;
    const auto operand = [&](unsigned which) {
        llvm::Value *given = call.getArgOperand(which);
        return isLarger ? negated(builder, given) : given;
    };
    llvm::Value *left = operand(0);
    llvm::Value *right = operand(1);
    llvm::Value *one = builder.CreateSelect(builder.CreateFCmpOLT(left, right), left, right);
    llvm::Value *other = builder.CreateSelect(builder.CreateFCmpOLT(right, left), right, left);
    llvm::Value *both = builder.CreateOr(builder.CreateBitCast(one, bits), builder.CreateBitCast(other, bits));
    llvm::Value *smaller = builder.CreateBitCast(both, type);
    call.replaceAllUsesWith(isLarger ? builder.CreateFNeg(smaller) : smaller);
    call.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses ExtremeValuesPass::run(llvm::Function &function, llvm::FunctionAnalysisManager & /*analyses*/) const
{
    if (m_machine.getTargetTriple().getArch() != llvm::Triple::x86_64)
        return llvm::PreservedAnalyses::all();
    const bool hasRange = missingFeatures(m_machine, "avx512dq avx512vl").empty();
    bool isChanged = false;
    bool carriesNegated = false;
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
            } else if (call->getType()->getScalarType()->isFloatTy() || call->getType()->getScalarType()->isDoubleTy()) {
                carriesNegated = carriesNegated || call->getIntrinsicID() == llvm::Intrinsic::maximum;
                replaceByBothOrders(*call);
                isChanged = true;
            }
        }
    if (carriesNegated)
        carryUnnegated(function);
    return isChanged ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace sw
