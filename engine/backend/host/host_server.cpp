#include "engine/backend/host/host_server.h"

#include <exception>
#include <utility>

namespace sw {

namespace {

Diagnostic malformed()
{
    return Diagnostic::error(Code::Run, {}, "the host was sent a call that it cannot read");
}

} // namespace

HostServer::HostServer(Backend &backend, Descriptor socket, StagingMemory staging)
    : m_backend(backend), m_socket(std::move(socket)), m_staging(std::move(staging))
{
}

Result<Done> HostServer::serve(const std::function<void(const Result<Done> &)> &onEnd)
{
    Result<Done> reading = Done{};
    std::jthread reader([&] {
        reading = readRequests();
        onEnd(reading);
        const std::scoped_lock lock(m_mutex);
        m_isEnded = true;
        m_changed.notify_one();
    });
    while (std::optional<Request> request = next()) {
        HostMessage reply{.number = request->message.number, .body = answer(request->message, request->stop.get_token())};
        {
            const std::scoped_lock lock(m_mutex);
            m_unanswered.erase(reply.number);
        }
        if (!m_socket.send(reply))
            break;
    }
    reader.join();
    return reading;
}

Result<Done> HostServer::readRequests()
{
    while (true) {
        SW_TRY(std::optional<HostMessage> message, m_socket.receive());
        if (!message)
            return Done{};
        const std::scoped_lock lock(m_mutex);
        if (message->call == HostCall::Cancel) {
            if (const auto found = m_unanswered.find(message->number); found != m_unanswered.end())
                found->second.request_stop();
            continue;
        }
        Request request{.message = std::move(*message), .stop = {}};
        m_unanswered.emplace(request.message.number, request.stop);
        m_waiting.push_back(std::move(request));
        m_changed.notify_one();
    }
}

std::optional<HostServer::Request> HostServer::next()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_isEnded || !m_waiting.empty(); });
    if (m_waiting.empty())
        return std::nullopt;
    Request request = std::move(m_waiting.front());
    m_waiting.pop_front();
    return request;
}

std::string HostServer::answer(const HostMessage &message, const std::stop_token &stop)
{
    const auto made = [&]() -> Result<std::string> {
        try {
            return called(message, stop);
        } catch (const std::exception &exception) {
            return Diagnostic::error(Code::Internal, {}, "{}", exception.what());
        }
    }();
    return made ? packed(Diagnostics()) + *made : packed(made.error());
}

Result<std::string> HostServer::called(const HostMessage &message, const std::stop_token &stop)
{
    const std::string &body = message.body;
    HostSession session = 0;
    DeviceBufferId buffer;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    ArtifactId artifact;
    switch (message.call) {
    case HostCall::Probe: {
        SW_TRY(const auto devices, m_backend.probe());
        return packed(devices);
    }
    case HostCall::Open:
        return open(body);
    case HostCall::Close: {
        if (!unpack(body, session))
            return malformed();
        SW_CHECK(opened(session));
        m_opened.erase(session);
        return std::string();
    }
    case HostCall::Compile:
        return compile(body, stop);
    case HostCall::MachineCode: {
        if (!unpack(body, session, artifact))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const MachineCode code, device->compiler->machineCode(artifact));
        return packed(code);
    }
    case HostCall::CrossCode: {
        RenderedSource source;
        std::string target;
        if (!unpack(body, session, source, target))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const MachineCode code, device->compiler->crossCode(source, target));
        return packed(code);
    }
    case HostCall::Passes: {
        RenderedSource source;
        if (!unpack(body, session, source))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const std::vector<CompilerPass> passes, device->compiler->passes(source));
        return packed(passes);
    }
    case HostCall::Finish: {
        if (!unpack(body, session))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_CHECK(device->compiler->finish(stop));
        return std::string();
    }
    case HostCall::Release: {
        if (!unpack(body, session, artifact))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        device->compiler->release(artifact);
        return std::string();
    }
    case HostCall::Allocate: {
        if (!unpack(body, session, bytes))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const DeviceBufferId made, device->runtime->allocate(bytes));
        return packed(made);
    }
    case HostCall::View: {
        if (!unpack(body, session, buffer, offset, bytes))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const DeviceBufferId made, device->runtime->view(buffer, offset, bytes));
        return packed(made);
    }
    case HostCall::Free: {
        if (!unpack(body, session, buffer))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        device->runtime->free(buffer);
        return std::string();
    }
    case HostCall::Upload:
        return transfer(body, true);
    case HostCall::Download:
        return transfer(body, false);
    case HostCall::Copy: {
        BufferCopy copy;
        if (!unpack(body, session, copy))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_CHECK(device->runtime->copy(copy));
        return std::string();
    }
    case HostCall::Synchronize: {
        if (!unpack(body, session))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_CHECK(device->runtime->synchronize());
        return std::string();
    }
    case HostCall::Launch:
        return launch(body, stop);
    case HostCall::Submit:
        return submit(body, stop);
    case HostCall::QueueUpload:
        return queueUpload(body, stop);
    case HostCall::Collect: {
        std::uint64_t count = 0;
        if (!unpack(body, session, count))
            return malformed();
        SW_TRY(Backend::Opened *const device, opened(session));
        SW_TRY(const Collected collected, device->runtime->collect(count, stop));
        return packed(collected);
    }
    case HostCall::Record: {
        WithCounters counters = WithCounters::No;
        SW_TRY(WorkRecorder *const recorder, recorderIn(body, &counters));
        if (recorder != nullptr)
            SW_CHECK(recorder->startRecording(counters));
        return std::string();
    }
    case HostCall::Recorded: {
        SW_TRY(WorkRecorder *const recorder, recorderIn(body, nullptr));
        RecordedWork work;
        if (recorder != nullptr) {
            SW_TRY(work, recorder->takeRecorded());
        }
        return packed(work);
    }
    case HostCall::Cancel:
    case HostCall::Assist:
    case HostCall::Progress:
    case HostCall::Reply:
        return malformed();
    }
    SW_UNREACHABLE();
}

Result<std::string> HostServer::open(const std::string &body)
{
    DeviceInfo device;
    DeviceOptions options;
    if (!unpack(body, device, options))
        return malformed();
    SW_TRY(Backend::Opened made, m_backend.open(device, options));
    const HostSession session = m_nextSession++;
    const bool queuesUploads = made.runtime->queuesUploads();
    m_opened.emplace(session, std::move(made));
    return packed(session, queuesUploads);
}

Result<std::string> HostServer::compile(const std::string &body, const std::stop_token &stop)
{
    HostSession session = 0;
    std::vector<RenderedSource> sources;
    if (!unpack(body, session, sources))
        return malformed();
    SW_TRY(Backend::Opened *const device, opened(session));
    std::vector<CompileOutcome> outcomes;
    for (auto &result : device->compiler->compile(sources, stop)) {
        if (result)
            outcomes.push_back({{}, std::move(*result)});
        else
            outcomes.push_back({result.error(), {}});
    }
    return packed(outcomes);
}

Result<std::string> HostServer::launch(const std::string &body, const std::stop_token &stop)
{
    HostSession session = 0;
    HostLaunch request;
    if (!unpack(body, session, request))
        return malformed();
    SW_TRY(Backend::Opened *const device, opened(session));
    SW_TRY(const LaunchResult result,
           device->runtime->launch({request.artifact, request.buffers, request.globalSize, request.localSize}, stop));
    return packed(result);
}

Result<std::string> HostServer::submit(const std::string &body, const std::stop_token &stop)
{
    HostSession session = 0;
    HostLaunch request;
    if (!unpack(body, session, request))
        return malformed();
    SW_TRY(Backend::Opened *const device, opened(session));
    SW_TRY(const std::optional<LaunchResult> result,
           device->runtime->submit({request.artifact, request.buffers, request.globalSize, request.localSize}, stop));
    return packed(result ? std::vector{*result} : std::vector<LaunchResult>());
}

Result<std::string> HostServer::transfer(const std::string &body, bool isUpload)
{
    HostSession session = 0;
    BufferPart part;
    if (!unpack(body, session, part) || part.bytes > m_staging.bytes().size())
        return malformed();
    SW_TRY(Backend::Opened *const device, opened(session));
    const std::span<std::byte> bytes = m_staging.bytes().first(part.bytes);
    SW_CHECK(isUpload ? device->runtime->upload(part.buffer, part.offset, bytes)
                      : device->runtime->download(part.buffer, part.offset, bytes));
    return std::string();
}

// The other side goes on: the shared memory is about to hold other bytes.
Result<std::string> HostServer::queueUpload(const std::string &body, const std::stop_token &stop)
{
    HostSession session = 0;
    BufferPart part;
    bool isLast = false;
    if (!unpack(body, session, part, isLast) || part.bytes > m_staging.bytes().size())
        return malformed();
    const std::span<const std::byte> bytes = m_staging.bytes().first(part.bytes);
    m_parts.insert(m_parts.end(), bytes.begin(), bytes.end());
    if (!isLast)
        return std::string();
    const auto all = std::make_shared<const std::vector<std::byte>>(std::exchange(m_parts, {}));
    SW_TRY(Backend::Opened *const device, opened(session));
    const std::int64_t offset = part.offset + static_cast<std::int64_t>(part.bytes) - static_cast<std::int64_t>(all->size());
    SW_CHECK(device->runtime->queueUpload({.buffer = part.buffer, .offset = offset, .bytes = *all, .owner = all}, stop));
    return std::string();
}

Result<WorkRecorder *> HostServer::recorderIn(const std::string &body, WithCounters *counters)
{
    HostSession session = 0;
    HostPart part = HostPart::Compiler;
    if (counters != nullptr ? !unpack(body, session, part, *counters) : !unpack(body, session, part))
        return malformed();
    SW_TRY(Backend::Opened *const device, opened(session));
    switch (part) {
    case HostPart::Compiler:
        return recorderOf(*device->compiler);
    case HostPart::Runtime:
        return recorderOf(*device->runtime);
    }
    return malformed();
}

Result<Backend::Opened *> HostServer::opened(HostSession session)
{
    const auto found = m_opened.find(session);
    if (found == m_opened.end())
        return Diagnostic::error(Code::Run, {}, "the host has no device {} open", session);
    return &found->second;
}

} // namespace sw
