// Looks at the machine code of the last compilation more closely: on other processors, pass by pass, and against measured times.

#include "engine/api/describe.h"
#include "engine/api/explorer_implementation.h"
#include "engine/api/stage_text.h"

#include <algorithm>
#include <exception>

namespace sw {

namespace {

// "only the device llvm has LLVM IR; compile for it"
std::string errorText(const Diagnostics &errors)
{
    const auto found = std::ranges::find(errors, Severity::Error, &Diagnostic::severity);
    if (found == errors.end())
        return machineNote(errors);
    return found->hint.empty() ? found->message : found->message + "; " + found->hint;
}

bool hasCode(const Compilation &compilation, std::uint32_t kernel)
{
    return compilation.code != nullptr && compilation.lowered != nullptr && kernel < compilation.code->size();
}

constexpr const char *kNoCode = "the kernel has no generated code here: compile the program first";

} // namespace

TargetCode Explorer::targetCode(std::uint32_t kernel, const std::string &target)
{
    Implementation &own = *m_implementation;
    if (!hasCode(own.compilation, kernel))
        return {nullptr, kNoCode};
    try {
        const MachineListing listing = own.compiler.crossCode(own.compilation, KernelId(kernel), target);
        if (!*listing)
            return {nullptr, errorText(listing->error())};
        return {describeKernelMachine(*own.compilation.lowered, *own.compilation.code, KernelId(kernel), listing), {}};
    } catch (const std::exception &exception) {
        return {nullptr, diagnosticOf(exception).message};
    }
}

CompilerPassesPtr Explorer::compilerPasses(std::uint32_t kernel)
{
    Implementation &own = *m_implementation;
    auto made = std::make_shared<CompilerPasses>();
    if (!hasCode(own.compilation, kernel)) {
        made->error = kNoCode;
        return made;
    }
    made->kernel = own.compilation.lowered->kernels.at(kernel).name;
    try {
        const Result<std::vector<CompilerPass>> passes = own.compiler.compilerPasses(own.compilation, KernelId(kernel));
        if (passes)
            made->passes = passEntries(*passes);
        else
            made->error = errorText(passes.error());
    } catch (const std::exception &exception) {
        made->error = diagnosticOf(exception).message;
    }
    return made;
}

CyclesAnswer Explorer::measuredCycles(const std::vector<std::uint32_t> &kernels, const std::stop_token &stop)
{
    Implementation &own = *m_implementation;
    CyclesAnswer answer;
    if (own.report == nullptr || own.listings.empty()) {
        answer.error = "there are no compiled kernels";
        return answer;
    }
    const DeviceInfo &device = own.compilation.target.device;
    if (device.kind != DeviceKind::Cpu) {
        answer.error = format("{} is no processor of this machine whose clock could be measured", device.id);
        return answer;
    }
    try {
        const CyclesContext context = cyclesContext(device, own.compilation.threads, own.figures, stop);
        answer.clock = context.clock;
        for (const std::uint32_t kernel : kernels) {
            if (kernel >= own.listings.size() || kernel >= own.report->kernels.size() || stop.stop_requested())
                continue;
            if (!own.listings[kernel])
                own.listings[kernel] = own.compiler.machineCode(own.compilation, KernelId(kernel));
            const KernelEntry &entry = own.report->kernels[kernel];
            if (*own.listings[kernel])
                answer.kernels.push_back(cyclesOf(entry, **own.listings[kernel], own.compilation.code->at(kernel),
                                                  own.compilation.lowered->kernels.at(kernel), context));
            else
                answer.kernels.push_back({.name = entry.name, .problem = errorText(own.listings[kernel]->error())});
            answer.kernels.back().kernel = kernel;
        }
    } catch (const std::exception &exception) {
        answer.error = diagnosticOf(exception).message;
    }
    return answer;
}

} // namespace sw
