#include "engine/backend/host/hosted_device.h"

#include "engine/base/line_alignment.h"

#include <algorithm>

namespace sw {

namespace {

Diagnostic misunderstood()
{
    return Diagnostic::error(Code::Run, {}, "the host's answer cannot be read");
}

} // namespace

Result<std::shared_ptr<HostedDevice>> HostedDevice::open(std::shared_ptr<HostProcess> process, DeviceInfo device,
                                                         const DeviceOptions &options)
{
    std::shared_ptr<HostedDevice> made(new HostedDevice(std::move(process), std::move(device), options));
    SW_CHECK(made->session());
    return made;
}

HostedDevice::~HostedDevice()
{
    if (hasHost())
        static_cast<void>(m_process->call(HostCall::Close, packed(m_session))); // a host that is gone has closed its session
}

Result<HostSession> HostedDevice::session()
{
    SW_TRY(const std::uint64_t generation, m_process->generation());
    if (generation == m_generation)
        return m_session;
    SW_TRY(const std::string reply, m_process->call(HostCall::Open, packed(m_device, m_options)));
    if (!unpack(reply, m_session, m_queuesUploads))
        return misunderstood();
    m_generation = generation;
    return m_session;
}

Result<std::vector<CompileOutcome>> HostedDevice::compileInHost(std::span<const RenderedSource> sources,
                                                                const std::stop_token &stop)
{
    SW_TRY(const HostSession open, session());
    const std::vector<RenderedSource> list(sources.begin(), sources.end());
    SW_TRY(const std::string reply, m_process->call(HostCall::Compile, packed(open, list), stop));
    std::vector<CompileOutcome> outcomes;
    if (!unpack(reply, outcomes) || outcomes.size() != sources.size())
        return misunderstood();
    return outcomes;
}

std::vector<Result<Artifact>> HostedDevice::compile(std::span<const RenderedSource> sources, const std::stop_token &stop)
{
    std::vector<Result<Artifact>> results;
    results.reserve(sources.size());
    Result<std::vector<CompileOutcome>> outcomes = compileInHost(sources, stop);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (!outcomes) {
            results.emplace_back(outcomes.failure());
        } else if (CompileOutcome &outcome = (*outcomes)[i]; !outcome.errors.empty()) {
            results.emplace_back(Failure(std::move(outcome.errors)));
        } else {
            const ArtifactId id(m_nextArtifact++);
            m_artifacts.emplace(id, KnownArtifact{sources[i], outcome.artifact.id, m_generation});
            outcome.artifact.id = id;
            results.emplace_back(std::move(outcome.artifact));
        }
    }
    return results;
}

Result<MachineCode> HostedDevice::machineCode(ArtifactId artifact)
{
    SW_TRY(const ArtifactId hosts, hostArtifact(artifact, {}));
    SW_TRY(const std::string reply, m_process->call(HostCall::MachineCode, packed(m_session, hosts)));
    MachineCode code;
    if (!unpack(reply, code))
        return misunderstood();
    return code;
}

Result<MachineCode> HostedDevice::crossCode(const RenderedSource &source, const std::string &target)
{
    SW_TRY(const HostSession open, session());
    SW_TRY(const std::string reply, m_process->call(HostCall::CrossCode, packed(open, source, target)));
    MachineCode code;
    if (!unpack(reply, code))
        return misunderstood();
    return code;
}

Result<std::vector<CompilerPass>> HostedDevice::passes(const RenderedSource &source)
{
    SW_TRY(const HostSession open, session());
    SW_TRY(const std::string reply, m_process->call(HostCall::Passes, packed(open, source)));
    std::vector<CompilerPass> passes;
    if (!unpack(reply, passes))
        return misunderstood();
    return passes;
}

std::string HostedDevice::lineOfCrash(ArtifactId artifact)
{
    const CrashNote crash = m_process->takeCrash();
    const auto known = m_artifacts.find(artifact);
    if (crash.hasCode == 0 || known == m_artifacts.end())
        return {};
    const auto instructions = machineCode(artifact); // by a new host, which makes the same code
    if (!instructions)
        return {};
    std::uint32_t line = 0;
    for (const MachineInstruction &instruction : *instructions)
        if (instruction.address <= crash.code)
            line = instruction.sourceLine;
    const std::vector<std::string_view> lines = linesOf(known->second.source.text);
    if (line == 0 || line > lines.size())
        return {};
    std::string_view text = lines[line - 1];
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return format("at line {} of its source: {}", line, text);
}

Result<Done> HostedDevice::finishCompiling(const std::stop_token &stop)
{
    SW_TRY(const HostSession open, session());
    SW_CHECK(m_process->call(HostCall::Finish, packed(open), stop));
    return Done{};
}

Result<Done> HostedDevice::startRecording(HostPart part, WithCounters counters)
{
    SW_TRY(const HostSession open, session());
    SW_CHECK(m_process->call(HostCall::Record, packed(open, part, counters)));
    return Done{};
}

Result<RecordedWork> HostedDevice::takeRecorded(HostPart part)
{
    SW_TRY(const HostSession open, session());
    SW_TRY(const std::string reply, m_process->call(HostCall::Recorded, packed(open, part)));
    RecordedWork work;
    if (!unpack(reply, work))
        return misunderstood();
    return work;
}

void HostedDevice::release(ArtifactId artifact)
{
    const auto found = m_artifacts.find(artifact);
    if (found == m_artifacts.end())
        return;
    if (found->second.generation == m_generation && m_process->isRunning(m_generation))
        static_cast<void>(m_process->call(HostCall::Release, packed(m_session, found->second.hosts)));
    m_artifacts.erase(found);
}

Result<ArtifactId> HostedDevice::hostArtifact(ArtifactId artifact, const std::stop_token &stop)
{
    const auto found = m_artifacts.find(artifact);
    if (found == m_artifacts.end())
        return Diagnostic::error(Code::Run, {}, "there is no kernel {} on {}", artifact.value, m_device.id);
    SW_CHECK(session());
    KnownArtifact &known = found->second;
    if (known.generation == m_generation)
        return known.hosts;
    SW_TRY(std::vector<CompileOutcome> outcomes, compileInHost({&known.source, 1}, stop));
    if (!outcomes.front().errors.empty())
        return Failure(std::move(outcomes.front().errors));
    known.hosts = outcomes.front().artifact.id;
    known.generation = m_generation;
    return known.hosts;
}

DeviceBufferId HostedDevice::keepBuffer(DeviceBufferId hosts)
{
    const DeviceBufferId id(m_nextBuffer++);
    m_buffers.emplace(id, KnownBuffer{hosts, m_generation});
    return id;
}

void HostedDevice::forgetBuffer(DeviceBufferId buffer)
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return;
    if (found->second.generation == m_generation && m_process->isRunning(m_generation))
        static_cast<void>(m_process->call(HostCall::Free, packed(m_session, found->second.hosts)));
    m_buffers.erase(found);
}

Result<DeviceBufferId> HostedDevice::hostBuffer(DeviceBufferId buffer)
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return Diagnostic::error(Code::Run, {}, "there is no buffer {} on {}", buffer.value, m_device.id);
    if (found->second.generation != m_generation || !m_process->isRunning(m_generation))
        return Diagnostic::error(Code::Run, {}, "the memory of {} was lost when the process that had it ended", m_device.id)
            .withHint("run the program again");
    return found->second.hosts;
}

} // namespace sw
