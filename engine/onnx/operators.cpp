#include "engine/onnx/operators.h"

#include "engine/onnx/handlers.h"

namespace sw::onnx {

namespace {

constexpr std::int64_t kOpen = kNoLastOpset;

// Sorted by name.
// clang-format off
constexpr OperatorRow kOperators[] = {
    {"Abs",                    6, kOpen, 1, 1, applyElementwise<Op::Abs>},
    {"Add",                    7, kOpen, 2, 2, applyElementwise<Op::Add>},
    {"And",                    7, kOpen, 2, 2, applyElementwise<Op::And>},
    {"ArgMax",                 1, kOpen, 1, 1, importArgMax},
    {"ArgMin",                 1, kOpen, 1, 1, importArgMin},
    {"AveragePool",            1, kOpen, 1, 1, importAveragePool},
    {"BatchNormalization",     7, kOpen, 5, 5, importBatchNormalization},
    {"BitwiseAnd",            18, kOpen, 2, 2, applyElementwise<Op::And>},
    {"BitwiseOr",             18, kOpen, 2, 2, applyElementwise<Op::Or>},
    {"BitwiseXor",            18, kOpen, 2, 2, applyElementwise<Op::Xor>},
    {"Cast",                   6, kOpen, 1, 1, importCast},
    {"CastLike",              15, kOpen, 2, 2, importCastLike},
    {"Ceil",                   6, kOpen, 1, 1, applyElementwise<Op::Ceil>},
    {"Celu",                  12, kOpen, 1, 1, importCelu},
    {"Clip",                   6,    10, 1, 1, importClipByAttributes},
    {"Clip",                  11, kOpen, 1, 3, importClip},
    {"Concat",                 4, kOpen, 1, kAnyOperands, importConcat},
    {"Constant",               1, kOpen, 0, 0, importConstant, Folding::Never},
    {"ConstantOfShape",        9, kOpen, 1, 1, importConstantOfShape, Folding::Never},
    {"Conv",                   1, kOpen, 2, 3, importConv},
    {"ConvTranspose",          1, kOpen, 2, 3, importConvTranspose},
    {"Cos",                    7, kOpen, 1, 1, applyElementwise<Op::Cos>},
    {"DepthToSpace",           1, kOpen, 1, 1, importDepthToSpace},
    {"Div",                    7, kOpen, 2, 2, applyElementwise<Op::Div>},
    {"Dropout",                7, kOpen, 1, 3, importDropout},
    {"Elu",                    6, kOpen, 1, 1, importElu},
    {"Equal",                  7, kOpen, 2, 2, applyElementwise<Op::Cmpeq>},
    {"Erf",                    9, kOpen, 1, 1, applyElementwise<Op::Erf>},
    {"Exp",                    6, kOpen, 1, 1, applyElementwise<Op::Exp>},
    {"Expand",                 8, kOpen, 2, 2, importExpand},
    {"Flatten",                1, kOpen, 1, 1, importFlatten},
    {"Floor",                  6, kOpen, 1, 1, applyElementwise<Op::Floor>},
    {"Gather",                 1, kOpen, 2, 2, importGather},
    {"GatherElements",        11, kOpen, 2, 2, importGatherElements},
    {"Gelu",                  20, kOpen, 1, 1, importGelu},
    {"Gemm",                   7, kOpen, 2, 3, importGemm},
    {"GlobalAveragePool",      1, kOpen, 1, 1, importGlobalAveragePool},
    {"GlobalMaxPool",          1, kOpen, 1, 1, importGlobalMaxPool},
    {"Greater",                7, kOpen, 2, 2, applySwapped<Op::Cmplt>},
    {"GreaterOrEqual",        12, kOpen, 2, 2, applySwapped<Op::Cmple>},
    {"GroupNormalization",    18, kOpen, 3, 3, importGroupNormalization},
    {"HardSigmoid",            6, kOpen, 1, 1, importHardSigmoid},
    {"HardSwish",             14, kOpen, 1, 1, importHardSwish},
    {"Identity",               1, kOpen, 1, 1, importIdentity},
    {"InstanceNormalization",  6, kOpen, 3, 3, importInstanceNormalization},
    {"IsInf",                 10, kOpen, 1, 1, importIsInf},
    {"IsNaN",                  9, kOpen, 1, 1, importIsNaN},
    {"LRN",                    1, kOpen, 1, 1, importLrn},
    {"LayerNormalization",    17, kOpen, 2, 3, importLayerNormalization},
    {"LeakyRelu",              6, kOpen, 1, 1, importLeakyRelu},
    {"Less",                   7, kOpen, 2, 2, applyElementwise<Op::Cmplt>},
    {"LessOrEqual",           12, kOpen, 2, 2, applyElementwise<Op::Cmple>},
    {"Log",                    6, kOpen, 1, 1, applyElementwise<Op::Log>},
    {"LogSoftmax",             1, kOpen, 1, 1, importLogSoftmax},
    {"MatMul",                 1, kOpen, 2, 2, importMatMul},
    {"Max",                    6, kOpen, 1, kAnyOperands, applyVariadic<Op::Max>},
    {"MaxPool",                1, kOpen, 1, 1, importMaxPool},
    {"Mean",                   6, kOpen, 1, kAnyOperands, importMean},
    {"Min",                    6, kOpen, 1, kAnyOperands, applyVariadic<Op::Min>},
    {"Mish",                  18, kOpen, 1, 1, importMish},
    {"Mod",                   10, kOpen, 2, 2, importMod},
    {"Mul",                    7, kOpen, 2, 2, applyElementwise<Op::Mul>},
    {"Neg",                    6, kOpen, 1, 1, applyElementwise<Op::Neg>},
    {"Not",                    1, kOpen, 1, 1, applyElementwise<Op::Not>},
    {"OneHot",                 9, kOpen, 3, 3, importOneHot},
    {"Or",                     7, kOpen, 2, 2, applyElementwise<Op::Or>},
    {"PRelu",                  7, kOpen, 2, 2, importPRelu},
    {"Pad",                    2,    10, 1, 1, importPadByAttributes},
    {"Pad",                   11, kOpen, 2, 4, importPad},
    {"Pow",                    7, kOpen, 2, 2, importPow},
    {"RMSNormalization",      23, kOpen, 2, 2, importRmsNormalization},
    {"Range",                 11, kOpen, 3, 3, importRange, Folding::Never},
    {"Reciprocal",             6, kOpen, 1, 1, applyElementwise<Op::Recip>},
    {"ReduceL1",               1, kOpen, 1, 2, importReduce<Reduction::L1>},
    {"ReduceL2",               1, kOpen, 1, 2, importReduce<Reduction::L2>},
    {"ReduceLogSum",           1, kOpen, 1, 2, importReduce<Reduction::LogSum>},
    {"ReduceLogSumExp",        1, kOpen, 1, 2, importReduce<Reduction::LogSumExp>},
    {"ReduceMax",              1, kOpen, 1, 2, importReduce<Reduction::Max>},
    {"ReduceMean",             1, kOpen, 1, 2, importReduce<Reduction::Mean>},
    {"ReduceMin",              1, kOpen, 1, 2, importReduce<Reduction::Min>},
    {"ReduceProd",             1, kOpen, 1, 2, importReduce<Reduction::Prod>},
    {"ReduceSum",              1, kOpen, 1, 2, importReduce<Reduction::Sum>},
    {"ReduceSumSquare",        1, kOpen, 1, 2, importReduce<Reduction::SumSquare>},
    {"Relu",                   6, kOpen, 1, 1, importRelu},
    {"Reshape",                5, kOpen, 2, 2, importReshape},
    {"Resize",                10,    10, 2, 2, importUpsample},
    {"Resize",                11, kOpen, 1, 4, importResize},
    {"Round",                 11, kOpen, 1, 1, applyElementwise<Op::Round>},
    {"Selu",                   6, kOpen, 1, 1, importSelu},
    {"Shape",                  1, kOpen, 1, 1, importShape, Folding::Never},
    {"Shrink",                 9, kOpen, 1, 1, importShrink},
    {"Sigmoid",                6, kOpen, 1, 1, importSigmoid},
    {"Sign",                   9, kOpen, 1, 1, applyElementwise<Op::Sign>},
    {"Sin",                    7, kOpen, 1, 1, applyElementwise<Op::Sin>},
    {"Size",                   1, kOpen, 1, 1, importSize, Folding::Never},
    {"Slice",                  1,     9, 1, 1, importSliceByAttributes},
    {"Slice",                 10, kOpen, 3, 5, importSlice},
    {"Softmax",                1, kOpen, 1, 1, importSoftmax},
    {"Softplus",               1, kOpen, 1, 1, importSoftplus},
    {"Softsign",               1, kOpen, 1, 1, importSoftsign},
    {"SpaceToDepth",           1, kOpen, 1, 1, importSpaceToDepth},
    {"Split",                  2, kOpen, 1, 2, importSplit},
    {"Sqrt",                   6, kOpen, 1, 1, applyElementwise<Op::Sqrt>},
    {"Squeeze",                1, kOpen, 1, 2, importSqueeze},
    {"Sub",                    7, kOpen, 2, 2, applyElementwise<Op::Sub>},
    {"Sum",                    6, kOpen, 1, kAnyOperands, applyVariadic<Op::Add>},
    {"Swish",                 24, kOpen, 1, 1, importSwish},
    {"Tanh",                   6, kOpen, 1, 1, applyElementwise<Op::Tanh>},
    {"ThresholdedRelu",       10, kOpen, 1, 1, importThresholdedRelu},
    {"Tile",                   6, kOpen, 2, 2, importTile},
    {"TopK",                   1,     9, 1, 1, importTopKByAttributes},
    {"TopK",                  10, kOpen, 2, 2, importTopK},
    {"Transpose",              1, kOpen, 1, 1, importTranspose},
    {"Unsqueeze",              1, kOpen, 1, 2, importUnsqueeze},
    {"Upsample",               7,     8, 1, 1, importUpsampleByAttributes},
    {"Upsample",               9,     9, 2, 2, importUpsample},
    {"Where",                  9, kOpen, 3, 3, applyElementwise<Op::Where>},
    {"Xor",                    7, kOpen, 2, 2, applyElementwise<Op::Xor>},
};
// clang-format on

constexpr bool isSorted()
{
    for (std::size_t i = 1; i < std::size(kOperators); ++i) {
        const OperatorRow &a = kOperators[i - 1];
        const OperatorRow &b = kOperators[i];
        if (a.name > b.name || (a.name == b.name && a.lastOpset >= b.firstOpset))
            return false;
    }
    return true;
}
static_assert(isSorted(), "rows in the order of names and opsets, their opsets apart");

} // namespace

std::span<const OperatorRow> operatorTable()
{
    return kOperators;
}

const OperatorRow *findOperator(std::string_view domain, std::string_view name, std::int64_t opset)
{
    if (!domain.empty())
        return nullptr;
    const auto first = std::lower_bound(std::begin(kOperators), std::end(kOperators), name,
                                        [](const OperatorRow &row, std::string_view wanted) { return row.name < wanted; });
    for (auto row = first; row != std::end(kOperators) && row->name == name; ++row) {
        if (opset >= row->firstOpset && opset <= row->lastOpset)
            return row;
    }
    return nullptr;
}

} // namespace sw::onnx
