#include "engine/backend/llvm/cross_compiler.h"

#include "engine/backend/llvm/code_generator.h"
#include "engine/backend/llvm/machine_tools.h"
#include "engine/backend/machine/cross_targets.h"
#include "engine/base/text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <mutex>
#include <optional>

namespace sw {

namespace {

void initializeAllTargets()
{
    static std::once_flag isDone;
    std::call_once(isDone, [] {
        llvm::InitializeAllTargetInfos();
        llvm::InitializeAllTargets();
        llvm::InitializeAllTargetMCs();
        llvm::InitializeAllAsmPrinters();
        llvm::InitializeAllAsmParsers();
        llvm::InitializeAllDisassemblers();
        llvm::InitializeAllTargetMCAs();
    });
}

const llvm::Target *builtIn(const CrossTarget &target)
{
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(target.triple.data()), error);
}

Diagnostic notBuiltIn(const CrossTarget &target)
{
    std::vector<std::string_view> there;
    for (const CrossTarget &other : crossTargets())
        if (builtIn(other) != nullptr)
            there.push_back(other.name);
    return Diagnostic::error(Code::Unsupported, {}, "this LLVM was built without {}; it has {}", target.name, join(there, ", "));
}

// Reads the instructions of a function out of assembly text, with the lines that its .loc directives say.
class AssemblyReader {
public:
    AssemblyReader(std::string_view symbol, std::span<const SourceLine> lines) : m_symbol(symbol), m_lines(lines) {}
    [[nodiscard]] MachineCode read(llvm::StringRef text);

private:
    void readLine(llvm::StringRef line);
    void add(llvm::StringRef text);

    std::string m_symbol;
    std::span<const SourceLine> m_lines;
    MachineCode m_code;
    std::uint32_t m_line = 0;
    bool m_isInside = false;
};

MachineCode AssemblyReader::read(llvm::StringRef text)
{
    llvm::SmallVector<llvm::StringRef> lines;
    text.split(lines, '\n');
    for (const llvm::StringRef line : lines)
        readLine(line);
    return std::move(m_code);
}

void AssemblyReader::readLine(llvm::StringRef line)
{
    const llvm::StringRef text = line.split("//").first.trim();
    const bool opens = text.starts_with(".func") || text.starts_with(".visible .func") || text.starts_with(".visible .entry");
    if (opens) {
        // The name is the last word before the list of parameters.
        const llvm::StringRef name = text.split('(').first.trim().rsplit(' ').second;
        m_isInside = name == m_symbol;
        return;
    }
    if (!m_isInside)
        return;
    if (text.starts_with(".loc")) { // ".loc FILE LINE COLUMN"
        llvm::SmallVector<llvm::StringRef> words;
        llvm::SplitString(text, words);
        if (words.size() > 2 && words[2].getAsInteger(10, m_line))
            m_line = 0;
    } else if (text == "}") {
        m_isInside = false;
    } else if (!text.starts_with(".") && text.ends_with(";")) {
        add(text.drop_back());
    }
}

void AssemblyReader::add(llvm::StringRef text)
{
    MachineInstruction &made = m_code.instructions.emplace_back();
    made.address = m_code.size() - 1;
    for (const char c : text)
        made.text += c == '\t' ? ' ' : c;
    made.sourceLine = m_line <= m_lines.size() ? m_line : 0;
    made.tag = made.sourceLine == 0 ? CodeTag::Frame : m_lines[made.sourceLine - 1].tag;
}

std::unique_ptr<llvm::TargetMachine> machineFor(const CrossTarget &target, const llvm::Target &llvmTarget)
{
    return std::unique_ptr<llvm::TargetMachine>(
        llvmTarget.createTargetMachine(llvm::Triple(target.triple.data()), target.cpu, target.features, llvm::TargetOptions(),
                                       llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

Result<MachineCode> compiledFor(const RenderedSource &source, const CrossTarget &target, const llvm::Target &llvmTarget)
{
    const llvm::Triple triple(target.triple.data());
    std::unique_ptr<llvm::TargetMachine> machine = machineFor(target, llvmTarget);
    if (!machine)
        return Diagnostic::error(Code::Unsupported, {}, "LLVM makes no code for {}", target.name);
    CodeGenerator generator(std::move(machine));
    TranslationOptions options{.vectorScale = target.vectorScale};
    if (triple.isNVPTX())
        options.emitted = EmittedCode::Assembly;
    SW_TRY(const ObjectBytes bytes, translated(source.text, source.symbol, generator, options));
    if (!triple.isNVPTX())
        return disassembledFor(bytes, source.symbol, source.lines, {triple, target.cpu.data(), target.features.data()});
    AssemblyReader reader(source.symbol, source.lines);
    MachineCode code = reader.read({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    code.target = std::string(target.triple.substr(0, target.triple.find('-'))) + ", " + std::string(target.cpu);
    if (code.empty())
        return Diagnostic::error(Code::Compile, {}, "the assembly has no function {}", quoted(source.symbol));
    return code;
}

} // namespace

Result<MachineCode> crossCompiled(const RenderedSource &source, const std::string &target)
{
    initializeAllTargets();
    SW_TRY(const CrossTarget chosen, crossTargetNamed(target));
    const llvm::Target *llvmTarget = builtIn(chosen);
    if (llvmTarget == nullptr)
        return notBuiltIn(chosen);
    std::optional<Result<MachineCode>> made;
    SW_CHECK(recovered(source.symbol, [&] { made = compiledFor(source, chosen, *llvmTarget); }));
    return std::move(*made);
}

Result<ObjectBytes> crossObject(const RenderedSource &source, const CrossTarget &target)
{
    initializeAllTargets();
    const llvm::Target *llvmTarget = builtIn(target);
    if (llvmTarget == nullptr)
        return notBuiltIn(target);
    std::optional<Result<ObjectBytes>> made;
    SW_CHECK(recovered(source.symbol, [&] {
        if (auto machine = machineFor(target, *llvmTarget)) {
            CodeGenerator generator(std::move(machine));
            made = translated(source.text, source.symbol, generator);
        }
    }));
    if (!made)
        return Diagnostic::error(Code::Unsupported, {}, "LLVM makes no code for {}", target.name);
    return std::move(*made);
}

} // namespace sw
