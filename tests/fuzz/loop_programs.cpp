#include "tests/fuzz/loop_programs.h"

namespace sw {

std::vector<SmallProgram> loopPrograms()
{
    return {
        {.name = "map",
         .text = R"(input x: f32[5, 7, 9]
input t: f32[9, 7, 5]
input c: f32[7, 1]
output y = exp(x * c) + transpose(t)
)",
         .isExact = false},
        {.name = "product", .text = R"(input a: f32[13, 37]
input b: f32[37, 29]
input c: f32[29]
output y = relu(a @ b + c)
)"},
        {.name = "product_by_parameters", .text = R"(input x: f32[11, 23]
param w: f32[23, 31] = random(1)
output y = x @ w
)"},
        {.name = "bf16_product", .text = R"(input a: bf16[9, 34]
input b: bf16[34, 21]
output y = a @ b
)"},
        {.name = "i8_product", .text = R"(input a: i8[9, 34]
input b: i8[34, 21]
output y = i32(a) @ i32(b)
)"},
        {.name = "convolution", .text = R"(input x: f32[2, 3, 9, 11]
input w: f32[5, 3, 3, 2]
output y = conv2d(x, w, padding = 1)
)"},
        {.name = "column_sum", .text = R"(input x: f32[43, 19]
output y = sum(x, axis = 0)
)"},
        {.name = "row_sum", .text = R"(input x: f32[7, 83]
output y = sum(x * x, axis = 1)
)"},
        {.name = "integer_sum", .text = R"(input x: i32[17, 21]
output y = sum(x, axis = 0)
)"},
        {.name = "row_max", .text = R"(input x: f32[6, 53]
output y = max(x, axis = 1)
)"},
        {.name = "column_max", .text = R"(input x: f32[31, 3, 14]
output y = max(x, axis = [0, 1])
)"},
        {.name = "argmax", .text = R"(input x: f32[8, 41]
output y = argmax(x, axis = 1)
)"},
        {.name = "column_argmin", .text = R"(input x: f32[37, 19]
output y = argmin(x, axis = 0)
output z = min(x, axis = 0)
)"},
        {.name = "variance",
         .text = R"(input x: f32[7, 61]
output y = var(x, axis = 1)
output z = mean(x, axis = 1)
)",
         .isExact = false},
        {.name = "column_variance",
         .text = R"(input x: f32[43, 3, 14]
output y = var(x, axis = [0, 1])
)",
         .isExact = false},
        {.name = "sum_and_largest", .text = R"(input x: f32[29, 17]
output y = sum(x, axis = 0)
output z = max(x, axis = 0)
)"},
        {.name = "logsumexp",
         .text = R"(input x: f32[11, 29]
output y = logsumexp(x, axis = 1)
)",
         .isExact = false},
        {.name = "softmax",
         .text = R"(input x: f32[5, 37]
output y = softmax(x)
)",
         .isExact = false},
        {.name = "layer_norm",
         .text = R"(input x: f32[6, 45]
input w: f32[45]
input b: f32[45]
output y = layer_norm(x, w, b)
)",
         .isExact = false},
        {.name = "masked_factor", .text = R"(input s: f32[27, 33]
input v: f32[33, 11]
output y = where(causal_mask(27, 33), s, 0) @ v
)"},
        {.name = "masked_product", .text = R"(input q: f32[19, 12]
input k: f32[12, 23]
output y = where(causal_mask(19, 23), q @ k, -1)
)"},
        {.name = "attention",
         .text = R"(input q: f32[2, 37, 8]
input k: f32[2, 45, 8]
input v: f32[2, 45, 20]
output y = attention(q, k, v)
)",
         .isExact = false,
         .isInStages = true},
        {.name = "open",
         .text = R"(n: dim[1, 23] = 17
input x: f32[n, 31]
input w: f32[31, 13]
output y = x @ w
output z = sum(x, axis = 0)
)",
         .runs = {{{"n", 1}}, {{"n", 17}}, {{"n", 23}}}},
        {.name = "open_attention",
         .text = R"(n: dim[1, 37] = 17
input q: f32[2, n, 8]
input k: f32[2, n, 8]
input v: f32[2, n, 20]
output y = softmax(q @ k.swapaxes(1, 2), axis = -1) @ v
)",
         .isExact = false,
         .isInStages = true,
         .runs = {{{"n", 1}}, {{"n", 17}}, {{"n", 37}}}},
    };
}

} // namespace sw
