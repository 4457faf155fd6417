#pragma once
// A backend whose compiler and runtime live in their own process, so that a crash or hang there affects nothing else.
// Sources are rendered in this process, because renderers only make text.
//
// When the host has died, the call that notices reports it. The next call restarts it: the device is opened again, and kernels
// are recompiled from their text when they are launched. The contents of buffers are lost; using a lost buffer is an error.

#include "engine/backend/backend.h"
#include "engine/backend/host/host_process.h"

#include <filesystem>

namespace sw {

// program: the path of stepwell-host. The host is started by the first call that needs it.
[[nodiscard]] std::unique_ptr<Backend> makeHostedBackend(std::string id, std::unique_ptr<Renderer> renderer,
                                                         std::filesystem::path program, HostPatience patience = {});

// Adds the backends of native_backends.h, all except the interpreter in hosts.
void addHostedBackends(BackendRegistry &registry, const std::filesystem::path &program);

} // namespace sw
