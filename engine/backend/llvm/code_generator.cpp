#include "engine/backend/llvm/code_generator.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>

namespace sw {

struct CodeGenerator::Passes {
    EmittedCode emitted = EmittedCode::Object;
    llvm::SmallVector<char, 0> buffer;
    llvm::raw_svector_ostream stream{buffer}; // the passes write to it
    llvm::legacy::PassManager manager;
};

CodeGenerator::CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine) : m_machine(std::move(machine)) {}
CodeGenerator::~CodeGenerator() = default;

llvm::TargetMachine &CodeGenerator::machine() const
{
    return *m_machine;
}

Result<ObjectBytes> CodeGenerator::generate(llvm::Module &module, EmittedCode emitted)
{
    if (m_passes == nullptr || m_passes->emitted != emitted) {
        auto made = std::make_unique<Passes>();
        made->emitted = emitted;
        const auto type =
            emitted == EmittedCode::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
        if (m_machine->addPassesToEmitFile(made->manager, made->stream, nullptr, type))
            return Diagnostic::error(Code::DeviceUnavailable, {}, "LLVM cannot write object files for this machine");
        m_passes = std::move(made);
    }
    m_passes->buffer.clear();
    m_passes->manager.run(module);
    ObjectBytes bytes(m_passes->buffer.size());
    std::memcpy(bytes.data(), m_passes->buffer.data(), bytes.size());
    return bytes;
}

} // namespace sw
