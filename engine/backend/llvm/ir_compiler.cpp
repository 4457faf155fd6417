#include "engine/backend/llvm/ir_compiler.h"

#include "engine/backend/llvm/code_generator.h"
#include "engine/backend/llvm/extreme_values.h"
#include "engine/backend/llvm/ir_translation.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/llvm/target.h"
#include "engine/ops/tensor_instructions.h"

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/AsmParser/AsmParserContext.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <mutex>
#include <optional>
#include <vector>

namespace sw {

// Code generators are slow to make and serve one thread at a time. Unused ones are kept here.
struct IrCompiler::State {
    using Generator = std::unique_ptr<CodeGenerator>;

    Result<Generator> take()
    {
        {
            const std::scoped_lock lock(mutex);
            if (!idle.empty()) {
                Generator generator = std::move(idle.back());
                idle.pop_back();
                return generator;
            }
        }
        SW_TRY(auto machine, hostTargetMachine());
        return std::make_unique<CodeGenerator>(std::move(machine));
    }
    void giveBack(Generator generator)
    {
        const std::scoped_lock lock(mutex);
        idle.push_back(std::move(generator));
    }

    std::mutex mutex;
    std::vector<Generator> idle;
};

namespace {

SourceRange place(const std::string &symbol, std::uint32_t line, std::uint32_t column)
{
    return {.file = symbol + ".ll", .line = line, .column = column, .endLine = line, .endColumn = column};
}

Result<std::unique_ptr<llvm::Module>> parsed(std::string_view text, const std::string &symbol, llvm::LLVMContext &context,
                                             llvm::AsmParserContext &places)
{
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(llvm::StringRef(text.data(), text.size()), error, context, nullptr, &places);
    if (!module)
        return Diagnostic::error(Code::Compile,
                                 place(symbol, static_cast<std::uint32_t>(std::max(error.getLineNo(), 1)),
                                       static_cast<std::uint32_t>(error.getColumnNo() + 1)),
                                 "{}", error.getMessage().str());
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(*module, &stream))
        return Diagnostic::error(Code::Compile, place(symbol, 1, 1), "{}", message);
    return module;
}

// Gives every instruction the line of the text that it is on.
void attachLines(llvm::Module &module, const std::string &symbol, const llvm::AsmParserContext &places)
{
    llvm::Function *function = module.getFunction(symbol);
    if (function == nullptr || function->isDeclaration() || function->getSubprogram() != nullptr)
        return;
    llvm::DIBuilder builder(module);
    llvm::DIFile *file = builder.createFile(symbol + ".ll", ".");
    builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C11), file, "stepwell", true, "", 0, "",
                              llvm::DICompileUnit::LineTablesOnly);
    const auto start = places.getFunctionLocation(function);
    const unsigned line = start ? start->Start.Line + 1 : 1;
    llvm::DISubprogram *program =
        builder.createFunction(file, symbol, symbol, file, line, builder.createSubroutineType(builder.getOrCreateTypeArray({})),
                               line, llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    function->setSubprogram(program);
    for (llvm::BasicBlock &block : *function)
        for (llvm::Instruction &instruction : block)
            if (const auto where = places.getInstructionLocation(&instruction))
                instruction.setDebugLoc(
                    llvm::DILocation::get(module.getContext(), where->End.Line + 1, where->Start.Col + 1, program));
    builder.finalize();
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
}

// Sums in tile registers are vectors until code is generated, which turns them into registers only where loops alone hand them
// on. The pass that moves what does not change out of nested loops hands them on at the end of each loop, too, under further
// names.
bool hasTileSums(const llvm::Module &module)
{
    return module.getFunction("llvm.x86.cast.vector.to.tile.v256i32") != nullptr;
}

// A short list of passes: the vector code is already explicit, so this only tidies up. Unrolling runs where the text asks for it.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool isUnrolling, llvm::PassInstrumentationCallbacks *callbacks)
{
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine, {}, std::nullopt, callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);

    llvm::FunctionPassManager body;
    body.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    body.addPass(llvm::EarlyCSEPass(true));
    body.addPass(llvm::InstCombinePass());
    body.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    if (hasTileSums(module))
        body.addPass(llvm::InstSimplifyPass());
    if (isUnrolling)
        body.addPass(llvm::LoopUnrollPass());
    body.addPass(llvm::SimplifyCFGPass());
    body.addPass(ExtremeValuesPass(machine));
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(false));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(body)));
    passes.run(module, modules);
}

// Memory on the stack has an address space of its own on some processors; the text knows only one.
void moveStackMemory(llvm::Module &module)
{
    const unsigned space = module.getDataLayout().getAllocaAddrSpace();
    if (space == 0)
        return;
    std::vector<llvm::AllocaInst *> found;
    for (llvm::Function &function : module)
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &instruction : block)
                if (auto *memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
                    found.push_back(memory);
    for (llvm::AllocaInst *memory : found) {
        llvm::IRBuilder<> builder(memory);
        llvm::AllocaInst *moved = builder.CreateAlloca(memory->getAllocatedType(), space, memory->getArraySize());
        moved->setAlignment(memory->getAlign());
        memory->replaceAllUsesWith(builder.CreateAddrSpaceCast(moved, memory->getType()));
        memory->eraseFromParent();
    }
}

// The function that runs a row of work items only calls the kernel in a loop: there is nothing to gain in it, and a tenth of the
// time of a small kernel to lose.
void leaveAsItIs(llvm::Module &module, const std::string &symbol)
{
    llvm::Function *function = module.getFunction(symbol + std::string(kRangeSuffix));
    if (function == nullptr || function->isDeclaration() || function->hasFnAttribute(llvm::Attribute::AlwaysInline))
        return;
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::OptimizeNone);
}

// LLVM gives up on an instruction that the processor does not have.
Result<Done> checkTensorInstructions(std::string_view text, const std::string &symbol, const llvm::TargetMachine &machine)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        if (text.find(info.llvm) == std::string_view::npos)
            continue;
        const std::vector<std::string> missing = missingFeatures(machine, info.features);
        if (!missing.empty())
            return Diagnostic::error(
                Code::Unsupported, place(symbol, 1, 1),
                "the kernel multiplies tiles with {}, and {} has no {}; --no-tensor-instructions makes code without it",
                info.mnemonic, machine.getTargetCPU().str(), join(missing, ", "));
    }
    return Done{};
}

} // namespace

Result<ObjectBytes> translated(std::string_view text, const std::string &symbol, CodeGenerator &generator,
                               const TranslationOptions &options)
{
    llvm::TargetMachine &machine = generator.machine();
    SW_CHECK(checkTensorInstructions(text, symbol, machine));
    llvm::LLVMContext context;
    llvm::AsmParserContext places;
    SW_TRY(const auto module, parsed(text, symbol, context, places));
    if (options.hasLines)
        attachLines(*module, symbol, places);
    module->setTargetTriple(machine.getTargetTriple());
    module->setDataLayout(machine.createDataLayout());
    moveStackMemory(*module);
    leaveAsItIs(*module, symbol);
    for (llvm::Function &function : *module) {
        if (function.isDeclaration())
            continue;
        function.addFnAttr("target-cpu", machine.getTargetCPU());
        function.addFnAttr("target-features", machine.getTargetFeatureString());
        if (options.vectorScale != 0)
            function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(context, options.vectorScale, options.vectorScale));
    }
    optimize(*module, machine, text.find("llvm.loop.unroll") != std::string_view::npos, options.callbacks);
    return generator.generate(*module, options.emitted);
}

Result<Done> recovered(const std::string &symbol, const std::function<void()> &work)
{
    llvm::CrashRecoveryContext::Enable();
    llvm::CrashRecoveryContext recovery;
    if (recovery.RunSafely([&] { work(); }))
        return Done{};
    return Diagnostic::error(Code::Compile, place(symbol, 1, 1), "LLVM failed inside while compiling this kernel");
}

IrCompiler::IrCompiler(std::unique_ptr<State> state) : m_state(std::move(state)) {}
IrCompiler::~IrCompiler() = default;

Result<std::unique_ptr<IrCompiler>> IrCompiler::create()
{
    auto state = std::make_unique<State>();
    SW_TRY(auto machine, hostTargetMachine());
    state->giveBack(std::make_unique<CodeGenerator>(std::move(machine)));
    return std::unique_ptr<IrCompiler>(new IrCompiler(std::move(state)));
}

Result<ObjectBytes> IrCompiler::compile(std::string_view text, const std::string &symbol)
{
    SW_TRY(auto generator, m_state->take());
    // LLVM exits the process on input that it cannot translate; this turns that into an error of this kernel only.
    std::optional<Result<ObjectBytes>> result;
    const Result<Done> sound = recovered(symbol, [&] { result = translated(text, symbol, *generator); });
    // A jump out of the middle of LLVM may have left the generator half changed, so the next kernel gets a new one.
    if (sound)
        m_state->giveBack(std::move(generator));
    else
        static_cast<void>(generator.release()); // it may not even be safe to destroy
    if (!sound)
        return sound.failure();
    return std::move(*result);
}

std::string IrCompiler::description() const
{
    return format("LLVM {}, {}, {}", LLVM_VERSION_STRING, STEPWELL_TRANSLATION_DIGEST, hostProcessorText());
}

std::size_t IrCompiler::idleMachines() const
{
    const std::scoped_lock lock(m_state->mutex);
    return m_state->idle.size();
}

} // namespace sw
