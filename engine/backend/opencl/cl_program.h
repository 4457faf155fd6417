#pragma once
// Building a program with the device's driver.

#include "engine/backend/opencl/cl_device.h"

#include <array>

namespace sw {

struct ClProgramBuild {
    std::shared_ptr<std::remove_pointer_t<cl_program>> program;
    cl_int error = CL_SUCCESS; // of the text; the log says more
    std::string log;
};

[[nodiscard]] Result<ClProgramBuild> buildProgram(const ClOpened &device, const std::string &text);
// The group size that the kernel's text requires.
[[nodiscard]] std::array<std::size_t, 3> requiredGroup(cl_kernel kernel, cl_device_id device);
// Whether the work items of a group share memory in the kernel.
[[nodiscard]] bool sharesMemory(cl_kernel kernel, cl_device_id device);

} // namespace sw
