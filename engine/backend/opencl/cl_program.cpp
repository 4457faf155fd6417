#include "engine/backend/opencl/cl_program.h"

#include <algorithm>

namespace sw {

namespace {

std::string buildLog(cl_program program, cl_device_id device)
{
    std::size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string log(size, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(size - 1);
    return log;
}

} // namespace

Result<ClProgramBuild> buildProgram(const ClOpened &device, const std::string &text)
{
    const char *start = text.data();
    const std::size_t length = text.size();
    cl_int error = CL_SUCCESS;
    ClProgram owned(clCreateProgramWithSource(device.context.get(), 1, &start, &length, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateProgramWithSource", error);
    ClProgramBuild made{.program = std::move(owned), .log = {}};
    made.error = clBuildProgram(made.program.get(), 1, &device.handle.device, device.buildOptions.c_str(), nullptr, nullptr);
    made.log = buildLog(made.program.get(), device.handle.device);
    return made;
}

std::array<std::size_t, 3> requiredGroup(cl_kernel kernel, cl_device_id device)
{
    std::array<std::size_t, 3> group{1, 1, 1};
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group.data(), nullptr);
    for (std::size_t &size : group)
        size = std::max<std::size_t>(size, 1);
    return group;
}

bool sharesMemory(cl_kernel kernel, cl_device_id device)
{
    cl_ulong bytes = 0;
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    return bytes > 0;
}

} // namespace sw
