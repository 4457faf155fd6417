#include "engine/api/reproduce/reproducer_text.h"

#include "engine/backend/c/c_options.h"
#include "engine/backend/c/c_renderer.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/base/text.h"

namespace sw {

namespace {

struct FloatLayout {
    int exponentBits = 0;
    int fractionBits = 0;
    bool hasInfinity = true;
};

FloatLayout layoutOf(DType dtype)
{
    if (dtype == DType::F8E4M3)
        return {4, 3, false};
    const int bits = static_cast<int>(infoOf(dtype).bits);
    const int exponent = dtype == DType::F64 ? 11 : dtype == DType::F32 || dtype == DType::BF16 ? 8 : 5;
    return {exponent, bits - 1 - exponent, true};
}

std::string typeInitializer(DType dtype)
{
    const DTypeInfo &info = infoOf(dtype);
    const auto plain = [&](std::string_view family) {
        return format("{{\"{}\", {}, {}, 0, 0, 0}}", info.name, info.bytes, family);
    };
    switch (info.family) {
    case DTypeFamily::Float: {
        const FloatLayout layout = layoutOf(dtype);
        return format("{{\"{}\", {}, FAMILY_FLOAT, {}, {}, {}}}", info.name, info.bytes, layout.exponentBits, layout.fractionBits,
                      layout.hasInfinity ? 1 : 0);
    }
    case DTypeFamily::Signed:
        return plain("FAMILY_SIGNED");
    case DTypeFamily::Unsigned:
    case DTypeFamily::Bool:
        return plain("FAMILY_UNSIGNED");
    case DTypeFamily::Words:
    case DTypeFamily::None:
        return plain("FAMILY_BITS");
    }
    SW_UNREACHABLE();
}

// As a string of C.
std::string inC(std::string_view text)
{
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            made += '\\';
        made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return made + '"';
}

std::string_view languageName(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
        return "C, for clang";
    case TargetLanguage::OpenCl:
        return "OpenCL C";
    case TargetLanguage::Llvm:
        return "LLVM IR";
    case TargetLanguage::Lowered:
        return "lowered instructions";
    }
    SW_UNREACHABLE();
}

std::string rangeSymbol(const RenderedSource &source)
{
    return source.symbol + std::string(source.language == TargetLanguage::C ? kCRangeSuffix : kRangeSuffix);
}

std::string toolsOf(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
    case TargetLanguage::Llvm:
        return "a C compiler (`CC`, else `cc`) and clang 22 (`CLANG`, else `clang-22`), which compiles the kernel";
    case TargetLanguage::OpenCl:
        return "a C compiler (`CC`, else `cc`), OpenCL's headers and loader, and the driver of a device";
    case TargetLanguage::Lowered:
        break;
    }
    SW_UNREACHABLE();
}

std::string argumentList(const ReproducedKernel &kernel)
{
    std::string text = "| argument | buffer | elements | before the launch | expected after it |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
        const ReproducedArgument &argument = kernel.arguments[i];
        text += format("| {} | {} | {}{} | {} | {} |\n", i, argument.name, nameOf(argument.value.dtype()),
                       toText(argument.value.shape()),
                       argument.same == i ? argumentFile(i) : format("the buffer of argument {}", argument.same),
                       argument.expected             ? expectedFile(i)
                       : kernel.expectedFrom.empty() ? "not known"
                                                     : "only read");
    }
    return text;
}

} // namespace

std::string_view sourceFileName(TargetLanguage language)
{
    switch (language) {
    case TargetLanguage::C:
        return "kernel.c";
    case TargetLanguage::OpenCl:
        return "kernel.cl";
    case TargetLanguage::Llvm:
        return "kernel.ll";
    case TargetLanguage::Lowered:
        break;
    }
    SW_UNREACHABLE();
}

std::string argumentFile(std::size_t argument)
{
    return format("argument{}.npy", argument);
}

std::string expectedFile(std::size_t argument)
{
    return format("expected{}.npy", argument);
}

std::string launchHeader(const ReproducedKernel &kernel)
{
    const RenderedSource &source = *kernel.source;
    std::string text = "/* How the kernel is launched. */\n";
    text += format("#define KERNEL_NAME {}\n", inC(kernel.name));
    text += format("#define KERNEL_SYMBOL {}\n", inC(source.symbol));
    if (source.language == TargetLanguage::OpenCl)
        text += format("#define DEVICE_NUMBER {}\n", kernel.deviceNumber);
    else
        text += format("#define KERNEL_RANGE {}\n", inC(rangeSymbol(source)));
    text += format("#define INDEX_CHECKS {}\n#define ARGUMENTS {}\n", source.indexChecks.size(), kernel.arguments.size());
    text += "\n/* The number of work items. */\n";
    text += format("static const long long kGlobalSize[3] = {{{}}};\n", join(kernel.globalSize, ", "));
    if (source.language == TargetLanguage::OpenCl)
        text += format("static const long long kLocalSize[3] = {{{}}};\n", join(kernel.localSize, ", "));
    text += "\nstatic const struct Argument kArguments[] = {\n";
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
        const ReproducedArgument &argument = kernel.arguments[i];
        text += format("    {{{}, {}, {}, {}, {}, {}}},\n", inC(argument.name), typeInitializer(argument.value.dtype()),
                       argument.value.elements(), argument.same, inC(argumentFile(argument.same)),
                       argument.expected ? inC(expectedFile(i)) : "0");
    }
    return text + "};\n";
}

std::string buildScript(const ReproducedKernel &kernel)
{
    std::string text =
        "#!/bin/sh\n# Builds ./reproduce here. CC and CLANG name the compilers.\nset -e\ncd \"$(dirname \"$0\")\"\n";
    switch (kernel.source->language) {
    case TargetLanguage::C:
        text += format("\"${{CLANG:-clang-22}}\" {} -c kernel.c -o kernel.o\n", join(kCOptions, " "));
        break;
    case TargetLanguage::Llvm:
        text += "\"${CLANG:-clang-22}\" -O2 -march=native -fPIC -Wno-override-module -c kernel.ll -o kernel.o\n";
        break;
    case TargetLanguage::OpenCl:
        return text + "\"${CC:-cc}\" -std=c11 -O2 main.c -o reproduce -lOpenCL -lm\n";
    case TargetLanguage::Lowered:
        SW_UNREACHABLE();
    }
    return text + "\"${CC:-cc}\" -std=c11 -O2 main.c kernel.o -o reproduce -lm\n";
}

std::string readMe(const ReproducedKernel &kernel)
{
    const RenderedSource &source = *kernel.source;
    const std::string_view file = sourceFileName(source.language);
    std::string text = format("# The kernel {} of {}\n\n", kernel.name, kernel.program);
    text += format("`{}` is the kernel's source ({}){} as the device `{}` compiles it. `main.c` runs it on the values that it "
                   "is given in a run of the program, and compares what it writes with what is expected.\n\n",
                   file, languageName(source.language), kernel.isEdited ? ", edited by hand," : ",", kernel.device.id);
    text += "    sh build.sh\n    ./reproduce\n\n";
    text += format(
        "It prints for each result whether it is equal, within rounding, or different (the largest difference, where it is, "
        "and in units in the last place), then the median time of 21 runs (`./reproduce 100`: of 100), and ends with "
        "`PASSED` (exit code 0) or `FAILED` (1). It needs {}.\n\n",
        toolsOf(source.language));
    if (source.language == TargetLanguage::OpenCl)
        text += "`DEVICE=1 ./reproduce` takes another device: its number among those of all platforms, from 0 on.\n\n";
    else
        text += "It runs on one thread, while the device shares the work items among its threads.\n\n";
    text += kernel.expectedFrom.empty() ? format("What is expected is not known: {}.\n\n", kernel.whyNotExpected)
                                        : format("What is expected was computed by {}.\n\n", kernel.expectedFrom);
    text += argumentList(kernel);
    text += "\nThe files are NumPy's; bf16 and the 8-bit floats are stored as their bits.\n\n";
    text += "| | |\n|---|---|\n";
    text += format("| entry point | `{}` |\n", source.symbol);
    text += format("| work items | {}, in groups of {} |\n", join(kernel.globalSize, " x "), join(kernel.localSize, " x "));
    if (!kernel.dimensions.empty())
        text += format("| dimensions | {} |\n", kernel.dimensions);
    text += format("| device | `{}`: {} |\n", kernel.device.id, kernel.device.description);
    if (!kernel.device.driver.empty())
        text += format("| driver | {} |\n", kernel.device.driver);
    text += format("| written by | Stepwell {} |\n", STEPWELL_VERSION);
    if (!kernel.command.empty())
        text += format("| with | `{}` |\n", kernel.command);
    return text;
}

} // namespace sw
