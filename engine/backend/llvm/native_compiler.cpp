#include "engine/backend/llvm/native_compiler.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

namespace sw {

namespace {
constexpr std::size_t kMostCached = 1024;
}

NativeCompiler::NativeCompiler(std::unique_ptr<CodeLoader> loader, Translator translate, std::string rangeSuffix,
                               std::shared_ptr<KernelTable> kernels, std::unique_ptr<ObjectStore> store)
    : m_loader(std::move(loader)),
      m_translate(std::move(translate)),
      m_rangeSuffix(std::move(rangeSuffix)),
      m_kernels(std::move(kernels)),
      m_store(std::move(store))
{
}

std::vector<Result<Artifact>> NativeCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<Work> works;
    for (const RenderedSource &source : sources)
        works.push_back(workOf(source));
    std::vector<Work *> missing;
    std::unordered_map<std::uint64_t, Work *> first; // only one of several equal texts is compiled
    for (Work &work : works)
        if (!work.made && first.try_emplace(work.key, &work).second)
            missing.push_back(&work);
    compileAll(missing, stop);
    for (const Work *work : missing)
        if (m_recorded)
            m_recorded->compiles.push_back({work->source->symbol, work->span});

    std::vector<Result<Artifact>> results;
    results.reserve(works.size());
    for (Work &work : works) {
        if (!work.made) // same key: equal text or (practically never) a hash collision
            work.made = first.at(work.key)->source->text == work.source->text ? first.at(work.key)->made
                                                                              : compiledAnew(*work.source, stop);
        if (!*work.made) {
            results.emplace_back(work.made->failure());
            continue;
        }
        const CompiledPtr &made = **work.made;
        keep(work.key, made);
        Artifact artifact = made->artifact;
        artifact.id = m_kernels->add({made->run, work.source->indexChecks, made->code, made->code->address(work.source->symbol)});
        artifact.compileTime = work.span.end - work.span.begin;
        m_given.emplace(artifact.id, Given{made, work.source->lines});
        results.emplace_back(std::move(artifact));
    }
    return results;
}

Result<MachineCode> NativeCompiler::machineCode(ArtifactId artifact)
{
    const auto found = m_given.find(artifact);
    if (found == m_given.end())
        return Diagnostic::error(Code::Compile, {}, "there is no compiled kernel {}", artifact.value);
    const Compiled &compiled = *found->second.compiled;
    return disassembled(compiled.object, compiled.artifact.symbol, found->second.lines);
}

void NativeCompiler::release(ArtifactId artifact)
{
    m_given.erase(artifact);
    m_kernels->remove(artifact);
}

NativeCompiler::Work NativeCompiler::workOf(const RenderedSource &source) const
{
    Work work{.source = &source, .key = Hasher().add(source.symbol).add(source.text).value()};
    if (const auto cached = m_cache.find(work.key); cached != m_cache.end() && cached->second->text == source.text)
        work.made = cached->second;
    return work;
}

// Uses as many threads as there are processors; each takes the next source that nobody has begun. Long texts take long, so they
// come first: a thread that began one last would be waited for.
void NativeCompiler::compileAll(std::span<Work *const> works, const std::stop_token &stop) const
{
    std::vector<Work *> missing(works.begin(), works.end());
    std::ranges::stable_sort(missing, std::ranges::greater(), [](const Work *work) { return work->source->text.size(); });
    std::atomic<std::size_t> next{0};
    const auto work = [&](std::uint32_t thread) {
        for (std::size_t i = next++; i < missing.size(); i = next++) {
            missing[i]->span = {thread, steadyNow(), {}};
            missing[i]->made = compiledAnew(*missing[i]->source, stop);
            missing[i]->span.end = steadyNow();
        }
    };
    const std::size_t count = std::min<std::size_t>(missing.size(), std::max(std::thread::hardware_concurrency(), 1U));
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < count; ++i)
        others.emplace_back([&work, i] { work(i); });
    work(0);
}

Result<Done> NativeCompiler::startRecording(WithCounters)
{
    m_recorded.emplace();
    return Done{};
}

Result<RecordedWork> NativeCompiler::takeRecorded()
{
    RecordedWork taken = std::move(m_recorded).value_or(RecordedWork());
    m_recorded.reset();
    return taken;
}

void NativeCompiler::keep(std::uint64_t key, const CompiledPtr &made)
{
    if (m_cache.emplace(key, made).second)
        m_oldest.push_back(key);
    if (m_oldest.size() > kMostCached) {
        m_cache.erase(m_oldest.front());
        m_oldest.pop_front();
    }
}

Result<NativeCompiler::CompiledPtr> NativeCompiler::compiledAnew(const RenderedSource &source, const std::stop_token &stop) const
{
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "compiling was stopped");
    if (m_store != nullptr)
        if (std::optional<Translation> found = m_store->find(source))
            if (auto made = loaded(source, std::move(*found)))
                return made;
    SW_TRY(Translation translation, m_translate(source, stop));
    SW_TRY(CompiledPtr made, loaded(source, std::move(translation)));
    if (m_store != nullptr)
        m_store->keep(source, made->object, made->artifact.log);
    return made;
}

Result<NativeCompiler::CompiledPtr> NativeCompiler::loaded(const RenderedSource &source, Translation translation) const
{
    auto made = std::make_shared<Compiled>();
    made->text = source.text;
    const std::array<std::string, 1> entry = {source.symbol + m_rangeSuffix};
    SW_TRY(made->code, m_loader->load(translation.object, entry));
    made->run = reinterpret_cast<RangeFunction>(made->code->address(entry[0]));
    made->artifact.symbol = source.symbol;
    made->artifact.log = std::move(translation.log);
    made->object = std::move(translation.object);
    return CompiledPtr(std::move(made));
}

} // namespace sw
