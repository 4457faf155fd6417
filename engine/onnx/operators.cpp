#include "engine/onnx/operators.h"

#include "engine/onnx/handlers.h"
#include "engine/onnx/op_regions.h"
#include "engine/onnx/operator_formula.h"

namespace sw::onnx {

namespace {

constexpr std::int64_t kOpen = kNoLastOpset;

// Sorted by name.
// clang-format off
constexpr OperatorRow kOperators[] = {
    {"Abs",                        1, kOpen, 1, 1, applyElementwise<Op::Abs>},
    {"Acos",                       7, kOpen, 1, 1, "acos($0)"},
    {"Acosh",                      9, kOpen, 1, 1, "acosh($0)"},
    {"Add",                        1,     6, 2, 2, "old_add($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Add",                        7, kOpen, 2, 2, applyElementwise<Op::Add>},
    {"AffineGrid",                20, kOpen, 2, 2, "affine_grid($0, extents = $1!, align = @align_corners:0)"},
    {"And",                        1,     6, 2, 2, "old_and($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"And",                        7, kOpen, 2, 2, applyElementwise<Op::And>},
    {"ArgMax",                     1, kOpen, 1, 1,
        "arg_max($0, axis = @axis:0, keepdims = @keepdims:1, last = @select_last_index:0)"},
    {"ArgMin",                     1, kOpen, 1, 1,
        "arg_min($0, axis = @axis:0, keepdims = @keepdims:1, last = @select_last_index:0)"},
    {"Asin",                       7, kOpen, 1, 1, "asin($0)"},
    {"Asinh",                      9, kOpen, 1, 1, "asinh($0)"},
    {"Atan",                       7, kOpen, 1, 1, "atan($0)"},
    {"Atanh",                      9, kOpen, 1, 1, "atanh($0)"},
    {"Attention",                 23, kOpen, 3, 7,
        "scaled_attention($0, $1, $2, $3, $4, $5, $6, causal = @is_causal:0, query_heads = @q_num_heads, "
        "key_heads = @kv_num_heads, scale = @scale, cap = @softcap:0.0, mode = @qk_matmul_output_mode:0)"},
    {"AveragePool",                1, kOpen, 1, 1, importAveragePool},
    {"BatchNormalization",         1,     6, 5, 5,
        "batch_normalization_1($0, $1, $2, $3, $4, epsilon = @epsilon:0.00001, is_test = @is_test:0, "
        "spatial = @spatial:1, outputs = #outputs)"},
    {"BatchNormalization",         7,    13, 5, 5,
        "batch_normalization_7($0, $1, $2, $3, $4, epsilon = @epsilon:0.00001, spatial = @spatial:1, outputs = #outputs)"},
    {"BatchNormalization",        14, kOpen, 5, 5,
        "batch_normalization($0, $1, $2, $3, $4, epsilon = @epsilon:0.00001, momentum = @momentum:0.9, "
        "training = @training_mode:0)"},
    {"BitCast",                   26, kOpen, 1, 1, "bit_cast($0, %to)"},
    {"BitShift",                  11, kOpen, 2, 2, "bit_shift($0, $1, direction = @direction:'')"},
    {"BitwiseAnd",                18, kOpen, 2, 2, applyElementwise<Op::And>},
    {"BitwiseNot",                18, kOpen, 1, 1, "bitwise_not($0)"},
    {"BitwiseOr",                 18, kOpen, 2, 2, applyElementwise<Op::Or>},
    {"BitwiseXor",                18, kOpen, 2, 2, applyElementwise<Op::Xor>},
    {"BlackmanWindow",            17, kOpen, 1, 1,
        "blackman_window(size = $0!, dtype = %output_datatype, periodic = @periodic:1)"},
    {"Cast",                       1,     5, 1, 1, importCastByName, Folding::WhenConstant, NarrowTypes::Known},
    {"Cast",                       6, kOpen, 1, 1, importCast, Folding::WhenConstant, NarrowTypes::Known},
    {"CastLike",                  15, kOpen, 2, 2, importCastLike, Folding::WhenConstant, NarrowTypes::Known},
    {"CausalConvWithState",       27, kOpen, 2, 4, "causal_conv_with_state($0, $1, $2, $3, activation = @activation:'none')"},
    {"Ceil",                       1, kOpen, 1, 1, applyElementwise<Op::Ceil>},
    {"Celu",                      12, kOpen, 1, 1, "celu($0, alpha = @alpha:1.0)"},
    {"CenterCropPad",             18, kOpen, 2, 2, "center_crop_pad($0, extents = $1!, axes = @axes)"},
    {"Clip",                       1,    10, 1, 1, "clip($0, low = @min, high = @max)"},
    {"Clip",                      11, kOpen, 1, 3, "clip($0, low = $1, high = $2)"},
    {"Col2Im",                    18, kOpen, 3, 3,
        "col2im($0, image = $1!, block = $2!, dilations = @dilations, pads = @pads, strides = @strides)"},
    {"Compress",                   9, kOpen, 2, 2, importCompress},
    {"Concat",                     1, kOpen, 1, kAnyOperands, importConcat},
    {"ConcatFromSequence",        11, kOpen, 1, 1, importConcatFromSequence, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"Constant",                   1, kOpen, 0, 0, importConstant, Folding::Never},
    {"ConstantOfShape",            9, kOpen, 1, 1, importConstantOfShape, Folding::Never},
    {"Conv",                       1, kOpen, 2, 3, importConv},
    {"ConvInteger",               10, kOpen, 2, 4, importConvInteger},
    {"ConvTranspose",              1, kOpen, 2, 3, importConvTranspose},
    {"Cos",                        7, kOpen, 1, 1, applyElementwise<Op::Cos>},
    {"Cosh",                       9, kOpen, 1, 1, "cosh($0)"},
    {"CumProd",                   26, kOpen, 2, 2, "cumprod($0, axis = $1!, exclusive = @exclusive:0, reverse = @reverse:0)"},
    {"CumSum",                    11, kOpen, 2, 2, "cumsum($0, axis = $1!, exclusive = @exclusive:0, reverse = @reverse:0)"},
    {"DFT",                       17,    19, 1, 2,
        "dft($0, length = $1!, axis = @axis:1, inverse = @inverse:0, onesided = @onesided:0)"},
    {"DFT",                       20, kOpen, 1, 3,
        "dft_20($0, length = $1!, axis = $2!, inverse = @inverse:0, onesided = @onesided:0)"},
    {"DeformConv",                19, kOpen, 3, 5,
        "deform_conv($0, $1, $2, $3, $4, dilations = @dilations, pads = @pads, strides = @strides, groups = @group:1, "
        "offset_groups = @offset_group:1)"},
    {"DepthToSpace",               1, kOpen, 1, 1, importDepthToSpace},
    {"DequantizeLinear",          10, kOpen, 2, 3, importDequantizeLinear, Folding::WhenConstant, NarrowTypes::Known},
    {"Det",                       11, kOpen, 1, 1, "det($0)"},
    {"Div",                        1,     6, 2, 2, "old_div($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Div",                        7, kOpen, 2, 2, applyElementwise<Op::Div>},
    {"Dropout",                    1, kOpen, 1, 3, importDropout},
    {"DynamicQuantizeLinear",     11, kOpen, 1, 1, "dynamic_quantize_linear($0)"},
    {"Einsum",                    12, kOpen, 1, kAnyOperands, importEinsum},
    {"Elu",                        1, kOpen, 1, 1, "elu($0, alpha = @alpha:1.0)"},
    {"Equal",                      1,     6, 2, 2, "old_equal($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Equal",                      7, kOpen, 2, 2, applyElementwise<Op::Cmpeq>},
    {"Erf",                        9, kOpen, 1, 1, applyElementwise<Op::Erf>},
    {"Exp",                        1, kOpen, 1, 1, applyElementwise<Op::Exp>},
    {"Expand",                     8, kOpen, 2, 2, importExpand, Folding::WhenConstant, NarrowTypes::Kept},
    {"EyeLike",                    9, kOpen, 1, 1, "eye_like($0, %dtype, k = @k:0)"},
    {"Flatten",                    1, kOpen, 1, 1, importFlatten, Folding::WhenConstant, NarrowTypes::Kept},
    {"Floor",                      1, kOpen, 1, 1, applyElementwise<Op::Floor>},
    {"GRU",                        1, kOpen, 3, 6,
        "gru($0, $1, $2, $3, $4, $5, direction = @direction:'forward', activations = @activations, "
        "alphas = @activation_alpha, betas = @activation_beta, clip = @clip, layout = @layout:0, "
        "before_reset = @linear_before_reset:0)"},
    {"Gather",                     1, kOpen, 2, 2, importGather, Folding::WhenConstant, NarrowTypes::Kept},
    {"GatherElements",            11, kOpen, 2, 2, importGatherElements},
    {"GatherND",                  11, kOpen, 2, 2, "gather_nd($0, $1, batch = @batch_dims:0)"},
    {"Gelu",                      20, kOpen, 1, 1, "gelu($0, approximate = @approximate:'none')"},
    {"Gemm",                       1, kOpen, 2, 3, importGemm},
    {"GlobalAveragePool",          1, kOpen, 1, 1, importGlobalAveragePool},
    {"GlobalLpPool",               1, kOpen, 1, 1, importGlobalLpPool},
    {"GlobalMaxPool",              1, kOpen, 1, 1, importGlobalMaxPool},
    {"Greater",                    1,     6, 2, 2, "old_greater($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Greater",                    7, kOpen, 2, 2, applySwapped<Op::Cmplt>},
    {"GreaterOrEqual",            12, kOpen, 2, 2, applySwapped<Op::Cmple>},
    {"GridSample",                16, kOpen, 2, 2,
        "grid_sample($0, $1, mode = @mode:'linear', padding = @padding_mode:'zeros', align = @align_corners:0)"},
    {"GroupNormalization",        18, kOpen, 3, 3,
        "group_normalization($0, $1, $2, groups = @num_groups:0, epsilon = @epsilon:0.00001, opset = #opset)"},
    {"HammingWindow",             17, kOpen, 1, 1,
        "hamming_window(size = $0!, dtype = %output_datatype, periodic = @periodic:1)"},
    {"HannWindow",                17, kOpen, 1, 1, "hann_window(size = $0!, dtype = %output_datatype, periodic = @periodic:1)"},
    {"HardSigmoid",                1, kOpen, 1, 1, "hard_sigmoid($0, alpha = @alpha:0.2, beta = @beta:0.5)"},
    {"HardSwish",                 14, kOpen, 1, 1, "hard_swish($0)"},
    {"Hardmax",                    1,    12, 1, 1, "hardmax_from($0, axis = @axis:1)"},
    {"Hardmax",                   13, kOpen, 1, 1, "hardmax($0, axis = @axis:-1)"},
    {"Identity",                   1, kOpen, 1, 1, importIdentity, Folding::WhenConstant, NarrowTypes::Kept, Sequences::Known},
    {"If",                         1, kOpen, 1, 1, importIf, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"InstanceNormalization",      1, kOpen, 3, 3, "instance_normalization($0, $1, $2, epsilon = @epsilon:0.00001)"},
    {"IsInf",                     10, kOpen, 1, 1, "is_inf($0, positive = @detect_positive:1, negative = @detect_negative:1)"},
    {"IsNaN",                      9, kOpen, 1, 1, "is_nan($0)"},
    {"LRN",                        1, kOpen, 1, 1,
        "lrn($0, count = @size:0, alpha = @alpha:0.0001, beta = @beta:0.75, bias = @bias:1.0)"},
    {"LSTM",                       1, kOpen, 3, 8,
        "lstm($0, $1, $2, $3, $4, $5, $6, $7, direction = @direction:'forward', activations = @activations, "
        "alphas = @activation_alpha, betas = @activation_beta, clip = @clip, layout = @layout:0, "
        "input_forget = @input_forget:0)"},
    {"LayerNormalization",        17, kOpen, 2, 3,
        "layer_normalization($0, $1, $2, axis = @axis:-1, epsilon = @epsilon:0.00001)"},
    {"LeakyRelu",                  1, kOpen, 1, 1, "leaky_relu($0, slope = @alpha:0.01)"},
    {"Less",                       1,     6, 2, 2, "old_less($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Less",                       7, kOpen, 2, 2, applyElementwise<Op::Cmplt>},
    {"LessOrEqual",               12, kOpen, 2, 2, applyElementwise<Op::Cmple>},
    {"LinearAttention",           27, kOpen, 3, 6,
        "linear_attention($0, $1, $2, $3, $4, $5, query_heads = @q_num_heads:0, key_heads = @kv_num_heads:0, "
        "scale = @scale:0.0, rule = @update_rule:'gated_delta')"},
    {"Log",                        1, kOpen, 1, 1, applyElementwise<Op::Log>},
    {"LogSoftmax",                 1,    12, 1, 1, "log_softmax_from($0, axis = @axis:1)"},
    {"LogSoftmax",                13, kOpen, 1, 1, "log_softmax($0, axis = @axis:-1)"},
    {"Loop",                       1, kOpen, 0, kAnyOperands, importLoop, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"LpNormalization",            1, kOpen, 1, 1, "lp_normalization($0, axis = @axis:-1, p = @p:2)"},
    {"LpPool",                     1, kOpen, 1, 1, importLpPool},
    {"MatMul",                     1, kOpen, 2, 2, importMatMul},
    {"MatMulInteger",             10, kOpen, 2, 4, "matmul_integer($0, $1, $2, $3)"},
    {"Max",                        1, kOpen, 1, kAnyOperands, applyVariadic<Op::Max>},
    {"MaxPool",                    1, kOpen, 1, 1, importMaxPool},
    {"MaxRoiPool",                 1, kOpen, 2, 2,
        "max_roi_pool($0, $1, size = @pooled_shape, scale = @spatial_scale:1.0)"},
    {"MaxUnpool",                  9, kOpen, 2, 3,
        "max_unpool($0, $1, kernel = @kernel_shape, output = $2!, pads = @pads, strides = @strides)"},
    {"Mean",                       1, kOpen, 1, kAnyOperands, "mean_of($*)"},
    {"MeanVarianceNormalization",  9, kOpen, 1, 1, "mean_variance_normalization($0, axes = @axes)"},
    {"MelWeightMatrix",           17, kOpen, 5, 5,
        "mel_weight_matrix(bands = $0!, length = $1!, rate = $2!, low = $3!, high = $4!, dtype = %output_datatype)"},
    {"Min",                        1, kOpen, 1, kAnyOperands, applyVariadic<Op::Min>},
    {"Mish",                      18, kOpen, 1, 1, "mish($0)"},
    {"Mod",                       10, kOpen, 2, 2, importMod},
    {"Mul",                        1,     6, 2, 2, "old_mul($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Mul",                        7, kOpen, 2, 2, applyElementwise<Op::Mul>},
    {"Neg",                        1, kOpen, 1, 1, applyElementwise<Op::Neg>},
    {"NegativeLogLikelihoodLoss", 12, kOpen, 2, 3,
        "negative_log_likelihood_loss($0, $1, $2, ignored = @ignore_index, reduction = @reduction:'mean')"},
    {"NonMaxSuppression",         10, kOpen, 2, 5, importNonMaxSuppression},
    {"NonZero",                    9, kOpen, 1, 1, importNonZero},
    {"Not",                        1, kOpen, 1, 1, applyElementwise<Op::Not>},
    {"OneHot",                     9, kOpen, 3, 3, importOneHot},
    {"OptionalGetElement",        18, kOpen, 1, 1, importIdentity, Folding::WhenConstant, NarrowTypes::Kept, Sequences::Known},
    {"OptionalHasElement",        15, kOpen, 0, 1, importOptionalHasElement, Folding::Never, NarrowTypes::Refused, Sequences::Known},
    {"Or",                         1,     6, 2, 2, "old_or($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Or",                         7, kOpen, 2, 2, applyElementwise<Op::Or>},
    {"PRelu",                      1,     6, 2, 2, "prelu_1($0, $1)"},
    {"PRelu",                      7, kOpen, 2, 2, "prelu($0, $1)"},
    {"Pad",                        1,    10, 1, 1, importPadByAttributes},
    {"Pad",                       11, kOpen, 2, 4, importPad},
    {"Pow",                        1,     6, 2, 2, "old_pow($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Pow",                        7, kOpen, 2, 2, importPow},
    {"QLinearConv",               10, kOpen, 8, 9, importQLinearConv},
    {"QLinearMatMul",             10, kOpen, 8, 8, "qlinear_matmul($0, $1, $2, $3, $4, $5, $6, $7)"},
    {"QuantizeLinear",            10, kOpen, 2, 3, importQuantizeLinear, Folding::WhenConstant, NarrowTypes::Known},
    {"RMSNormalization",          23, kOpen, 2, 2, "rms_normalization($0, $1, axis = @axis:-1, epsilon = @epsilon:0.00001)"},
    {"RNN",                        1, kOpen, 3, 6,
        "rnn($0, $1, $2, $3, $4, $5, direction = @direction:'forward', activations = @activations, "
        "alphas = @activation_alpha, betas = @activation_beta, clip = @clip, layout = @layout:0)"},
    {"Range",                     11, kOpen, 3, 3, importRange, Folding::Never},
    {"Reciprocal",                 1, kOpen, 1, 1, applyElementwise<Op::Recip>},
    {"ReduceL1",                   1, kOpen, 1, 2, importReduce<Reduction::L1>},
    {"ReduceL2",                   1, kOpen, 1, 2, importReduce<Reduction::L2>},
    {"ReduceLogSum",               1, kOpen, 1, 2, importReduce<Reduction::LogSum>},
    {"ReduceLogSumExp",            1, kOpen, 1, 2, importReduce<Reduction::LogSumExp>},
    {"ReduceMax",                  1, kOpen, 1, 2, importReduce<Reduction::Max>},
    {"ReduceMean",                 1, kOpen, 1, 2, importReduce<Reduction::Mean>},
    {"ReduceMin",                  1, kOpen, 1, 2, importReduce<Reduction::Min>},
    {"ReduceProd",                 1, kOpen, 1, 2, importReduce<Reduction::Prod>},
    {"ReduceSum",                  1, kOpen, 1, 2, importReduce<Reduction::Sum>},
    {"ReduceSumSquare",            1, kOpen, 1, 2, importReduce<Reduction::SumSquare>},
    {"Relu",                       1, kOpen, 1, 1, importRelu},
    {"Reshape",                    1,     4, 1, 1, importReshape, Folding::WhenConstant, NarrowTypes::Kept},
    {"Reshape",                    5, kOpen, 2, 2, importReshape, Folding::WhenConstant, NarrowTypes::Kept},
    {"Resize",                    10,    10, 2, 2, importUpsample},
    {"Resize",                    11, kOpen, 1, 4, importResize},
    {"ReverseSequence",           10, kOpen, 2, 2,
        "reverse_sequence($0, $1, batch_axis = @batch_axis:1, time_axis = @time_axis:0)"},
    {"RoiAlign",                  10, kOpen, 3, 3, importRoiAlign},
    {"RotaryEmbedding",           23, kOpen, 3, 4,
        "rotary_embedding($0, $1, $2, $3, interleaved = @interleaved:0, heads = @num_heads:0, "
        "width = @rotary_embedding_dim:0)"},
    {"Round",                     11, kOpen, 1, 1, applyElementwise<Op::Round>},
    {"STFT",                      17, kOpen, 2, 4, "stft($0, step = $1!, window = $2, length = $3!, onesided = @onesided:1)"},
    {"Scan",                       8,     8, 0, kAnyOperands, importBatchScan, Folding::Never},
    {"Scan",                       9, kOpen, 1, kAnyOperands, importScan, Folding::Never},
    {"Scatter",                    9,    10, 3, 3, "scatter_elements($0, $1, $2, axis = @axis:0)"},
    {"ScatterElements",           11, kOpen, 3, 3,
        "scatter_elements($0, $1, $2, axis = @axis:0, reduction = @reduction:'none')"},
    {"ScatterND",                 11, kOpen, 3, 3, "scatter_nd($0, $1, $2, reduction = @reduction:'none')"},
    {"Selu",                       1,     5, 1, 1, "selu($0, alpha = @alpha:1.6732, gamma = @gamma:1.0507)"},
    {"Selu",                       6, kOpen, 1, 1,
        "selu($0, alpha = @alpha:1.67326319217681884765625, gamma = @gamma:1.05070102214813232421875)"},
    {"SequenceAt",                11, kOpen, 2, 2, importSequenceAt, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceConstruct",         11, kOpen, 1, kAnyOperands, importSequenceConstruct, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceEmpty",             11, kOpen, 0, 0, importSequenceEmpty, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceErase",             11, kOpen, 1, 2, importSequenceErase, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceInsert",            11, kOpen, 2, 3, importSequenceInsert, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceLength",            11, kOpen, 1, 1, importSequenceLength, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"SequenceMap",               17, kOpen, 1, kAnyOperands, importSequenceMap, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"Shape",                      1, kOpen, 1, 1, importShape, Folding::Never},
    {"Shrink",                     9, kOpen, 1, 1, "shrinkage($0, bias = @bias:0.0, lambd = @lambd:0.5)"},
    {"Sigmoid",                    1, kOpen, 1, 1, "sigmoid($0)"},
    {"Sign",                       9, kOpen, 1, 1, applyElementwise<Op::Sign>},
    {"Sin",                        7, kOpen, 1, 1, applyElementwise<Op::Sin>},
    {"Sinh",                       9, kOpen, 1, 1, "sinh($0)"},
    {"Size",                       1, kOpen, 1, 1, importSize, Folding::Never},
    {"Slice",                      1,     9, 1, 1, importSliceByAttributes, Folding::WhenConstant, NarrowTypes::Kept},
    {"Slice",                     10, kOpen, 3, 5, importSlice, Folding::WhenConstant, NarrowTypes::Kept},
    {"Softmax",                    1,    12, 1, 1, "softmax_from($0, axis = @axis:1)"},
    {"Softmax",                   13, kOpen, 1, 1, "softmax($0, axis = @axis:-1)"},
    {"SoftmaxCrossEntropyLoss",   12, kOpen, 2, 3,
        "softmax_cross_entropy_loss($0, $1, $2, ignored = @ignore_index, reduction = @reduction:'mean')"},
    {"Softplus",                   1, kOpen, 1, 1, "softplus($0)"},
    {"Softsign",                   1, kOpen, 1, 1, "softsign($0)"},
    {"SpaceToDepth",               1, kOpen, 1, 1, importSpaceToDepth},
    {"Split",                      1, kOpen, 1, 2, importSplit, Folding::WhenConstant, NarrowTypes::Kept},
    {"SplitToSequence",           11, kOpen, 1, 2, importSplitToSequence, Folding::Never, NarrowTypes::Known, Sequences::Known},
    {"Sqrt",                       1, kOpen, 1, 1, applyElementwise<Op::Sqrt>},
    {"Squeeze",                    1, kOpen, 1, 2, importSqueeze, Folding::WhenConstant, NarrowTypes::Kept},
    {"Sub",                        1,     6, 2, 2, "old_sub($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Sub",                        7, kOpen, 2, 2, applyElementwise<Op::Sub>},
    {"Sum",                        1, kOpen, 1, kAnyOperands, applyVariadic<Op::Add>},
    {"SwiGLU",                    28, kOpen, 2, 2, "swiglu($0, $1, alpha = @alpha:1.0)"},
    {"Swish",                     24, kOpen, 1, 1, "swish($0, alpha = @alpha:1.0)"},
    {"Tan",                        7, kOpen, 1, 1, "tan($0)"},
    {"Tanh",                       1, kOpen, 1, 1, applyElementwise<Op::Tanh>},
    {"TensorScatter",             24, kOpen, 2, 3, "tensor_scatter($0, $1, $2, axis = @axis:-2, mode = @mode:'linear')"},
    {"TfIdfVectorizer",            9, kOpen, 1, 1,
        "tf_idf_vectorizer($0, pool = @pool_int64s, starts = @ngram_counts, places = @ngram_indexes, weights = @weights, "
        "mode = @mode:'', shortest = @min_gram_length:1, longest = @max_gram_length:1, skips = @max_skip_count:0)"},
    {"ThresholdedRelu",           10, kOpen, 1, 1, "thresholded_relu($0, alpha = @alpha:1.0)"},
    {"Tile",                       1,     5, 3, 3, importTileAlongAxis, Folding::WhenConstant, NarrowTypes::Kept},
    {"Tile",                       6, kOpen, 2, 2, importTile, Folding::WhenConstant, NarrowTypes::Kept},
    {"TopK",                       1,     9, 1, 1, importTopKByAttributes},
    {"TopK",                      10, kOpen, 2, 2, importTopK},
    {"Transpose",                  1, kOpen, 1, 1, importTranspose, Folding::WhenConstant, NarrowTypes::Kept},
    {"Trilu",                     14, kOpen, 1, 2, "trilu($0, $1, upper = @upper:1)"},
    {"Unique",                    11, kOpen, 1, 1, importUnique},
    {"Unsqueeze",                  1, kOpen, 1, 2, importUnsqueeze, Folding::WhenConstant, NarrowTypes::Kept},
    {"Upsample",                   1,     6, 1, 1, importUpsampleBySides},
    {"Upsample",                   7,     8, 1, 1, importUpsampleByAttributes},
    {"Upsample",                   9,     9, 2, 2, importUpsample},
    {"Where",                      9, kOpen, 3, 3, applyElementwise<Op::Where>},
    {"Xor",                        1,     6, 2, 2, "old_xor($0, $1, broadcast = @broadcast:0, axis = @axis)"},
    {"Xor",                        7, kOpen, 2, 2, applyElementwise<Op::Xor>},
    {"ai.onnx.ml.ArrayFeatureExtractor",  1, kOpen, 2, 2, "array_feature_extractor($0, $1)"},
    {"ai.onnx.ml.Binarizer",       1, kOpen, 1, 1, "binarizer($0, threshold = @threshold:0.0)"},
    {"ai.onnx.ml.FeatureVectorizer", 1, kOpen, 1, kAnyOperands, "feature_vectorizer($*, @inputdimensions)"},
    {"ai.onnx.ml.Imputer",         1, kOpen, 1, 1,
        "imputer($0, @imputed_value_floats, @imputed_value_int64s, @replaced_value_float:0.0, @replaced_value_int64:0)"},
    {"ai.onnx.ml.LabelEncoder",    2, kOpen, 1, 1,
        "label_encoder($0, @keys_int64s, @keys_floats, @values_int64s, @values_floats, @default_int64:-1, @default_float:0.0)"},
    {"ai.onnx.ml.LinearClassifier", 1, kOpen, 1, 1,
        "linear_classifier($0, @coefficients, @intercepts, @classlabels_ints, @classlabels_strings, @post_transform:'NONE', "
        "outputs = #outputs)"},
    {"ai.onnx.ml.LinearRegressor", 1, kOpen, 1, 1,
        "linear_regressor($0, @coefficients, @intercepts, @targets:1, @post_transform:'NONE')"},
    {"ai.onnx.ml.Normalizer",      1, kOpen, 1, 1, "normalizer($0, norm = @norm:'MAX')"},
    {"ai.onnx.ml.OneHotEncoder",   1, kOpen, 1, 1, "one_hot_encoder($0, @cats_int64s, zeros = @zeros:1)"},
    {"ai.onnx.ml.SVMClassifier",   1, kOpen, 1, 1,
        "svm_classifier($0, @coefficients, @kernel_type:'LINEAR', @kernel_params, @support_vectors, @vectors_per_class, @rho, "
        "@classlabels_ints, @classlabels_strings, @prob_a, @post_transform:'NONE', outputs = #outputs)"},
    {"ai.onnx.ml.SVMRegressor",    1, kOpen, 1, 1,
        "svm_regressor($0, @coefficients, @kernel_type:'LINEAR', @kernel_params, @support_vectors, @n_supports:0, @rho, "
        "@one_class:0, @post_transform:'NONE')"},
    {"ai.onnx.ml.Scaler",          1, kOpen, 1, 1, "scaler($0, @offset, @scale)"},
    {"ai.onnx.ml.TreeEnsemble",    5, kOpen, 1, 1, importTreeEnsemble},
    {"ai.onnx.ml.TreeEnsembleClassifier", 1, kOpen, 1, 1, importTreeEnsembleClassifier},
    {"ai.onnx.ml.TreeEnsembleRegressor", 1, kOpen, 1, 1, importTreeEnsembleRegressor},
    {"ai.onnx.preview.FlexAttention", 1, kOpen, 3, 3, importFlexAttention, Folding::Never},
    {"ai.onnx.preview.training.Adagrad",  1, kOpen, 5, kAnyOperands,
        "adagrad($*, decay = @decay_factor:0.0, epsilon = @epsilon:0.000001, norm = @norm_coefficient:0.0)"},
    {"ai.onnx.preview.training.Adam",  1, kOpen, 6, kAnyOperands,
        "adam($*, alpha = @alpha:0.9, beta = @beta:0.999, epsilon = @epsilon:0.00000001, norm = @norm_coefficient:0.0, "
        "norm_post = @norm_coefficient_post:0.0)"},
    {"ai.onnx.preview.training.Gradient",  1, kOpen, 1, kAnyOperands, importGradient, Folding::Never},
    {"ai.onnx.preview.training.Momentum",  1, kOpen, 5, kAnyOperands,
        "momentum_step($*, alpha = @alpha:0.0, beta = @beta:0.0, norm = @norm_coefficient:0.0, mode = @mode:'standard')"},
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
    const std::string whole = domain.empty() ? std::string(name) : format("{}.{}", domain, name);
    const auto first = std::lower_bound(std::begin(kOperators), std::end(kOperators), whole,
                                        [](const OperatorRow &row, std::string_view wanted) { return row.name < wanted; });
    for (auto row = first; row != std::end(kOperators) && row->name == whole; ++row) {
        if (opset >= row->firstOpset && opset <= row->lastOpset)
            return row;
    }
    return nullptr;
}

Result<Outputs> makeOutputs(const OperatorRow &row, NodeCall &call)
{
    auto outputs = row.rule.handler != nullptr ? row.rule.handler(call) : callFormula(row.rule.formula, call);
    if (outputs && row.narrow == NarrowTypes::Kept)
        for (OutputValue &output : *outputs)
            output.narrow = call.narrow(0);
    return outputs;
}

} // namespace sw::onnx
