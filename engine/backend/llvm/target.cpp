#include "engine/backend/llvm/target.h"

#include "engine/backend/cpu/tile_registers.h"
#include "engine/backend/llvm/native_code.h"
#include "engine/ops/tensor_instructions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <mutex>

namespace sw {

namespace {

// LLVM has no other way to say this. What it does not know, it does not do.
void setOption(llvm::StringRef name, llvm::StringRef value)
{
    const auto &options = llvm::cl::getRegisteredOptions();
    if (const auto found = options.find(name); found != options.end())
        found->second->addOccurrence(0, name, value);
}

// What takes long for the long straight code of our kernels and changes nothing in it: comparing each access to memory with
// hundreds of others before instructions are scheduled, and looking for neighbouring stores, which are vectors already.
void leaveOutWhatChangesNothing()
{
    setOption("dag-maps-huge-region", "100");
    setOption("dag-maps-reduction-size", "50");
    setOption("combiner-store-merging", "false");
}

} // namespace

void initializeNativeTarget()
{
    static std::once_flag isDone;
    std::call_once(isDone, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        llvm::InitializeNativeTargetDisassembler();
        llvm::InitializeAllTargetMCAs();
        leaveOutWhatChangesNothing();
    });
}

// Some virtual machines report a model that LLVM mistakes for an older one; the name only selects the scheduling model.
std::string hostCpuName()
{
    return llvm::sys::getHostCPUFeatures().lookup("amx-tile") ? "sapphirerapids" : llvm::sys::getHostCPUName().str();
}

std::string hostProcessorText()
{
    std::vector<std::string> names; // a map of LLVM's has no order
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
        if (feature.second)
            names.push_back(feature.first().str());
    std::ranges::sort(names);
    return hostCpuName() + " " + join(names, ",");
}

Result<std::unique_ptr<llvm::TargetMachine>> hostTargetMachine()
{
    initializeNativeTarget();
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no code generator for this machine: {}",
                                 llvm::toString(builder.takeError()));
    builder->setCPU(hostCpuName());
    builder->setRelocationModel(llvm::Reloc::PIC_);
    builder->setCodeModel(
        llvm::CodeModel::Small); // constants lie next to the code, and calls go through stubs that the loader makes
    // Scheduling a second time, after registers are assigned, is all that the next level does more. It takes a quarter of the
    // time and gains nothing on processors that reorder instructions themselves.
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
    auto machine = builder->createTargetMachine();
    if (!machine)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no code generator for this machine: {}",
                                 llvm::toString(machine.takeError()));
    return std::move(*machine);
}

std::uint32_t hostTensorInstructions()
{
    static const std::uint32_t set = [] {
        const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
        std::uint32_t found = 0;
        for (const TensorInstruction one : allTensorInstructions()) {
            const TensorInstructionInfo &info = infoOf(one);
            // Intel's processors with AMX do vdpbf16ps at half the rate of f32 arithmetic, which gains nothing.
            if (one == TensorInstruction::DotBf16 && features.lookup("amx-bf16"))
                continue;
            llvm::SmallVector<llvm::StringRef> needed;
            llvm::SplitString(llvm::StringRef(info.features.data(), info.features.size()), needed);
            const bool isThere = llvm::all_of(needed, [&](llvm::StringRef feature) { return features.lookup(feature); });
            if (isThere && (!hasTileRegisters(info) || mayUseTileRegisters()))
                found |= bitOf(one);
        }
        return found;
    }();
    return set;
}

bool hostHasF16()
{
    const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    return features.lookup("avx512fp16") || features.lookup("fullfp16"); // x86, Arm
}

std::vector<std::string> missingFeatures(const llvm::TargetMachine &machine, std::string_view features)
{
    llvm::SmallVector<llvm::StringRef> needed;
    llvm::SplitString(llvm::StringRef(features.data(), features.size()), needed);
    const llvm::MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
    std::vector<std::string> missing;
    for (const llvm::StringRef feature : needed)
        if (!processor.checkFeatures("+" + feature.str()))
            missing.push_back(feature.str());
    return missing;
}

} // namespace sw
