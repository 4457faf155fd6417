#include "engine/execute/opened_device.h"

#include "engine/base/call_notes.h"
#include "engine/base/hash.h"
#include "engine/base/parallel.h"
#include "engine/base/work_progress.h"
#include "engine/execute/compile_errors.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sw {

namespace {

// Enough for the kernels of a large model in a few versions each.
constexpr std::size_t kMaxCachedArtifacts = 2048;

// Kernels that are compiled together: enough to keep every processor busy.
constexpr std::size_t kLeastPart = 8;
constexpr std::chrono::milliseconds kPartTime{250};

std::uint64_t keyOf(const RenderedSource &source)
{
    // Of this process only, so it may be the library's, which is faster: a program has megabytes of text.
    const std::hash<std::string_view> hash;
    return Hasher().add(std::uint64_t{hash(source.symbol)}).add(std::uint64_t{hash(source.text)}).value();
}

// An error that hits all kernels at once, like a host that died, is reported once.
void appendNew(Diagnostics &errors, const Diagnostics &more)
{
    for (const Diagnostic &one : more)
        if (std::ranges::none_of(errors, [&](const Diagnostic &known) { return toText(known) == toText(one); }))
            errors.push_back(one);
}

// Reports the error at the kernel: in a body that several kernels share, origins mean nothing by themselves.
Diagnostic toldAtKernel(const LoweredProgram &program, KernelId kernel, const Diagnostic &error)
{
    return toldAt(program.schedule->graph->sources(), program.kernels.at(kernel.value).origin, error);
}

} // namespace

OpenedDevice::OpenedDevice(DeviceInfo info, const DeviceOptions &options, const Renderer &renderer, Backend::Opened opened)
    : m_info(std::move(info)),
      m_options(options),
      m_renderer(renderer),
      m_compiler(std::move(opened.compiler)),
      m_runtime(std::move(opened.runtime))
{
}

Result<std::unique_ptr<OpenedDevice>> OpenedDevice::open(const BackendRegistry &registry, std::string_view deviceId,
                                                         const DeviceOptions &options)
{
    SW_TRY(const auto found, registry.device(deviceId));
    SW_TRY(auto opened, found.backend->open(found.device, options));
    return std::unique_ptr<OpenedDevice>(
        new OpenedDevice(withOptions(found.device, options), options, found.backend->renderer(), std::move(opened)));
}

OpenedDevice::CacheEntry *OpenedDevice::find(std::uint64_t key, const RenderedSource &source)
{
    const auto found = m_cache.find(key);
    if (found == m_cache.end() || found->second.text != source.text || found->second.symbol != source.symbol)
        return nullptr;
    return &found->second;
}

// In parts, so that there is something to tell: a compiler says nothing before all of what it was given is done. Each part is as
// large as makes it take about a quarter of a second, so that waiting for its last kernel is a small part of that.
Diagnostics OpenedDevice::compileMissing(std::span<const RenderedSource> missing, const std::stop_token &stop,
                                         WorkProgress *progress)
{
    if (progress == nullptr)
        return compileTogether(missing, stop);
    progress->expect(missing.size(), "kernels");
    Diagnostics errors;
    const std::size_t least = std::max<std::size_t>(kLeastPart, 2 * std::thread::hardware_concurrency());
    std::size_t size = least;
    while (!missing.empty()) {
        const std::span<const RenderedSource> part = missing.first(std::min(size, missing.size()));
        const auto begin = std::chrono::steady_clock::now();
        appendNew(errors, compileTogether(part, stop));
        if (stop.stop_requested()) {
            appendNew(errors, {Diagnostic::error(Code::Cancelled, {}, "compiling was cancelled")});
            return errors;
        }
        const auto time = std::chrono::steady_clock::now() - begin;
        size = time < kPartTime / 2 ? size * 2 : time > kPartTime * 2 ? std::max(size / 2, least) : size;
        missing = missing.subspan(part.size());
        progress->advance(part.size());
    }
    return errors;
}

Diagnostics OpenedDevice::compileTogether(std::span<const RenderedSource> missing, const std::stop_token &stop)
{
    Diagnostics errors;
    auto results = m_compiler->compile(missing, stop);
    SW_ASSERT(results.size() == missing.size(), "one result per source");
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!results[i]) {
            appendNew(errors, results[i].error());
            continue;
        }
        ++m_compiledCount;
        const auto release = [compiler = m_compiler](const Artifact *artifact) {
            compiler->release(artifact->id);
            delete artifact;
        };
        ArtifactPtr artifact(new Artifact(std::move(*results[i])), release);
        m_cache[keyOf(missing[i])] = {missing[i].text, missing[i].symbol, std::move(artifact), m_generation};
    }
    return errors;
}

Result<std::vector<ArtifactPtr>> OpenedDevice::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<const RenderedSource *> each;
    each.reserve(sources.size());
    for (const RenderedSource &source : sources)
        each.push_back(&source);
    return compile(each, std::move(stop));
}

Result<std::vector<ArtifactPtr>> OpenedDevice::compile(std::span<const RenderedSource *const> sources, std::stop_token stop,
                                                       WorkProgress *progress)
{
    ++m_generation;
    std::vector<std::uint64_t> keys; // by source: a large program has megabytes of text
    keys.reserve(sources.size());
    std::vector<RenderedSource> missing;
    std::unordered_set<std::uint64_t> listed;
    for (const RenderedSource *source : sources) {
        keys.push_back(keyOf(*source));
        if (find(keys.back(), *source) == nullptr && listed.insert(keys.back()).second)
            missing.push_back(*source);
    }
    if (!missing.empty())
        if (Diagnostics errors = compileMissing(missing, stop, progress); !errors.empty())
            return Failure(std::move(errors));

    std::vector<ArtifactPtr> artifacts;
    artifacts.reserve(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        CacheEntry *entry = find(keys[i], *sources[i]);
        SW_ASSERT(entry != nullptr, "a kernel that was compiled above");
        entry->lastUse = m_generation;
        artifacts.push_back(entry->artifact);
    }
    dropOldest();
    return artifacts;
}

void OpenedDevice::dropOldest()
{
    if (m_cache.size() <= kMaxCachedArtifacts)
        return;
    std::vector<std::uint64_t> uses;
    uses.reserve(m_cache.size());
    for (const auto &[key, entry] : m_cache)
        uses.push_back(entry.lastUse);
    const auto cut = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
    std::nth_element(uses.begin(), cut, uses.end());
    // Drops the older half, but nothing from the current compilation.
    const std::uint64_t oldest = std::min(*cut, m_generation - 1);
    std::erase_if(m_cache, [&](const auto &item) { return item.second.lastUse <= oldest; });
}

Result<std::vector<RenderedSource>> renderProgram(const LoweredProgram &program, const Renderer &renderer,
                                                  const DeviceInfo &device)
{
    const RenderTarget target{&renderer, &device};
    return renderProgram(program, std::span(&target, 1));
}

Result<std::vector<RenderedSource>> renderProgram(const LoweredProgram &program, std::span<const RenderTarget> targets)
{
    const std::span<const KernelList::Body> bodies = program.kernels.bodies();
    std::vector<std::optional<Result<RenderedSource>>> rendered(bodies.size());
    inParallel(bodies.size(), [&](std::size_t i) {
        const RenderTarget &target = targets[bodies[i]->device.value];
        rendered[i] = target.renderer->render(*bodies[i], *target.device);
    });
    std::vector<RenderedSource> texts; // by body
    Diagnostics errors;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const KernelList::Body &body = bodies[i];
        Result<RenderedSource> &text = *rendered[i];
        if (text)
            texts.push_back(std::move(*text));
        else
            for (const Diagnostic &error : text.error())
                errors.push_back(error.where.isKnown() ? error : toldAtKernel(program, body->kernel, error));
    }
    if (!errors.empty())
        return Failure(std::move(errors));
    std::vector<RenderedSource> sources;
    sources.reserve(program.kernels.size());
    for (std::size_t kernel = 0; kernel < program.kernels.size(); ++kernel) {
        sources.push_back(texts[program.kernels.bodyNumberOf(kernel)]);
        sources.back().kernel = KernelId(kernel);
    }
    return sources;
}

Result<std::vector<ArtifactPtr>> compileProgram(const LoweredProgram &program, std::span<const RenderedSource> sources,
                                                std::span<OpenedDevice *const> devices, std::stop_token stop,
                                                WorkProgress *progress)
{
    std::vector<ArtifactPtr> artifacts(sources.size());
    Diagnostics errors;
    for (std::size_t slot = 0; slot < devices.size(); ++slot) {
        std::vector<const RenderedSource *> own;
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (program.kernels.bodyOf(i).device == DeviceSlot(slot))
                own.push_back(&sources[i]);
        if (own.empty())
            continue;
        const Result<std::vector<ArtifactPtr>> made = devices[slot]->compile(own, stop, progress);
        if (!made) {
            appendNew(errors, made.error());
            continue;
        }
        for (std::size_t i = 0, next = 0; i < sources.size(); ++i)
            if (program.kernels.bodyOf(i).device == DeviceSlot(slot))
                artifacts[i] = (*made)[next++];
    }
    if (!errors.empty())
        return Failure(placedInProgram(errors, program, sources));
    return artifacts;
}

} // namespace sw
