#pragma once
// A backend for tests of what stands above backends: it "compiles" any text but those that contain the word error, and counts.

#include "engine/backend/backend.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sw {

struct FakeCounts {
    std::size_t compiled = 0;
    std::size_t released = 0;
    std::size_t liveBuffers = 0;
    std::int64_t allocatedBytes = 0;
    bool hasFaults = true; // every launch reports one index out of range: of its instruction 0
    // What was asked for, in order: "upload 64", "launch 1", "copy 8", "synchronize", "download 4".
    std::vector<std::string> calls = {};
    std::optional<std::size_t> failingCall = {}; // the number of the call that fails
    bool hasMemory = true;
    bool hasViews = true;
    DeviceKind kind = DeviceKind::Cpu;
    // Launches are queued ("submit 1") until they are collected ("collect 2": how many, "collect 2 of 3"); each takes 100 ns
    // more than the one before.
    bool hasQueue = false;
    // So are transfers ("queue upload 64"); each takes 7 ns, and bytes move when that is collected or others have to see it.
    bool queuesTransfers = false;
    std::size_t queued = 0;
    std::optional<std::size_t> failingPlace = {};       // of those that are collected next: it fails
    std::vector<std::weak_ptr<const void>> owners = {}; // of the bytes of queued transfers
};

class FakeCompiler : public Compiler {
public:
    explicit FakeCompiler(FakeCounts &counts) : m_counts(counts) {}

    std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token) override
    {
        std::vector<Result<Artifact>> results;
        for (const RenderedSource &source : sources) {
            if (source.text.find("error") != std::string::npos) {
                results.emplace_back(Diagnostic::error(Code::Compile, {}, "{} does not compile", source.symbol));
                continue;
            }
            Artifact artifact;
            artifact.id = ArtifactId(m_counts.compiled++);
            artifact.symbol = source.symbol;
            results.emplace_back(std::move(artifact));
        }
        return results;
    }
    Result<MachineCode> machineCode(ArtifactId artifact) override
    {
        MachineInstruction only;
        only.text = format("fake {}", artifact.value);
        return MachineCode{.instructions = {only}};
    }
    void release(ArtifactId) override { ++m_counts.released; }

private:
    FakeCounts &m_counts;
};

class FakeRuntime : public Runtime {
public:
    explicit FakeRuntime(FakeCounts &counts) : m_counts(counts) {}

    Result<DeviceBufferId> allocate(std::int64_t bytes) override
    {
        if (!m_counts.hasMemory)
            return Diagnostic::error(Code::Limit, {}, "the fake device has no memory");
        ++m_counts.liveBuffers;
        m_counts.allocatedBytes += bytes;
        m_memory.emplace_back(static_cast<std::size_t>(bytes));
        m_buffers.push_back(m_memory.back());
        return DeviceBufferId(m_buffers.size() - 1);
    }
    Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override
    {
        if (!m_counts.hasViews)
            return Diagnostic::error(Code::Run, {}, "the fake device has no views");
        ++m_counts.liveBuffers;
        const std::span<std::byte> whole = m_buffers.at(buffer.value);
        SW_ASSERT(offset + bytes <= static_cast<std::int64_t>(whole.size()), "views inside of their buffer");
        m_buffers.push_back(whole.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
        return DeviceBufferId(m_buffers.size() - 1);
    }
    void free(DeviceBufferId) override { --m_counts.liveBuffers; }
    Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override
    {
        SW_CHECK(record(format("upload {}", bytes.size())));
        catchUp();
        if (!bytes.empty())
            std::memcpy(at(buffer, offset, bytes.size()), bytes.data(), bytes.size());
        return Done{};
    }
    Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override
    {
        SW_CHECK(record(format("download {}", bytes.size())));
        catchUp();
        if (!bytes.empty())
            std::memcpy(bytes.data(), at(buffer, offset, bytes.size()), bytes.size());
        return Done{};
    }
    Result<Done> copy(const BufferCopy &copy) override
    {
        SW_CHECK(record(format("copy {}", copy.bytes)));
        catchUp();
        const auto count = static_cast<std::size_t>(copy.bytes);
        std::memcpy(at(copy.to, copy.toOffset, count), at(copy.from, copy.fromOffset, count), count);
        return Done{};
    }
    Result<Done> synchronize() override { return record("synchronize"); }
    // Computes nothing.
    Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token) override
    {
        SW_CHECK(record(format("launch {}", request.artifact.value)));
        LaunchResult result;
        result.time = std::chrono::nanoseconds(100);
        if (m_counts.hasFaults)
            result.faults.push_back({InstructionId(0U), 12, 3});
        return result;
    }

    Result<std::optional<LaunchResult>> submit(const LaunchRequest &request, std::stop_token stop) override
    {
        if (!m_counts.hasQueue)
            return Runtime::submit(request, std::move(stop));
        SW_CHECK(record(format("submit {}", request.artifact.value)));
        queue({});
        return std::optional<LaunchResult>();
    }
    bool queuesUploads() const override { return m_counts.queuesTransfers; }
    bool queuesDownloads() const override { return m_counts.queuesTransfers; }
    Result<Done> queueUpload(const QueuedUpload &upload, std::stop_token) override
    {
        SW_CHECK(record(format("queue upload {}", upload.bytes.size())));
        std::byte *const to = at(upload.buffer, upload.offset, upload.bytes.size());
        m_counts.owners.emplace_back(upload.owner);
        queue({.isTransfer = true, .move = [=, from = upload.bytes] { std::ranges::copy(from, to); }, .owner = upload.owner});
        return Done{};
    }
    Result<Done> queueDownload(const QueuedDownload &download, std::stop_token) override
    {
        SW_CHECK(record(format("queue download {}", download.bytes.size())));
        const std::byte *const from = at(download.buffer, download.offset, download.bytes.size());
        m_counts.owners.emplace_back(download.owner);
        queue({.isTransfer = true,
               .move = [=, to = download.bytes] { std::copy_n(from, to.size(), to.data()); },
               .owner = download.owner});
        return Done{};
    }
    Result<Collected> collect(std::size_t count, std::stop_token) override
    {
        Collected collected;
        const std::size_t queued = m_counts.queued;
        const std::size_t wanted = std::min(count, queued);
        const auto told = record(wanted == queued ? format("collect {}", queued) : format("collect {} of {}", wanted, queued));
        if (!told) {
            forget(queued);
            return told.failure();
        }
        for (std::size_t i = 0; i < wanted; ++i) {
            if (m_counts.failingPlace == i) {
                collected.errors.push_back(Diagnostic::error(Code::Run, {}, "the fake device fails"));
                forget(m_counts.queued);
                return collected;
            }
            collected.results.push_back(resultOf(m_queue.front(), i));
            forget(1);
        }
        return collected;
    }

private:
    struct Queued {
        bool isTransfer = false;
        std::function<void()> move = {}; // empty: it is done
        std::shared_ptr<const void> owner = {};
    };

    void queue(Queued one)
    {
        m_queue.push_back(std::move(one));
        m_counts.queued = m_queue.size();
    }
    void forget(std::size_t oldest)
    {
        m_queue.erase(m_queue.begin(), m_queue.begin() + static_cast<std::ptrdiff_t>(oldest));
        m_counts.queued = m_queue.size();
    }
    void catchUp()
    {
        for (Queued &one : m_queue)
            if (const auto move = std::exchange(one.move, {}))
                move();
    }
    LaunchResult resultOf(Queued &one, std::size_t place) const
    {
        if (const auto move = std::exchange(one.move, {}))
            move();
        LaunchResult result;
        result.time = std::chrono::nanoseconds(one.isTransfer ? 7 : 100 * (place + 1));
        if (m_counts.hasFaults && !one.isTransfer)
            result.faults.push_back({InstructionId(0U), static_cast<std::int64_t>(12 + place), 3});
        return result;
    }
    Result<Done> record(std::string call)
    {
        m_counts.calls.push_back(std::move(call));
        if (m_counts.failingCall && m_counts.calls.size() == *m_counts.failingCall + 1)
            return Diagnostic::error(Code::Run, {}, "the fake device fails");
        return Done{};
    }
    std::byte *at(DeviceBufferId buffer, std::int64_t offset, std::size_t count)
    {
        return m_buffers.at(buffer.value).subspan(static_cast<std::size_t>(offset), count).data();
    }

    FakeCounts &m_counts;
    std::vector<std::vector<std::byte>> m_memory; // what was allocated
    std::vector<std::span<std::byte>> m_buffers;  // by id, views among them
    std::deque<Queued> m_queue;
};

class FakeRenderer : public Renderer {
public:
    TargetLanguage language() const override { return TargetLanguage::C; }
    Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &) const override
    {
        return RenderedSource{kernel.kernel, kernel.symbol, TargetLanguage::C, "text of " + kernel.symbol, {}};
    }
};

class FakeBackend : public Backend {
public:
    explicit FakeBackend(FakeCounts &counts) : m_counts(counts) {}

    std::string_view id() const override { return "fake"; }
    Result<std::vector<DeviceInfo>> probe() override
    {
        DeviceInfo device;
        device.id = "fake";
        device.backend = "fake";
        device.kind = m_counts.kind;
        return std::vector<DeviceInfo>{device};
    }
    const Renderer &renderer() const override { return m_renderer; }
    Result<Opened> open(const DeviceInfo &, const DeviceOptions &) override
    {
        return Opened{std::make_unique<FakeCompiler>(m_counts), std::make_unique<FakeRuntime>(m_counts)};
    }

private:
    FakeCounts &m_counts;
    FakeRenderer m_renderer;
};

} // namespace sw
