#pragma once
// LLVM's tools for reading the machine code of one processor, which depend on each other. Only .cpp files that include LLVM
// anyway include this header.

#include "engine/backend/llvm/native_code.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <memory>
#include <span>
#include <string>

namespace sw {

// A processor as LLVM names it.
struct Processor {
    llvm::Triple triple;
    std::string cpu;
    std::string features; // "+sve,-fp16"; empty: what the cpu has
};

struct MachineTools {
    const llvm::Target *target = nullptr;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembly;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis;
    std::unique_ptr<llvm::MCInstPrinter> printer;

    // False: LLVM cannot read code of this processor.
    [[nodiscard]] bool open(const Processor &processor);
    // Returns the length of the instruction, 0 when the bytes are not an instruction.
    [[nodiscard]] std::uint64_t decode(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, llvm::MCInst &made) const;
    // In the usual syntax of the processor; Intel's for x86.
    [[nodiscard]] std::string textOf(const llvm::MCInst &instruction, std::uint64_t address, std::uint64_t size) const;
};

// Adds to each instruction what LLVM's tables say about it, and to the code the registers that they speak of. decoded: by
// instruction.
void addFacts(const MachineTools &tools, std::span<const llvm::MCInst> decoded, MachineCode &code);

// Simulates the innermost loops, or the whole code when it has no loop. Takes milliseconds per loop.
void addThroughputs(const MachineTools &tools, std::span<const llvm::MCInst> decoded, MachineCode &code);

// Like disassembled(), of another processor than this machine's; without a triple, the object's own.
[[nodiscard]] Result<MachineCode> disassembledFor(const ObjectBytes &object, const std::string &symbol,
                                                  std::span<const SourceLine> lines, Processor processor);

} // namespace sw
