#include "engine/backend/llvm/machine_tools.h"

#include <llvm/Support/raw_ostream.h>

namespace sw {

namespace {

constexpr unsigned kIntelSyntax = 1;

// "vaddps zmm0, ...": one space after the mnemonic, none around.
std::string tidied(llvm::StringRef text)
{
    std::string out;
    for (const char c : text.trim()) {
        const bool isSpace = c == '\t' || c == ' ';
        if (!isSpace)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    return out;
}

} // namespace

bool MachineTools::open(const Processor &processor)
{
    const llvm::Triple &triple = processor.triple;
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr)
        return false;
    const llvm::MCTargetOptions options;
    registers.reset(target->createMCRegInfo(triple));
    assembly.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple, processor.cpu, processor.features));
    context = std::make_unique<llvm::MCContext>(triple, assembly.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    analysis.reset(target->createMCInstrAnalysis(instructions.get()));
    const unsigned syntax = triple.isX86() ? kIntelSyntax : assembly->getAssemblerDialect();
    printer.reset(target->createMCInstPrinter(triple, syntax, *assembly, *instructions, *registers));
    if (!disassembler || !printer)
        return false;
    printer->setPrintImmHex(false);
    printer->setPrintBranchImmAsAddress(true);
    return true;
}

std::uint64_t MachineTools::decode(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, llvm::MCInst &made) const
{
    std::uint64_t size = 0;
    const auto status = disassembler->getInstruction(made, size, bytes, address, llvm::nulls());
    return status == llvm::MCDisassembler::Success ? size : 0;
}

std::string MachineTools::textOf(const llvm::MCInst &instruction, std::uint64_t address, std::uint64_t size) const
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    // For x86's branches, the printer wants the address of the next instruction.
    const std::uint64_t from = subtarget->getTargetTriple().isX86() ? address + size : address;
    printer->printInst(&instruction, from, "", *subtarget, stream);
    return tidied(text);
}

} // namespace sw
