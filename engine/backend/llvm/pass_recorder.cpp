#include "engine/backend/llvm/pass_recorder.h"

#include "engine/backend/llvm/code_generator.h"
#include "engine/backend/llvm/target.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>

namespace sw {

namespace {

// Text kept for all passes of a kernel together. A pass beyond it is in the list without its text.
constexpr std::size_t kMostText = std::size_t{8} << 20;

class PassRecorder {
public:
    explicit PassRecorder(std::string symbol) : m_symbol(std::move(symbol)) {}
    void listenTo(llvm::PassInstrumentationCallbacks &callbacks);
    [[nodiscard]] std::vector<CompilerPass> take() { return std::move(m_passes); }

private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] const llvm::Function *functionOf(const llvm::Any &ir) const;
    void begin(llvm::StringRef pass, const llvm::Any &ir);
    void end(llvm::StringRef pass, const llvm::Function *function);

    std::string m_symbol;
    llvm::PassInstrumentationCallbacks *m_callbacks = nullptr;
    std::vector<CompilerPass> m_passes;
    std::string m_before;
    const llvm::Function *m_function = nullptr; // that the running pass works on
    Clock::time_point m_start;
    std::size_t m_kept = 0; // bytes of text
};

// Passes that only run others.
bool isManager(llvm::StringRef pass)
{
    return pass.contains("PassManager") || pass.contains("PassAdaptor") || pass.contains("AnalysisManagerProxy") ||
           pass.contains("VerifierPass") || pass.contains("PrintModulePass");
}

std::string textOf(const llvm::Function &function)
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    function.print(stream);
    return text;
}

const llvm::Function *PassRecorder::functionOf(const llvm::Any &ir) const
{
    if (const auto *module = llvm::any_cast<const llvm::Module *>(&ir))
        return (*module)->getFunction(m_symbol);
    const llvm::Function *function = nullptr;
    if (const auto *one = llvm::any_cast<const llvm::Function *>(&ir))
        function = *one;
    else if (const auto *loop = llvm::any_cast<const llvm::Loop *>(&ir))
        function = (*loop)->getHeader()->getParent();
    return function != nullptr && function->getName() == m_symbol ? function : nullptr;
}

void PassRecorder::listenTo(llvm::PassInstrumentationCallbacks &callbacks)
{
    m_callbacks = &callbacks;
    callbacks.registerBeforeNonSkippedPassCallback([this](llvm::StringRef pass, const llvm::Any &ir) { begin(pass, ir); });
    callbacks.registerAfterPassCallback(
        [this](llvm::StringRef pass, const llvm::Any &, const llvm::PreservedAnalyses &) { end(pass, m_function); });
    // A pass that deleted its loop cannot be asked for it any more.
    callbacks.registerAfterPassInvalidatedCallback(
        [this](llvm::StringRef pass, const llvm::PreservedAnalyses &) { end(pass, m_function); });
}

void PassRecorder::begin(llvm::StringRef pass, const llvm::Any &ir)
{
    if (isManager(pass))
        return;
    m_function = functionOf(ir);
    if (m_function == nullptr)
        return;
    m_before = textOf(*m_function);
    m_start = Clock::now();
}

void PassRecorder::end(llvm::StringRef pass, const llvm::Function *function)
{
    if (isManager(pass) || function == nullptr)
        return;
    CompilerPass made;
    made.time = Clock::now() - m_start;
    const llvm::StringRef shortName = m_callbacks->getPassNameForClassName(pass);
    made.name = shortName.empty() ? pass.str() : shortName.str();
    std::string after = textOf(*function);
    made.isChanged = after != m_before;
    if (made.isChanged && m_kept + after.size() + m_before.size() <= kMostText) {
        m_kept += after.size() + m_before.size();
        made.before = std::move(m_before);
        made.after = std::move(after);
    }
    m_passes.push_back(std::move(made));
    m_function = nullptr;
}

} // namespace

Result<std::vector<CompilerPass>> recordedPasses(const RenderedSource &source)
{
    SW_TRY(auto machine, hostTargetMachine());
    auto generator = std::make_unique<CodeGenerator>(std::move(machine));
    std::optional<Result<ObjectBytes>> object;
    PassRecorder recorder(source.symbol);
    llvm::PassInstrumentationCallbacks callbacks;
    recorder.listenTo(callbacks);
    const Result<Done> sound = recovered(source.symbol, [&] {
        object = translated(source.text, source.symbol, *generator, {.hasLines = false, .callbacks = &callbacks});
    });
    if (!sound) {
        static_cast<void>(generator.release()); // it may not even be safe to destroy
        return sound.failure();
    }
    SW_CHECK(*object);
    return recorder.take();
}

} // namespace sw
