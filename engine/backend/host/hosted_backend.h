#pragma once
// A backend whose compiler and runtime live in a process of their own: what crashes or hangs there takes nothing else along.
// Sources are rendered here, because renderers are pure text.
//
// When the host has died, the call that found it out says so. The next one starts it anew: the device is opened again, kernels
// are compiled again from their text when they are launched; what was in buffers is lost, and using one of those is an error.

#include "engine/backend/backend.h"
#include "engine/backend/host/host_process.h"

#include <filesystem>

namespace sw {

// program: the path of stepwell-host. The host is started by the first call that needs it.
[[nodiscard]] std::unique_ptr<Backend> makeHostedBackend(std::string id, std::unique_ptr<Renderer> renderer,
                                                         std::filesystem::path program, HostPatience patience = {});

// The backends of native_backends.h, all but the interpreter in hosts.
void addHostedBackends(BackendRegistry &registry, const std::filesystem::path &program);

} // namespace sw
