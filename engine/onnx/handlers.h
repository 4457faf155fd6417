#pragma once
// One function for each way in which an operator becomes graph nodes; operators.cpp maps operators and versions to them.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// ---- op_elementwise.cpp
template <Op op>
Result<Outputs> applyElementwise(NodeCall &call)
{
    const std::vector<NodeId> operands = call.inputs();
    SW_TRY(const NodeId result, call.builder().broadcasted(call.origin(), op, operands));
    return Outputs{result};
}
// Chains the operation over any number of operands.
template <Op op>
Result<Outputs> applyVariadic(NodeCall &call)
{
    const std::vector<NodeId> operands = call.inputs();
    NodeId result = operands.front();
    for (std::size_t i = 1; i < operands.size(); ++i) {
        SW_TRY(result, call.apply(op, {result, operands[i]}));
    }
    return Outputs{result};
}
// Computes a <= b as b >= a.
template <Op op>
Result<Outputs> applySwapped(NodeCall &call)
{
    SW_TRY(const NodeId result, call.apply(op, {call.input(1), call.input(0)}));
    return Outputs{result};
}
Result<Outputs> importCast(NodeCall &call);
Result<Outputs> importCastLike(NodeCall &call);
Result<Outputs> importCelu(NodeCall &call);
Result<Outputs> importClip(NodeCall &call);
Result<Outputs> importClipByAttributes(NodeCall &call);
Result<Outputs> importElu(NodeCall &call);
Result<Outputs> importGelu(NodeCall &call);
Result<Outputs> importHardSigmoid(NodeCall &call);
Result<Outputs> importHardSwish(NodeCall &call);
Result<Outputs> importIsInf(NodeCall &call);
Result<Outputs> importIsNaN(NodeCall &call);
Result<Outputs> importLeakyRelu(NodeCall &call);
Result<Outputs> importMean(NodeCall &call);
Result<Outputs> importMish(NodeCall &call);
Result<Outputs> importMod(NodeCall &call);
Result<Outputs> importPow(NodeCall &call);
Result<Outputs> importPRelu(NodeCall &call);
Result<Outputs> importRelu(NodeCall &call);
Result<Outputs> importSelu(NodeCall &call);
Result<Outputs> importShrink(NodeCall &call);
Result<Outputs> importSigmoid(NodeCall &call);
Result<Outputs> importSoftplus(NodeCall &call);
Result<Outputs> importSoftsign(NodeCall &call);
Result<Outputs> importSwish(NodeCall &call);
Result<Outputs> importThresholdedRelu(NodeCall &call);

// ---- op_convolution.cpp
Result<Outputs> importConv(NodeCall &call);
Result<Outputs> importConvTranspose(NodeCall &call);

// ---- op_pooling.cpp
Result<Outputs> importAveragePool(NodeCall &call);
Result<Outputs> importGlobalAveragePool(NodeCall &call);
Result<Outputs> importGlobalMaxPool(NodeCall &call);
Result<Outputs> importMaxPool(NodeCall &call);

// ---- op_matrix.cpp
Result<Outputs> importGemm(NodeCall &call);
Result<Outputs> importMatMul(NodeCall &call);

// ---- op_movement.cpp
Result<Outputs> importConcat(NodeCall &call);
Result<Outputs> importDepthToSpace(NodeCall &call);
Result<Outputs> importDropout(NodeCall &call);
Result<Outputs> importExpand(NodeCall &call);
Result<Outputs> importFlatten(NodeCall &call);
Result<Outputs> importIdentity(NodeCall &call);
Result<Outputs> importReshape(NodeCall &call);
Result<Outputs> importSpaceToDepth(NodeCall &call);
Result<Outputs> importSqueeze(NodeCall &call);
Result<Outputs> importTile(NodeCall &call);
Result<Outputs> importTranspose(NodeCall &call);
Result<Outputs> importUnsqueeze(NodeCall &call);

// ---- op_constants.cpp
Result<Outputs> importConstant(NodeCall &call);
Result<Outputs> importConstantOfShape(NodeCall &call);
Result<Outputs> importRange(NodeCall &call);
Result<Outputs> importShape(NodeCall &call);
Result<Outputs> importSize(NodeCall &call);

// ---- op_indexing.cpp
Result<Outputs> importGather(NodeCall &call);
Result<Outputs> importGatherElements(NodeCall &call);
Result<Outputs> importOneHot(NodeCall &call);
Result<Outputs> importSlice(NodeCall &call);
Result<Outputs> importSliceByAttributes(NodeCall &call);
Result<Outputs> importSplit(NodeCall &call);

// ---- op_padding.cpp
Result<Outputs> importPad(NodeCall &call);
Result<Outputs> importPadByAttributes(NodeCall &call);

// ---- op_resize.cpp
Result<Outputs> importResize(NodeCall &call);
Result<Outputs> importUpsample(NodeCall &call); // and Resize of opset 10
Result<Outputs> importUpsampleByAttributes(NodeCall &call);

// ---- op_reduction.cpp
enum class Reduction : std::uint8_t { Sum, Mean, Max, Min, Prod, L1, L2, LogSum, LogSumExp, SumSquare };
Result<Outputs> importReduction(NodeCall &call, Reduction reduction);
template <Reduction reduction>
Result<Outputs> importReduce(NodeCall &call)
{
    return importReduction(call, reduction);
}
Result<Outputs> importArgMax(NodeCall &call);
Result<Outputs> importArgMin(NodeCall &call);

// ---- op_sorting.cpp
Result<Outputs> importTopK(NodeCall &call);
Result<Outputs> importTopKByAttributes(NodeCall &call);

// ---- op_normalization.cpp
Result<Outputs> importBatchNormalization(NodeCall &call);
Result<Outputs> importGroupNormalization(NodeCall &call);
Result<Outputs> importInstanceNormalization(NodeCall &call);
Result<Outputs> importLayerNormalization(NodeCall &call);
Result<Outputs> importLogSoftmax(NodeCall &call);
Result<Outputs> importLrn(NodeCall &call);
Result<Outputs> importRmsNormalization(NodeCall &call);
Result<Outputs> importSoftmax(NodeCall &call);

} // namespace sw::onnx
