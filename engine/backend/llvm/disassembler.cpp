#include "engine/backend/llvm/constant_lines.h"
#include "engine/backend/llvm/machine_tools.h"
#include "engine/backend/llvm/native_code.h"
#include "engine/backend/llvm/target.h"
#include "engine/backend/machine/partner_lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <map>

namespace sw {

namespace {

// Where a function lies in an object.
struct FunctionPlace {
    llvm::object::SectionRef section;
    std::uint64_t start = 0; // offset from the section's start
    std::uint64_t size = 0;
};

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

Result<MachineCode> disassembled(const ObjectBytes &object, const std::string &symbol, std::span<const SourceLine> lines)
{
    initializeNativeTarget();
    return disassembledFor(object, symbol, lines, {{}, hostCpuName(), "+amx-tile"});
}

Result<MachineCode> disassembledFor(const ObjectBytes &object, const std::string &symbol, std::span<const SourceLine> lines,
                                    Processor processor)
{
    const llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()), object.size());
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, symbol));
    if (!file)
        return Diagnostic::error(Code::Compile, {}, "the compiled object cannot be read: {}", llvm::toString(file.takeError()));
    SW_TRY(const FunctionPlace place, placeOf(**file, symbol));
    auto contents = place.section.getContents();
    MachineTools tools;
    const bool isCross = processor.triple.getArch() != llvm::Triple::UnknownArch;
    if (!isCross)
        processor.triple = (*file)->makeTriple();
    if (!contents || !tools.open(processor))
        return Diagnostic::error(Code::Compile, {}, "no disassembler for this machine's code");
    const auto code = llvm::arrayRefFromStringRef(*contents).slice(place.start, place.size);
    const auto references = referencesIn(**file, place.section);
    const auto debug = llvm::DWARFContext::create(**file);

    // A linked file has addresses; in an unlinked object, they count from the start of the section.
    const bool isLinked = !(*file)->isRelocatableObject();
    const std::uint64_t base = place.start + place.section.getAddress();

    MachineCode made;
    std::vector<llvm::MCInst> decoded;
    for (std::uint64_t at = 0; at < place.size;) {
        llvm::MCInst &one = decoded.emplace_back();
        const std::uint64_t size = tools.decode(code.drop_front(at), at, one);
        if (size == 0)
            return Diagnostic::error(Code::Compile, {}, "byte {} of {} is not an instruction", at, symbol);
        MachineInstruction &instruction = made.instructions.emplace_back();
        instruction.address = at;
        const auto encoding = code.slice(at, size);
        instruction.bytes.assign(encoding.begin(), encoding.end());
        instruction.text = tools.textOf(one, at, size);
        const auto reference = references.lower_bound(place.start + at);
        if (reference != references.end() && reference->first < place.start + at + size)
            instruction.text += "  # " + reference->second;
        instruction.sourceLine =
            lineOf(*debug, {base + at, isLinked ? llvm::object::SectionedAddress::UndefSection : place.section.getIndex()});
        tag(instruction, lines);
        at += size;
    }
    lendConstantLines(made.instructions, lines);
    addFacts(tools, decoded, made);
    if (isCross)
        lendPartnerLines(made, lines);
    addThroughputs(tools, decoded, made);
    return made;
}

} // namespace sw
