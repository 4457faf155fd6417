#pragma once
// One opened OpenCL device with the kernels built for it. Its compiler and its runtime share it.

#include "engine/backend/opencl/cl_translator.h"

#include "engine/backend/backend.h"

#include <map>

namespace sw {

struct ClBuilt {
    std::shared_ptr<std::remove_pointer_t<cl_program>> program; // kernels may share one
    ClKernel kernel;
    cl_uint arguments = 0; // including the fault records
    std::vector<InstructionId> indexChecks;
    std::vector<SourceLine> lines; // of the rendered text
    std::shared_ptr<ClTranslation> translation;
    std::optional<std::string> folder; // the program's folder in PoCL's cache
};

struct ClOpened {
    std::string id; // of the device
    ClDeviceHandle handle;
    ClContext context;
    ClQueue queue;
    bool isPocl = false;
    std::string buildOptions;
    std::map<ArtifactId, ClBuilt> kernels;
    std::uint32_t nextArtifact = 0;
    AssistantOptions assistance;
    std::unique_ptr<ClTranslator> translator; // ends first
};

// The id of the device at that place in clDevices().
[[nodiscard]] std::string clDeviceId(std::size_t place);
[[nodiscard]] Result<std::shared_ptr<ClOpened>> openClDevice(const ClDeviceHandle &handle);
[[nodiscard]] DeviceInfo describeClDevice(const ClDeviceHandle &handle, std::string id);

} // namespace sw
