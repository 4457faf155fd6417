#include "engine/backend/opencl/cl_device.h"

#include "engine/backend/cpu/cpu_device.h"

#include <algorithm>

namespace sw {

namespace {

// OpenCL cannot be asked for this; drivers give each work item at least this much.
constexpr std::uint32_t kGpuScratchBytes = 64U << 10;

bool isProcessor(cl_device_id device)
{
    return (clDeviceFact<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
}

} // namespace

std::string clDeviceId(std::size_t place)
{
    return place == 0 ? "opencl" : format("opencl:{}", place);
}

Result<std::shared_ptr<ClOpened>> openClDevice(const ClDeviceHandle &handle)
{
    auto opened = std::make_shared<ClOpened>();
    opened->handle = handle;
    cl_int error = CL_SUCCESS;
    opened->context.reset(clCreateContext(nullptr, 1, &handle.device, nullptr, nullptr, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateContext", error);
    opened->queue.reset(clCreateCommandQueue(opened->context.get(), handle.device, CL_QUEUE_PROFILING_ENABLE, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateCommandQueue", error);
    ClQueue ofTranslator(clCreateCommandQueue(opened->context.get(), handle.device, 0, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateCommandQueue", error);
    opened->translator = std::make_unique<ClTranslator>(std::move(ofTranslator));
    opened->isPocl = clPlatformName(handle.platform) == "Portable Computing Language";
    opened->buildOptions = "-cl-std=CL1.2";
    const auto single = clDeviceFact<cl_device_fp_config>(handle.device, CL_DEVICE_SINGLE_FP_CONFIG);
    if ((single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0)
        opened->buildOptions += " -cl-fp32-correctly-rounded-divide-sqrt";
    if (opened->isPocl)
        opened->buildOptions += " -g"; // line numbers for the machine code; it is optimised anyway
    return opened;
}

DeviceInfo describeClDevice(const ClDeviceHandle &handle, std::string id)
{
    DeviceInfo device;
    if (isProcessor(handle.device)) {
        device = cpuDevice("opencl", "");
        device.vectorBytes = std::max(16U, 4 * clDeviceFact<cl_uint>(handle.device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
    } else {
        device.kind = DeviceKind::Gpu;
        device.vectorBytes = 16;
        device.vectorRegisters = 64;
        device.scratchBytes = kGpuScratchBytes;
        device.cacheBytesPerCore = static_cast<std::int64_t>(
            std::max<cl_ulong>(clDeviceFact<cl_ulong>(handle.device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), 1 << 16));
    }
    device.id = std::move(id);
    device.backend = "opencl";
    device.threads = std::max(1U, clDeviceFact<cl_uint>(handle.device, CL_DEVICE_MAX_COMPUTE_UNITS));
    device.maxWorkgroup = static_cast<std::int64_t>(
        std::max<std::size_t>(1, clDeviceFact<std::size_t>(handle.device, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
    device.localMemoryBytes = static_cast<std::int64_t>(clDeviceFact<cl_ulong>(handle.device, CL_DEVICE_LOCAL_MEM_SIZE));
    // OpenCL counts in bits. The result is a multiple of 64 bytes, which our own vectors need.
    device.bufferAlignment = std::max<std::int64_t>(64, clDeviceFact<cl_uint>(handle.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
    device.driver = clDeviceText(handle.device, CL_DRIVER_VERSION);
    device.hasF64 = clDeviceFact<cl_device_fp_config>(handle.device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device.description = format("{}, {}, {} compute units", clPlatformName(handle.platform),
                                clDeviceText(handle.device, CL_DEVICE_NAME), device.threads);
    return device;
}

} // namespace sw
