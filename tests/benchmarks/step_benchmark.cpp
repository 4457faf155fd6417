// What stepping through a kernel of some million steps costs: a matrix product, scalar by scalar.

#include "engine/base/text.h"
#include "engine/lowered/interpreter.h"
#include "engine/lowered/kernel_stepper.h"
#include "tests/benchmarks/product_kernel.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace sw;

constexpr std::int64_t kSize = 96; // some 7 million steps
constexpr int kJumps = 200;
constexpr int kSteps = 100'000;

double microseconds(const std::function<void()> &work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

void print(const std::string &text)
{
    std::fputs(text.c_str(), stdout);
}

void report(const char *what, std::vector<double> times)
{
    std::ranges::sort(times);
    print(sw::format("{:<28} median {:>9.2f} us, worst {:>9.2f} us\n", what, times[times.size() / 2], times.back()));
}

std::vector<double> eachOf(int count, const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < count; ++i)
        times.push_back(microseconds(work));
    return times;
}

void measure(KernelStepper &stepper, std::uint64_t end)
{
    std::mt19937_64 random(1);
    report("to any step", eachOf(kJumps, [&] { static_cast<void>(stepper.goTo(random() % (end + 1))); }));
    static_cast<void>(stepper.goTo(end / 2));
    report("a step", eachOf(kSteps, [&] { static_cast<void>(stepper.stepForward()); }));
    report("a step back", eachOf(kSteps, [&] { static_cast<void>(stepper.stepBackward()); }));
    report("what there is at a step", eachOf(1000, [&] { static_cast<void>(stepper.state()); }));
    report("back to the last store",
           eachOf(kJumps, [&] { static_cast<void>(stepper.run(Direction::Backward, AfterAccess{AccessKind::Store})); }));
    report("back over the whole half",
           {microseconds([&] { static_cast<void>(stepper.run(Direction::Backward, AfterOddity{Oddity::Nan})); })});
}

void measureWith(const LoweredKernel &kernel, const StepperRequest &request)
{
    KernelStepper stepper = KernelStepper::open(kernel, request).value();
    std::uint64_t end = 0;
    const double first = microseconds([&] { end = stepper.findEnd().value(); });
    print(sw::format("{} steps, the first time in {:.1f} ms\n", end, first / 1000));
    measure(stepper, end);
    const StepperMemory memory = stepper.memory();
    print(sw::format("{} checkpoints, {} steps apart; {:.2f} MB of {:.2f} MB\n\n", memory.checkpoints,
                     memory.stepsBetweenCheckpoints, static_cast<double>(memory.bytes) * 1e-6,
                     static_cast<double>(memory.limitBytes) * 1e-6));
}

} // namespace

int main()
{
    const LoweredKernel kernel = benchmark::productKernel(kSize, 1);
    std::vector<std::vector<float>> matrices(3, std::vector<float>(kSize * kSize, 1.0F));
    InterpretRequest run;
    StepperRequest request;
    for (auto &matrix : matrices) {
        run.buffers.push_back(std::as_writable_bytes(std::span(matrix)));
        request.buffers.push_back(std::as_bytes(std::span(matrix)));
    }
    const PreparedKernel prepared = PreparedKernel::prepare(kernel).value();
    const double plain = microseconds([&] { static_cast<void>(prepared.run(run)); });
    print(sw::format("the interpreter runs the kernel in {:.1f} ms\n", plain / 1000));
    measureWith(kernel, request);
    request.memoryLimitBytes = 1 << 20;
    measureWith(kernel, request);
    return 0;
}
