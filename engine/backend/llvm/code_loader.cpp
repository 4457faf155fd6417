#include "engine/backend/llvm/native_code.h"
#include "engine/backend/llvm/target.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <map>

namespace sw {

struct CodeLoader::Engine {
    std::unique_ptr<llvm::orc::LLJIT> jit;
    std::atomic<std::uint64_t> next{0};
};

namespace {

Diagnostic cannotLoad(llvm::Error error)
{
    return Diagnostic::error(Code::Compile, {}, "the compiled kernel cannot be loaded: {}", llvm::toString(std::move(error)));
}

} // namespace

CodeLoader::CodeLoader(std::shared_ptr<Engine> engine) : m_engine(std::move(engine)) {}
CodeLoader::~CodeLoader() = default;

Result<std::unique_ptr<CodeLoader>> CodeLoader::create()
{
    initializeNativeTarget();
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no loader for compiled code: {}", llvm::toString(jit.takeError()));
    auto engine = std::make_shared<Engine>();
    engine->jit = std::move(*jit);
    return std::unique_ptr<CodeLoader>(new CodeLoader(std::move(engine)));
}

namespace {

// Every object gets its own library, so that two kernels can have the same symbol and be unloaded one by one.
template <class Engine>
class LoadedObject final : public LoadedCode {
public:
    LoadedObject(std::shared_ptr<Engine> engine, llvm::orc::JITDylib &library) : m_engine(std::move(engine)), m_library(&library)
    {
    }
    ~LoadedObject() override
    {
        if (auto error = m_engine->jit->getExecutionSession().removeJITDylib(*m_library))
            llvm::consumeError(std::move(error)); // the code stays in memory; a destructor cannot report this
    }
    LoadedObject(const LoadedObject &) = delete;
    LoadedObject &operator=(const LoadedObject &) = delete;

    [[nodiscard]] void *address(const std::string &symbol) const override
    {
        if (const auto known = m_addresses.find(symbol); known != m_addresses.end())
            return known->second;
        auto found = m_engine->jit->lookup(*m_library, symbol);
        if (!found) {
            llvm::consumeError(found.takeError());
            return nullptr;
        }
        return found->template toPtr<void *>();
    }

    llvm::Error resolve(const std::string &symbol)
    {
        auto found = m_engine->jit->lookup(*m_library, symbol);
        if (!found)
            return found.takeError();
        m_addresses[symbol] = found->template toPtr<void *>();
        return llvm::Error::success();
    }

private:
    std::shared_ptr<Engine> m_engine;
    llvm::orc::JITDylib *m_library;
    std::map<std::string, void *> m_addresses;
};

} // namespace

Result<std::shared_ptr<const LoadedCode>> CodeLoader::load(const ObjectBytes &object, std::span<const std::string> symbols)
{
    auto library = m_engine->jit->createJITDylib(format("kernel{}", m_engine->next++));
    if (!library)
        return cannotLoad(library.takeError());
    auto loaded = std::make_shared<LoadedObject<Engine>>(m_engine, *library);
    const llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()), object.size());
    if (auto error = m_engine->jit->addObjectFile(*library, llvm::MemoryBuffer::getMemBufferCopy(bytes, library->getName())))
        return cannotLoad(std::move(error));
    for (const std::string &symbol : symbols)
        if (auto error = loaded->resolve(symbol))
            return cannotLoad(std::move(error));
    return std::shared_ptr<const LoadedCode>(std::move(loaded));
}

} // namespace sw
