#include "tests/golden/node_samples.h"

namespace sw::test {

namespace {

constexpr NodeSample kSamples[] = {
    {NodeKind::Placeholder, R"(input x: f32[20, 33]
output x)"},
    {NodeKind::Buffer, R"(input x: f32[40]
output buffer(40) + x)"},
    {NodeKind::ConstScalar, R"(input x: f32[40]
output x * 3)"},
    {NodeKind::Vconst, R"(input x: i32[2, 3]
output x + vconst([[1, 2, 3], [4, 5, 6]]))"},
    {NodeKind::Iota, R"(input x: f32[6, 9]
output x + arange(2, 20, 2)
output iota([4, 5]) % 3)"},
    {NodeKind::DefineVar, R"(n: dim[1, 400]
input x: f32[n]
output sum(x) / n)"},
    {NodeKind::Bind, R"(n: dim[1, 40] = 7
input x: f32[n, 3]
output x[::-1] * n)"},
    {NodeKind::Unary, R"(input x: f32[70]
output exp(x))"},
    {NodeKind::Binary, R"(input x: f16[70]
input y: f16[70]
output x - y)"},
    {NodeKind::Ternary, R"(input x: f32[70]
input y: f32[70]
output where(x < y, x, y))"},
    {NodeKind::Custom, R"sw(input x: f32[70]
input y: f32[70]
output custom("hypot", [x, y], c = "__builtin_sqrtf({0} * {0} + {1} * {1})", opencl = "sqrt({0} * {0} + {1} * {1})",
              reference = sqrt(x * x + y * y))
output custom("product", [x, y], c = "({0} * {1})", opencl = "({0} * {1})", llvm = "fmul float {0}, {1}", reference = x * y)
output grad(sum(custom("square", x, c = "({0} * {0})", llvm = "fmul float {0}, {0}", reference = x * x)), x))sw"},
    {NodeKind::View, R"(input x: f32[40]
output view(x, shape = [9, 6], strides = [3, 2], offset = 1, mask = [[0, 8], [1, 6]]))"},
    {NodeKind::Reshape, R"(input x: f32[6, 8]
output sum(x.reshape(16, 3), axis = 0))"},
    {NodeKind::Permute, R"(input x: f32[6, 8, 5]
output permute(x, 2, 0, 1) + 1)"},
    {NodeKind::Expand, R"(input x: f32[6, 1]
output expand(x, [6, 9]) * 2)"},
    {NodeKind::Pad, R"(input x: f32[6, 9]
output pad(x, [[1, 2], [0, 3]], value = 5))"},
    {NodeKind::Shrink, R"(input x: f32[6, 9]
output x[1:5, 2:8] + 1)"},
    {NodeKind::Flip, R"(input x: f32[6, 9]
output flip(x, axis = 1) + 1)"},
    {NodeKind::ReduceAxis, R"(input x: f32[60, 90]
output sum(x, axis = 1))"},
    {NodeKind::Cast, R"(input x: f32[70]
output cast(x * 100, i8))"},
    {NodeKind::Bitcast, R"(input x: f32[70]
output bitcast(x, u32))"},
    {NodeKind::Contiguous, R"(input x: f32[6, 9]
output contiguous(x.T) + 1)"},
    {NodeKind::Cat, R"(input x: f32[6, 9]
input y: f32[2, 9]
output cat([x, y, x]))"},
    {NodeKind::Gather, R"(input x: f32[6, 9]
const at: i32[3, 9] = 4
output gather(x, at, axis = 0))"},
    {NodeKind::Index, R"(input x: f32[6, 9]
output index(x, vconst([3, 53, 0, 17]), vconst([true, true, false, true])))"},
    {NodeKind::Detach, R"(input x: f32[6]
output grad(sum(x * detach(x)), x))"},
    {NodeKind::ContiguousBackward, R"(input x: f32[6]
output grad(sum(contiguous_backward(x) ** 2), x))"},
    {NodeKind::Gradient, R"(input x: f32[20, 6]
param w: f32[6, 4] = random(1)
output grad(mean(tanh(x @ w)), w))"},
    {NodeKind::Scatter, R"(input x: f32[6, 9]
const at: i32[3, 9] = 4
output scatter(x, at, ones([3, 9]), axis = 0, mode = "add"))"},
    {NodeKind::Assign, R"(input x: f32[6, 9]
output assign(x, [x[:2, :3], x[3:5, 1:4]], [[[1, 3], [2, 5]], [[2, 4], [4, 7]]]))"},
    {NodeKind::BufferView, R"(input x: f32[6, 9]
output buffer_view(x, 20, offset = 11))"},
    {NodeKind::Valid, R"(output valid([6, 9], [[1, 4], None]))"},
    {NodeKind::Gep, R"(input x: f32[6, 9]
output gep(x, [8, 0, 3]))"},
    {NodeKind::Vectorize, R"(input x: f32[6]
output vectorize([x, x * 2, x + 1]))"},
    {NodeKind::Wmma, R"(input a: f16[3, 16, 8]
input b: f16[3, 8, 16]
input c: f32[3, 16, 16]
output wmma(a, b, c))"},
    {NodeKind::Contract, R"(input a: f32[4, 16, 8]
input b: f32[4, 12, 8]
output contract("bik,bjk->bij", a, b))"},
    {NodeKind::Threefry, R"(param key: u32x4[] = random(3)
counters = arange(40, dtype = u32)
output uint4x32_to_prec_uniform(threefry4x32_light(key = key, counter = counters), f32))"},
    {NodeKind::Uniform, R"(input bits: u32x4[40]
output uint4x32_to_prec_uniform(bits, f32))"},
    {NodeKind::Fuse, R"(input x: f32[40]
output fuse(x + 1) * 2)"},
    {NodeKind::Unroll, R"(input x: f32[4000]
input y: f32[30, 500]
output unroll(x + 1, 4) * 2
output unroll(max(y, axis = 1), 2))"},
    {NodeKind::Unique, R"(input x: f32[40]
output unique(x, 1) + unique(x, 2))"},
    {NodeKind::Noop, R"(input x: f32[40]
output noop(x) + 1)"},
    {NodeKind::Crop, R"(input x: f32[40, 3]
input n: i64[]
output crop(x + 1, minimum(n * n, 40)))"},
    {NodeKind::Kernel, R"(input x: f32[6, 9]
e = exp(x)
output kernel(e / sum(e, axis = 1, keepdims = true), inputs = [e], name = "normalize"))"},
    {NodeKind::Device, R"(input x: f32[40]
output device(exp(x), "default") * 2)"},
    {NodeKind::Copy, R"(input x: f32[40]
output copy(x + 1, "default", clone = true) * 2)"},
    {NodeKind::Multi, R"(input x: f32[40, 3]
input y: f32[8, 3]
output sum(multi([x, y], axis = 0) * 2, axis = 0))"},
    {NodeKind::Sink, R"(input x: f32[64, 64]
param w: f32[64, 64] = random(1)
output softmax(x @ w)
output layer_norm(x, ones([64]), zeros([64])))"},
    {NodeKind::Choose, R"(input x: f32[64, 64]
input c: bool[]
param w: f32[64, 64] = random(1)
output choose(c, tanh(x @ w @ w), x + 1) * 2)"},
    {NodeKind::ScanCarry, R"(input x: f32[6, 40]
def step(states, parts):
    a, b = states
    return [[b * 0.5 + parts[0], a], []]
last, rows = scan(step, [zeros([40]), x[2]], [x])
output last[0] - last[1])"},
    {NodeKind::ScanSlice, R"(input x: f32[6, 9]
def step(states, parts):
    return [[states[0] + parts[0] * parts[1]], [exp(parts[0])]]
last, rows = scan(step, [ones([9])], [x * 2, arange(6)], backwards = true)
output last[0]
output rows[0])"},
    {NodeKind::ScanLast, R"(input x: f32[6, 9]
param w: f32[9, 9] = random(1)
def step(states, parts):
    return [[tanh(states[0] @ w + parts[0])], []]
last, rows = scan(step, [zeros([9])], [x])
output sum(last[0]))"},
    {NodeKind::ScanRows, R"(input x: f32[6, 9]
def step(states, parts):
    total = states[0] + parts[0]
    return [[total], [total, softmax(total)]]
last, rows = scan(step, [zeros([9])], [x])
output rows[0]
output sum(rows[1], axis = 0))"},
};

} // namespace

std::span<const NodeSample> nodeSamples()
{
    return kSamples;
}

} // namespace sw::test
