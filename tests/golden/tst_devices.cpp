// Programs give the same on several devices as on one: the same bits where no sum is split into parts, and otherwise the result
// of the reference interpreter, within the tolerance of the type.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sw::test {
namespace {

enum class Exact : std::uint8_t { No, Yes };

// Programs written with parts(x, axis) and copies(x), which are the identity on one device.
struct Program {
    const char *name;
    Exact exact;
    const char *text;
};

constexpr std::array kPrograms = {
    Program{"elementwise", Exact::Yes,
            "input a: f32[6, 5]\ninput b: f32[5]\n"
            "x = parts(a, 0)\n"
            "output maximum(x, b) * copies(b)\noutput y = where(x < b, -x, x) + parts(a, 1)"},
    Program{"uneven", Exact::Yes, "input a: i32[7, 3]\noutput parts(a, 0) * 3\noutput y = parts(a, 1).reshape([21]) - 1"},
    Program{"views", Exact::Yes,
            "input a: f32[6, 8]\nx = parts(a, 0)\n"
            "output a1 = flip(x, [1])\noutput a2 = flip(x, [0])\noutput a3 = transpose(x)\noutput a4 = x.reshape([6, 2, 4])\n"
            "output a5 = x.reshape([3, 2, 8])\noutput a6 = x.reshape([48])\noutput a7 = pad(x, [[1, 1], [0, 2]])\n"
            "output a8 = pad(x, [[0, 0], [1, 2]])\noutput a9 = x[1:5, ::2]\noutput b1 = x[0:3]\noutput b2 = x[4:6, 1]\n"
            "output b3 = cat([x, x], axis = 1)\noutput b4 = cat([x, a], axis = 0)"},
    Program{"lookups", Exact::Yes,
            "input a: f32[6, 5]\ninput i: i32[6, 3]\nj = i % 5\n"
            "k = where(j < 0, 0 - j, j)\n"
            "output gather(parts(a, 0), parts(k, 0), 1)\noutput y = gather(parts(a, 0), k, 0)\n"
            "output z = gather(a, parts(k, 1), 1)"},
    Program{"types", Exact::Yes,
            "input a: f16[6, 5]\ninput b: bool[4]\n"
            "output cast(parts(a, 0), bf16)\noutput y = ~parts(b, 0)\noutput z = cast(parts(a, 1), f8e5m2)"},
    Program{"random", Exact::Yes,
            "output uint4x32_to_prec_uniform(parts(threefry4x32_light(key = const_cells, counter = counters), 0), f32)"},
    Program{"other_axis", Exact::Yes,
            "input a: f32[6, 5]\nx = parts(a, 0)\noutput max(x, axis = 1)\noutput y = sum(x, axis = 1)"},
    Program{"sharded_axis", Exact::No,
            "input a: f32[9, 5]\nx = parts(a, 0)\noutput sum(x, axis = 0)\noutput y = max(x)\noutput z = mean(x)\n"
            "output p = prod(x, axis = 0)\noutput h = sum(cast(x, f16), axis = 0)\noutput r = x - mean(x, axis = 0)"},
    Program{"rows_of_matmul", Exact::No, "input a: f32[10, 6]\nparam w: f32[6, 8] = random(1)\noutput parts(a, 0) @ w"},
    Program{"columns_of_matmul", Exact::No,
            "input a: f32[10, 6]\nparam w: f32[6, 8] = random(1)\noutput copies(a) @ parts(w, 1)"},
    Program{"inner_of_matmul", Exact::No,
            "input a: f32[10, 6]\nparam w: f32[6, 8] = random(1)\noutput parts(a, 1) @ parts(w, 0)\n"
            "output y = parts(a, 0) + parts(a, 1) @ w[:, 0:6]"},
    Program{"softmax", Exact::No,
            "input a: f32[6, 9]\noutput softmax(parts(a, 0), axis = 1)\noutput y = softmax(parts(a, 1), axis = 1)"},
    Program{"layer_norm", Exact::No, "input a: f32[6, 16]\noutput layer_norm(parts(a, 0))\noutput y = layer_norm(parts(a, 1))"},
    Program{"mlp", Exact::No,
            "input a: f32[12, 8]\nparam w1: f32[8, 16] = random(1)\nparam w2: f32[16, 4] = random(2)\n"
            "h = tanh(copies(a) @ parts(w1, 1))\noutput h @ parts(w2, 0)"},
    Program{"gradients", Exact::No,
            "input a: f32[12, 8]\ninput t: f32[12, 4]\nparam w1: f32[8, 16] = random(1)\nparam w2: f32[16, 4] = random(2)\n"
            "def loss_of(x, t, w1, w2):\n    e = tanh(x @ w1) @ w2 - t\n    return mean(e * e)\n"
            "l1 = loss_of(parts(a, 0), parts(t, 0), copies(w1), copies(w2))\nd1, d2 = grad(l1, [w1, w2])\n"
            "l2 = loss_of(copies(a), t, parts(w1, 1), parts(w2, 0))\nd3, d4 = grad(l2, [w1, w2])\n"
            "output l1\noutput l2\noutput d1\noutput d2\noutput d3\noutput d4\noutput w1 - 0.1 * d1"},
    Program{"dimensions", Exact::No,
            "d: dim[1, 9]\ninput a: f32[d, 6]\nx = parts(a, 1)\noutput x * 2\noutput y = sum(x, axis = 0)\noutput z = max(x, "
            "axis = 1)"},
    Program{"large_sum", Exact::No, "input a: f32[6, 70000]\nx = parts(a, 0)\noutput x - sum(x, axis = 0)"},
};

struct Machine {
    const char *name;
    std::vector<std::string> devices; // the first is the program's own device
};

const std::array kMachines = {
    Machine{"llvm_c", {"llvm", "c"}},
    Machine{"llvm_opencl", {"llvm", "opencl"}},
    Machine{"two_of_opencl", {"opencl", "opencl:1"}},
    Machine{"three", {"interpreter", "llvm", "c"}},
};

std::string prelude(const std::vector<std::string> &devices)
{
    std::string cells = "const const_cells: u32x4[6] = [";
    std::string counters = "const counters: u32x4[6] = [";
    for (int i = 0; i < 6; ++i) {
        cells += format("{}[{}, 7, 8, 9]", i == 0 ? "" : ", ", i);
        counters += format("{}[{}, 0, 0, 1]", i == 0 ? "" : ", ", i);
    }
    const std::string constants = cells + "]\n" + counters + "]\n";
    if (devices.empty())
        return constants + "def parts(x, axis):\n    return x\ndef copies(x):\n    return x\n";
    const std::string names = join(devices, ", ", [](const std::string &name) { return sw::quoted(name); });
    return constants + format("def parts(x, axis):\n    return shard(x, [{0}], axis = axis)\n"
                              "def copies(x):\n    return replicate(x, [{0}])\n",
                              names);
}

class Devices : public ProgramTest, public testing::WithParamInterface<Machine> {
protected:
    CompileRequest requestOf(const std::string &text, const std::string &device) const
    {
        CompileRequest request = requestFor("devices.sw", device);
        request.program.text = text;
        request.program.isText = true;
        return request;
    }

    // The outputs of the program as its meaning defines them, without any device.
    Result<Meaning> reference(const std::string &text)
    {
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestOf(text, "interpreter");
        request.until = CompileUntil::Program;
        const Compilation compilation = compiler.compile(request, {});
        if (!compilation.succeeded)
            return Failure(compilation.diagnostics);
        SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, 1));
        return meaningAndLimitsOf(compilation.graph, values);
    }
};

bool isSameBits(const HostTensor &a, const HostTensor &b)
{
    return a.shape() == b.shape() && a.byteSize() == b.byteSize() &&
           std::memcmp(a.bytes().data(), b.bytes().data(), a.byteSize()) == 0;
}

TEST_P(Devices, giveTogetherWhatOneGives)
{
    const std::vector<std::string> &devices = GetParam().devices;
    for (const std::string &device : devices)
        if (const std::string reason = whyUnavailable(device); !reason.empty())
            GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    for (const Program &program : kPrograms) {
        SCOPED_TRACE(program.name);
        const std::string text = prelude(devices) + program.text + "\n";
        const auto together = run(compiler, requestOf(text, devices.front()));
        ASSERT_TRUE(together) << toText(together.error());
        EXPECT_TRUE(together->faults.empty());
        const auto alone = run(compiler, requestOf(prelude({}) + program.text + "\n", devices.front()));
        ASSERT_TRUE(alone) << toText(alone.error());
        const auto expected = reference(text);
        ASSERT_TRUE(expected) << toText(expected.error());
        ASSERT_EQ(together->outputs.size(), expected->values.size());
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            const HostTensor &value = together->outputs[i].value;
            const Comparison comparison = expected->compared(i, value);
            EXPECT_TRUE(comparison.equal) << together->outputs[i].name << ": max abs " << comparison.maxAbsolute;
            if (program.exact == Exact::Yes) {
                EXPECT_TRUE(isSameBits(value, alone->outputs[i].value)) << together->outputs[i].name;
            }
        }
    }
}

TEST_P(Devices, allHaveWorkToDo)
{
    const std::vector<std::string> &devices = GetParam().devices;
    for (const std::string &device : devices)
        if (const std::string reason = whyUnavailable(device); !reason.empty())
            GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    for (const Program &program : kPrograms) {
        SCOPED_TRACE(program.name);
        CompileRequest request = requestOf(prelude(devices) + program.text + "\n", devices.front());
        request.until = CompileUntil::Lowered;
        const Compilation compilation = compiler.compile(request, {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        ASSERT_EQ(compilation.schedule->devices.size(), devices.size());
        for (std::size_t slot = 0; slot < devices.size(); ++slot) {
            EXPECT_EQ(compilation.schedule->devices[slot].id, devices[slot]);
            EXPECT_TRUE(std::ranges::any_of(compilation.schedule->kernels, [&](const ScheduledKernel &kernel) {
                return kernel.device == DeviceSlot(slot);
            })) << devices[slot];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Devices, testing::ValuesIn(kMachines),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
} // namespace sw::test
