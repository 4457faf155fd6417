#pragma once
// OpenCL's objects with an owner, and its error codes as text. Only the .cpp files of this folder include this header.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "engine/base/result.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace sw {

template <auto Release>
struct ClRelease {
    template <class T>
    void operator()(T *object) const
    {
        Release(object); // nothing here can use the return value
    }
};

using ClContext = std::unique_ptr<std::remove_pointer_t<cl_context>, ClRelease<clReleaseContext>>;
using ClQueue = std::unique_ptr<std::remove_pointer_t<cl_command_queue>, ClRelease<clReleaseCommandQueue>>;
using ClProgram = std::unique_ptr<std::remove_pointer_t<cl_program>, ClRelease<clReleaseProgram>>;
using ClKernel = std::unique_ptr<std::remove_pointer_t<cl_kernel>, ClRelease<clReleaseKernel>>;
using ClMemory = std::unique_ptr<std::remove_pointer_t<cl_mem>, ClRelease<clReleaseMemObject>>;
using ClEvent = std::unique_ptr<std::remove_pointer_t<cl_event>, ClRelease<clReleaseEvent>>;

[[nodiscard]] std::string clErrorName(cl_int error);

[[nodiscard]] inline Diagnostic clFailure(std::string_view call, cl_int error)
{
    return Diagnostic::error(Code::Run, {}, "{} failed: {}", call, clErrorName(error));
}

// A device of a platform, as the ICD loader lists it.
struct ClDeviceHandle {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
};

template <class T>
[[nodiscard]] T clDeviceFact(cl_device_id device, cl_device_info fact)
{
    T value{};
    clGetDeviceInfo(device, fact, sizeof value, &value, nullptr); // stays zero when the device does not know the fact
    return value;
}
[[nodiscard]] std::string clDeviceText(cl_device_id device, cl_device_info fact);
[[nodiscard]] std::string clPlatformName(cl_platform_id platform);

// Every device of every platform, in the loader's order. First sets up PoCL's cache folder.
[[nodiscard]] Result<std::vector<ClDeviceHandle>> clDevices();

} // namespace sw
