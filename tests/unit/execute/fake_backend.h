#pragma once
// A backend for tests of what stands above backends: it "compiles" any text but those that contain the word error, and counts.

#include "engine/backend/backend.h"

#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace sw {

struct FakeCounts {
    std::size_t compiled = 0;
    std::size_t released = 0;
    std::size_t liveBuffers = 0;
    std::int64_t allocatedBytes = 0;
    bool hasFaults = true; // every launch reports one index out of range: of its instruction 0
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
    void release(ArtifactId) override { ++m_counts.released; }

private:
    FakeCounts &m_counts;
};

class FakeRuntime : public Runtime {
public:
    explicit FakeRuntime(FakeCounts &counts) : m_counts(counts) {}

    Result<DeviceBufferId> allocate(std::int64_t bytes) override
    {
        ++m_counts.liveBuffers;
        m_counts.allocatedBytes += bytes;
        m_memory.emplace_back(static_cast<std::size_t>(bytes));
        return DeviceBufferId(m_memory.size() - 1);
    }
    Result<DeviceBufferId> view(DeviceBufferId, std::int64_t, std::int64_t) override
    {
        return Diagnostic::error(Code::Run, {}, "the fake device has no views");
    }
    void free(DeviceBufferId) override { --m_counts.liveBuffers; }
    Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override
    {
        if (!bytes.empty())
            std::memcpy(m_memory.at(buffer.value).data() + offset, bytes.data(), bytes.size());
        return Done{};
    }
    Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override
    {
        if (!bytes.empty())
            std::memcpy(bytes.data(), m_memory.at(buffer.value).data() + offset, bytes.size());
        return Done{};
    }
    Result<Done> copy(DeviceBufferId from, DeviceBufferId to, std::int64_t bytes) override
    {
        std::memcpy(m_memory.at(to.value).data(), m_memory.at(from.value).data(), static_cast<std::size_t>(bytes));
        return Done{};
    }
    Result<Done> synchronize() override { return Done{}; }
    // Computes nothing.
    Result<LaunchResult> launch(const LaunchRequest &, std::stop_token) override
    {
        LaunchResult result;
        result.time = std::chrono::nanoseconds(100);
        if (m_counts.hasFaults)
            result.faults.push_back({InstructionId(0U), 12, 3});
        return result;
    }

private:
    FakeCounts &m_counts;
    std::vector<std::vector<std::byte>> m_memory;
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
