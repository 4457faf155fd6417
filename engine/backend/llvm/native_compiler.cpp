#include "engine/backend/llvm/native_compiler.h"

#include "engine/base/hash.h"

#include <array>

namespace sw {

namespace {
constexpr std::size_t kMostCached = 1024;
}

NativeCompiler::NativeCompiler(std::unique_ptr<CodeLoader> loader, Translator translate, std::string rangeSuffix,
                               std::shared_ptr<KernelTable> kernels)
    : m_loader(std::move(loader)),
      m_translate(std::move(translate)),
      m_rangeSuffix(std::move(rangeSuffix)),
      m_kernels(std::move(kernels))
{
}

std::vector<Result<Artifact>> NativeCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<Result<Artifact>> results;
    results.reserve(sources.size());
    for (const RenderedSource &source : sources) {
        const auto start = std::chrono::steady_clock::now();
        auto made = compiled(source, stop);
        if (!made) {
            results.emplace_back(made.failure());
            continue;
        }
        Artifact artifact = (*made)->artifact;
        artifact.id = m_kernels->add({(*made)->run, source.indexChecks, (*made)->code});
        artifact.compileTime = std::chrono::steady_clock::now() - start;
        results.emplace_back(std::move(artifact));
    }
    return results;
}

void NativeCompiler::release(ArtifactId artifact)
{
    m_kernels->remove(artifact);
}

Result<NativeCompiler::CompiledPtr> NativeCompiler::compiled(const RenderedSource &source, const std::stop_token &stop)
{
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "compiling was stopped");
    const std::uint64_t key = Hasher().add(source.symbol).add(source.text).value();
    if (const auto cached = m_cache.find(key); cached != m_cache.end() && cached->second->text == source.text)
        return cached->second;
    SW_TRY(auto made, compiledAnew(source, stop));
    if (m_cache.emplace(key, made).second)
        m_oldest.push_back(key);
    if (m_oldest.size() > kMostCached) {
        m_cache.erase(m_oldest.front());
        m_oldest.pop_front();
    }
    return made;
}

Result<NativeCompiler::CompiledPtr> NativeCompiler::compiledAnew(const RenderedSource &source, const std::stop_token &stop)
{
    SW_TRY(const Translation translation, m_translate(source, stop));
    auto made = std::make_shared<Compiled>();
    made->text = source.text;
    const std::array<std::string, 1> entry = {source.symbol + m_rangeSuffix};
    SW_TRY(made->code, m_loader->load(translation.object, entry));
    made->run = reinterpret_cast<RangeFunction>(made->code->address(entry[0]));
    made->artifact.symbol = source.symbol;
    made->artifact.log = translation.log;
    if (auto machine = disassembled(translation.object, source.symbol, source.lines))
        made->artifact.machine = std::move(*machine);
    else
        made->artifact.machineNote = toText(machine.error());
    return CompiledPtr(std::move(made));
}

} // namespace sw
