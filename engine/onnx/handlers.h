#pragma once
// One function for each way in which an operator becomes graph nodes that the language cannot say, or says no better;
// operators.cpp maps operators and versions to them.

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
Result<Outputs> importMod(NodeCall &call);
Result<Outputs> importPow(NodeCall &call);
Result<Outputs> importRelu(NodeCall &call);

// ---- op_convolution.cpp
Result<Outputs> importConv(NodeCall &call);
Result<Outputs> importConvTranspose(NodeCall &call);

// ---- op_pooling.cpp
Result<Outputs> importAveragePool(NodeCall &call);
Result<Outputs> importGlobalAveragePool(NodeCall &call);
Result<Outputs> importGlobalMaxPool(NodeCall &call);
Result<Outputs> importGlobalLpPool(NodeCall &call);
Result<Outputs> importLpPool(NodeCall &call);
Result<Outputs> importMaxPool(NodeCall &call);

// ---- op_attention.cpp
Result<Outputs> importFlexAttention(NodeCall &call);

// ---- op_cast.cpp
Result<Outputs> importCast(NodeCall &call);
Result<Outputs> importCastByName(NodeCall &call); // of opset 1
Result<Outputs> importCastLike(NodeCall &call);

// ---- op_quantized.cpp
Result<Outputs> importConvInteger(NodeCall &call);
Result<Outputs> importDequantizeLinear(NodeCall &call);
Result<Outputs> importQLinearConv(NodeCall &call);
Result<Outputs> importQuantizeLinear(NodeCall &call);

// ---- op_einsum.cpp
Result<Outputs> importEinsum(NodeCall &call);

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
Result<Outputs> importTileAlongAxis(NodeCall &call); // of opset 1
Result<Outputs> importTranspose(NodeCall &call);
Result<Outputs> importUnsqueeze(NodeCall &call);

// ---- op_constants.cpp
Result<Outputs> importConstant(NodeCall &call);
Result<Outputs> importConstantOfShape(NodeCall &call);
Result<Outputs> importRange(NodeCall &call);
Result<Outputs> importShape(NodeCall &call);
Result<Outputs> importSize(NodeCall &call);

// ---- op_control.cpp
Result<Outputs> importIf(NodeCall &call);
Result<Outputs> importLoop(NodeCall &call);
Result<Outputs> importScan(NodeCall &call);
Result<Outputs> importBatchScan(NodeCall &call); // of opset 8

// ---- op_gradient.cpp
Result<Outputs> importGradient(NodeCall &call);

// ---- op_indexing.cpp
Result<Outputs> importGather(NodeCall &call);
Result<Outputs> importGatherElements(NodeCall &call);
Result<Outputs> importOneHot(NodeCall &call);
Result<Outputs> importSlice(NodeCall &call);
Result<Outputs> importSliceByAttributes(NodeCall &call);
Result<Outputs> importSplit(NodeCall &call);

// ---- op_known.cpp
Result<Outputs> importCompress(NodeCall &call);
Result<Outputs> importNonMaxSuppression(NodeCall &call);
Result<Outputs> importNonZero(NodeCall &call);
Result<Outputs> importOptionalHasElement(NodeCall &call);
Result<Outputs> importUnique(NodeCall &call);

// ---- op_padding.cpp
Result<Outputs> importPad(NodeCall &call);
Result<Outputs> importPadByAttributes(NodeCall &call);

// ---- op_resize.cpp
Result<Outputs> importResize(NodeCall &call);
Result<Outputs> importUpsample(NodeCall &call); // and Resize of opset 10
Result<Outputs> importUpsampleByAttributes(NodeCall &call);
Result<Outputs> importUpsampleBySides(NodeCall &call); // of opset 1

// ---- op_reduction.cpp
enum class Reduction : std::uint8_t { Sum, Mean, Max, Min, Prod, L1, L2, LogSum, LogSumExp, SumSquare };
Result<Outputs> importReduction(NodeCall &call, Reduction reduction);
template <Reduction reduction>
Result<Outputs> importReduce(NodeCall &call)
{
    return importReduction(call, reduction);
}

// ---- op_sequences.cpp
Result<Outputs> importConcatFromSequence(NodeCall &call);
Result<Outputs> importSequenceAt(NodeCall &call);
Result<Outputs> importSequenceConstruct(NodeCall &call);
Result<Outputs> importSequenceEmpty(NodeCall &call);
Result<Outputs> importSequenceErase(NodeCall &call);
Result<Outputs> importSequenceInsert(NodeCall &call);
Result<Outputs> importSequenceLength(NodeCall &call);
Result<Outputs> importSequenceMap(NodeCall &call);
Result<Outputs> importSplitToSequence(NodeCall &call);

// ---- op_sorting.cpp
Result<Outputs> importTopK(NodeCall &call);
Result<Outputs> importTopKByAttributes(NodeCall &call);

// ---- op_trees.cpp
Result<Outputs> importTreeEnsemble(NodeCall &call);
// ---- op_numbered_trees.cpp
Result<Outputs> importTreeEnsembleClassifier(NodeCall &call);
Result<Outputs> importTreeEnsembleRegressor(NodeCall &call);

} // namespace sw::onnx
