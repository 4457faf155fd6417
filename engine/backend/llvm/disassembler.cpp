#include "engine/backend/llvm/constant_lines.h"
#include "engine/backend/llvm/native_code.h"
#include "engine/backend/llvm/target.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
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
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <map>

namespace sw {

namespace {

constexpr unsigned kIntelSyntax = 1;

// Where a function lies in an object.
struct FunctionPlace {
    llvm::object::SectionRef section;
    std::uint64_t start = 0; // offset from the section's start
    std::uint64_t size = 0;
};

// LLVM's tools for reading machine code, which depend on each other.
class MachineReader {
public:
    [[nodiscard]] bool open(const llvm::Triple &triple);
    // Returns the length of the instruction, 0 when the bytes are not an instruction.
    [[nodiscard]] std::uint64_t read(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, MachineInstruction &made) const;

private:
    std::unique_ptr<llvm::MCRegisterInfo> m_registers;
    std::unique_ptr<llvm::MCAsmInfo> m_assembly;
    std::unique_ptr<llvm::MCInstrInfo> m_instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> m_subtarget;
    std::unique_ptr<llvm::MCContext> m_context;
    std::unique_ptr<llvm::MCDisassembler> m_disassembler;
    std::unique_ptr<llvm::MCInstrAnalysis> m_analysis;
    std::unique_ptr<llvm::MCInstPrinter> m_printer;
};

bool MachineReader::open(const llvm::Triple &triple)
{
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr)
        return false;
    const llvm::MCTargetOptions options;
    m_registers.reset(target->createMCRegInfo(triple));
    m_assembly.reset(target->createMCAsmInfo(*m_registers, triple, options));
    m_instructions.reset(target->createMCInstrInfo());
    m_subtarget.reset(target->createMCSubtargetInfo(triple, hostCpuName(), "+amx-tile"));
    m_context = std::make_unique<llvm::MCContext>(triple, m_assembly.get(), m_registers.get(), m_subtarget.get());
    m_disassembler.reset(target->createMCDisassembler(*m_subtarget, *m_context));
    m_analysis.reset(target->createMCInstrAnalysis(m_instructions.get()));
    m_printer.reset(target->createMCInstPrinter(triple, kIntelSyntax, *m_assembly, *m_instructions, *m_registers));
    if (!m_disassembler || !m_printer)
        return false;
    m_printer->setPrintImmHex(false);
    return true;
}

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

std::uint64_t MachineReader::read(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address, MachineInstruction &made) const
{
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    if (m_disassembler->getInstruction(instruction, size, bytes, address, llvm::nulls()) != llvm::MCDisassembler::Success)
        return 0;
    std::string text;
    llvm::raw_string_ostream stream(text);
    // For branches, the printer wants the address of the next instruction.
    m_printer->printInst(&instruction, address + size, "", *m_subtarget, stream);
    made.text = tidied(text);
    made.address = address;
    made.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    std::uint64_t target = 0;
    if (m_analysis && m_analysis->isBranch(instruction) && m_analysis->evaluateBranch(instruction, address, size, target))
        made.target = target;
    return size;
}

Result<FunctionPlace> placeOf(const llvm::object::ObjectFile &object, const std::string &symbol)
{
    for (const llvm::object::SymbolRef &candidate : object.symbols()) {
        auto name = candidate.getName();
        auto section = candidate.getSection();
        auto address = candidate.getAddress();
        if (!name || !section || !address) {
            llvm::consumeError(name.takeError());
            llvm::consumeError(section.takeError());
            llvm::consumeError(address.takeError());
            continue;
        }
        if (*name == symbol && *section != object.section_end())
            return FunctionPlace{**section, *address - (*section)->getAddress(), llvm::object::ELFSymbolRef(candidate).getSize()};
    }
    return Diagnostic::error(Code::Compile, {}, "the compiled object has no function {}", quoted(symbol));
}

// The names that instructions refer to, by offset in the section: the object's addresses are not filled in yet.
std::map<std::uint64_t, std::string> referencesIn(const llvm::object::ObjectFile &object, const llvm::object::SectionRef &section)
{
    std::map<std::uint64_t, std::string> names;
    for (const llvm::object::SectionRef &relocations : object.sections()) {
        auto target = relocations.getRelocatedSection();
        if (!target) {
            llvm::consumeError(target.takeError());
            continue;
        }
        if (*target == object.section_end() || **target != section)
            continue;
        for (const llvm::object::RelocationRef &relocation : relocations.relocations()) {
            const auto symbol = relocation.getSymbol();
            if (symbol == object.symbol_end())
                continue;
            auto name = symbol->getName();
            if (name)
                names[relocation.getOffset()] = name->str();
            else
                llvm::consumeError(name.takeError());
        }
    }
    return names;
}

// The line in the function itself: inlined code gets the line of its call.
std::uint32_t lineOf(llvm::DIContext &debug, llvm::object::SectionedAddress address)
{
    const llvm::DIInliningInfo frames = debug.getInliningInfoForAddress(address);
    const std::uint32_t count = frames.getNumberOfFrames();
    return count == 0 ? 0 : frames.getFrame(count - 1).Line;
}

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> words)
{
    for (const std::string_view word : words)
        if (text.starts_with(word))
            return true;
    return false;
}

// What an instruction without a line is for.
CodeTag tagWithoutLine(std::string_view text)
{
    const bool isOnStack = text.find("[rsp") != std::string_view::npos || text.find("[rbp") != std::string_view::npos;
    if (startsWithAny(text, {"push", "pop", "ret", "leave", "endbr", "vzeroupper"}) ||
        text.find(" rsp,") != std::string_view::npos || text.starts_with("mov rbp, rsp"))
        return CodeTag::Frame;
    if (isOnStack && (text.starts_with("mov") || text.starts_with("vmov") || text.starts_with("kmov")))
        return CodeTag::Spill;
    if (startsWithAny(text, {"lea ", "add r", "sub r", "imul r", "shl r", "inc r", "movsxd r"}))
        return CodeTag::AddressArithmetic;
    return CodeTag::Compiler;
}

void tag(MachineInstruction &instruction, std::span<const SourceLine> lines)
{
    if (instruction.sourceLine == 0) {
        instruction.tag = tagWithoutLine(instruction.text);
        return;
    }
    const bool isKnown = instruction.sourceLine <= lines.size();
    const CodeTag ofLine = isKnown ? lines[instruction.sourceLine - 1].tag : CodeTag::Instruction;
    instruction.tag = ofLine == CodeTag::Instruction ? CodeTag::Instruction : ofLine;
}

} // namespace

Result<std::vector<MachineInstruction>> disassembled(const ObjectBytes &object, const std::string &symbol,
                                                     std::span<const SourceLine> lines)
{
    initializeNativeTarget();
    const llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, symbol));
    if (!file)
        return Diagnostic::error(Code::Compile, {}, "the compiled object cannot be read: {}", llvm::toString(file.takeError()));
    SW_TRY(const FunctionPlace place, placeOf(**file, symbol));
    auto contents = place.section.getContents();
    MachineReader reader;
    if (!contents || !reader.open((*file)->makeTriple()))
        return Diagnostic::error(Code::Compile, {}, "no disassembler for this machine's code");
    const auto code = llvm::arrayRefFromStringRef(*contents).slice(place.start, place.size);
    const auto references = referencesIn(**file, place.section);
    const auto debug = llvm::DWARFContext::create(**file);

    // A linked file has addresses; in an unlinked object, they count from the start of the section.
    const bool isLinked = !(*file)->isRelocatableObject();
    const std::uint64_t base = place.start + place.section.getAddress();

    std::vector<MachineInstruction> made;
    for (std::uint64_t at = 0; at < place.size;) {
        MachineInstruction instruction;
        const std::uint64_t size = reader.read(code.drop_front(at), at, instruction);
        if (size == 0)
            return Diagnostic::error(Code::Compile, {}, "byte {} of {} is not an instruction", at, symbol);
        const auto reference = references.lower_bound(place.start + at);
        if (reference != references.end() && reference->first < place.start + at + size)
            instruction.text += "  # " + reference->second;
        instruction.sourceLine =
            lineOf(*debug, {base + at, isLinked ? llvm::object::SectionedAddress::UndefSection : place.section.getIndex()});
        tag(instruction, lines);
        made.push_back(std::move(instruction));
        at += size;
    }
    lendConstantLines(made, lines);
    return made;
}

} // namespace sw
