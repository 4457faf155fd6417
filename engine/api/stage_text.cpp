#include "engine/api/stage_text.h"

#include "engine/graph/printer.h"
#include "engine/loops/printer.h"
#include "engine/lowered/program_text.h"
#include "engine/schedule/printer.h"

namespace sw {

namespace {

// Appends a kernel's part with an empty line between parts.
void addPart(std::string &text, const std::string &part)
{
    if (!text.empty())
        text += '\n';
    text += part;
}

// Graph and schedule are about the whole program, whichever kernel is asked for.
struct Print {
    KernelId kernel;
    TensorFiles *files = nullptr;
    std::int64_t maxTensorBytes = kAllBytes;

    bool isWanted(std::size_t index) const { return !kernel.isValid() || kernel.value == index; }
    std::string operator()(const GraphPtr &graph) const
    {
        return printGraph(*graph, {.maxTensorBytes = maxTensorBytes, .files = files}).text;
    }
    std::string operator()(const SchedulePtr &schedule) const { return printSchedule(*schedule).text; }
    std::string operator()(const LoopProgramPtr &program) const
    {
        std::string text;
        for (std::size_t i = 0; i < program->nests.size(); ++i)
            if (isWanted(i))
                addPart(text, toText(*program->nests[i], *program->schedule));
        return text;
    }
    std::string operator()(const LoweredProgramPtr &program) const
    {
        return programText(*program, kernel, files, maxTensorBytes);
    }
};

std::string_view commentMark(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
    case TargetLanguage::OpenCl:
        return "//";
    case TargetLanguage::Llvm:
        return ";";
    case TargetLanguage::Lowered:
        return "#";
    }
    SW_UNREACHABLE();
}

} // namespace

std::string stageText(const Stage &stage, KernelId kernel, TensorFiles *files, std::int64_t maxTensorBytes)
{
    return std::visit(Print{kernel, files, maxTensorBytes}, stage);
}

std::string codeText(const LoweredProgram &program, std::span<const RenderedSource> sources, KernelId kernel)
{
    std::string text;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (!kernel.isValid() || kernel.value == i)
            addPart(text, codeHeading(program, i, sources[i].language) + "\n" + sources[i].text);
    return text;
}

std::string codeHeading(const LoweredProgram &program, std::size_t kernel, TargetLanguage language)
{
    return format("{} {}", commentMark(language), kernelHeading(program, kernel));
}

std::string kernelHeading(const LoweredProgram &program, std::size_t kernel)
{
    const KernelBinding *binding = program.kernels.bindingOf(kernel);
    const LoweredKernel &body = program.kernels.bodyOf(kernel);
    const std::string &name = binding == nullptr ? body.name : binding->name;
    const bool hasSeveral = program.schedule->devices.size() > 1;
    return hasSeveral ? format("{} on {}:", name, program.schedule->device(body.device).id) : name + ":";
}

std::string machineNote(const Diagnostics &errors)
{
    return join(errors, "; ", [](const Diagnostic &error) { return error.message; });
}

std::string machineText(const LoweredProgram &program, std::span<const MachineListing> listings)
{
    std::string text;
    for (std::size_t i = 0; i < listings.size(); ++i) {
        if (!listings[i])
            continue;
        std::string part = kernelHeading(program, i) + "\n";
        if (!*listings[i])
            part += "; " + machineNote(listings[i]->error()) + '\n';
        else
            for (const MachineInstruction &machine : **listings[i])
                part += format("{:6x}  {}\n", machine.address, machine.text);
        addPart(text, part);
    }
    return text;
}

} // namespace sw
