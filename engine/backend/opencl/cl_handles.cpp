#include "engine/backend/opencl/cl_handles.h"

#include "engine/backend/opencl/pocl_cache.h"

namespace sw {

std::string clErrorName(cl_int error)
{
    switch (error) {
    case CL_DEVICE_NOT_FOUND:
        return "no device found";
    case CL_DEVICE_NOT_AVAILABLE:
        return "device not available";
    case CL_COMPILER_NOT_AVAILABLE:
        return "no compiler";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return "no memory for a buffer";
    case CL_OUT_OF_RESOURCES:
        return "out of resources";
    case CL_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case CL_BUILD_PROGRAM_FAILURE:
        return "the program does not build";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return "a command in the queue failed";
    case CL_INVALID_BUFFER_SIZE:
        return "invalid buffer size";
    case CL_INVALID_KERNEL_NAME:
        return "no kernel of this name";
    case CL_INVALID_KERNEL_ARGS:
        return "an argument is missing";
    case CL_INVALID_WORK_GROUP_SIZE:
        return "invalid size of a group";
    default: // an OpenCL code, not one of our enumerations
        return format("OpenCL error {}", error);
    }
}

std::string clDeviceText(cl_device_id device, cl_device_info fact)
{
    std::size_t size = 0;
    if (clGetDeviceInfo(device, fact, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string text(size, '\0');
    clGetDeviceInfo(device, fact, size, text.data(), nullptr);
    text.resize(size - 1);
    return text;
}

std::string clPlatformName(cl_platform_id platform)
{
    std::size_t size = 0;
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string text(size, '\0');
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text.data(), nullptr);
    text.resize(size - 1);
    return text;
}

Result<std::vector<ClDeviceHandle>> clDevices()
{
    preparePoclCache();
    cl_uint platformCount = 0;
    const cl_int error = clGetPlatformIDs(0, nullptr, &platformCount);
    std::vector<cl_platform_id> platforms(error == CL_SUCCESS ? platformCount : 0);
    if (!platforms.empty())
        clGetPlatformIDs(platformCount, platforms.data(), nullptr);
    std::vector<ClDeviceHandle> found;
    for (cl_platform_id platform : platforms) {
        cl_uint count = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
            continue;
        std::vector<cl_device_id> devices(count);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
        for (cl_device_id device : devices)
            found.push_back({platform, device});
    }
    if (found.empty())
        return Diagnostic::error(Code::DeviceUnavailable, {}, "no OpenCL device was found on {} platforms", platforms.size())
            .withHint("install the OpenCL driver of the device, or the package pocl-opencl-icd for the processor");
    return found;
}

} // namespace sw
