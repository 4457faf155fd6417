#include "engine/backend/llvm/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

namespace sw {

void initializeNativeTarget()
{
    static std::once_flag isDone;
    std::call_once(isDone, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        llvm::InitializeNativeTargetDisassembler();
        llvm::InitializeAllTargetMCAs();
    });
}

// Some virtual machines report a model that LLVM mistakes for an older one; the name only selects the scheduling model.
std::string hostCpuName()
{
    return llvm::sys::getHostCPUFeatures().lookup("amx-tile") ? "sapphirerapids" : llvm::sys::getHostCPUName().str();
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
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    auto machine = builder->createTargetMachine();
    if (!machine)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no code generator for this machine: {}",
                                 llvm::toString(machine.takeError()));
    return std::move(*machine);
}

} // namespace sw
