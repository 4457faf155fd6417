/* Builds the kernel with the driver of an OpenCL device, runs it and compares what it wrote. Usage: ./reproduce [RUNS]. The
   variable DEVICE numbers the device among those of all platforms. Exit code 0: as expected; 1: different. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "tensors.h"

static void check(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed with code %d\n", call, (int)error);
    exit(2);
}

static cl_device_id chosenDevice(void)
{
    const char *word = getenv("DEVICE");
    int wanted = word ? atoi(word) : DEVICE_NUMBER;
    cl_platform_id platforms[64];
    cl_uint platformCount = 0;
    check(clGetPlatformIDs(64, platforms, &platformCount), "clGetPlatformIDs");
    for (cl_uint p = 0; p < platformCount && p < 64; ++p) {
        cl_device_id devices[64];
        cl_uint deviceCount = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &deviceCount) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < deviceCount && d < 64; ++d)
            if (wanted-- == 0)
                return devices[d];
    }
    fprintf(stderr, "there is no such OpenCL device; is a driver installed?\n");
    exit(2);
}

static char *readText(const char *file)
{
    FILE *stream = fopen(file, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot open %s: run this in its own folder\n", file);
        exit(2);
    }
    const long size = ftell(stream);
    char *text = checked(calloc((size_t)size + 1, 1));
    rewind(stream);
    if (fread(text, 1, (size_t)size, stream) != (size_t)size)
        exit(2);
    fclose(stream);
    return text;
}

static cl_kernel builtKernel(cl_context context, cl_device_id device)
{
    cl_int error;
    char *text = readText("kernel.cl");
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    cl_device_fp_config single = 0;
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
    const char *options =
        single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2";
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "kernel.cl does not build:\n%s\n", log);
        exit(2);
    }
    cl_kernel kernel = clCreateKernel(program, KERNEL_SYMBOL, &error);
    check(error, "clCreateKernel");
    free(text);
    return kernel;
}

static cl_mem bufferOf(cl_context context, size_t bytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (bytes / 64 + 1) * 64, NULL, &error);
    check(error, "clCreateBuffer");
    return buffer;
}

static void copyToDevice(cl_command_queue queue, cl_mem buffer, const void *data, size_t bytes)
{
    if (bytes > 0)
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

static void copyFromDevice(cl_command_queue queue, cl_mem buffer, void *data, size_t bytes)
{
    if (bytes > 0)
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "clEnqueueReadBuffer");
}

/* Returns the time on the device, in microseconds. */
static double launch(cl_command_queue queue, cl_kernel kernel)
{
    size_t global[3], local[3];
    cl_event event;
    cl_ulong begin = 0, end = 0;
    for (int i = 0; i < 3; ++i) {
        global[i] = (size_t)kGlobalSize[i];
        local[i] = (size_t)kLocalSize[i];
    }
    if (global[0] * global[1] * global[2] == 0)
        return 0;
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return 1e-3 * (double)(end - begin);
}

int main(int count, char **words)
{
    const int runs = runsFrom(count, words);
    double *times = checked(malloc((size_t)runs * sizeof *times));
    const size_t faultBytes = 2 * sizeof(int64_t) * INDEX_CHECKS;
    int64_t *faults = allocate(faultBytes);
    void *data[ARGUMENTS + 1] = {0};
    cl_mem buffers[ARGUMENTS + 1] = {0};
    char name[256] = "";
    cl_int error;
    cl_device_id device = chosenDevice();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    cl_kernel kernel = builtKernel(context, device);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    for (int i = 0; i < ARGUMENTS; ++i) {
        const struct Argument *argument = &kArguments[i];
        if (argument->same == i) {
            data[i] = readTensor(argument->file, bytesOf(argument));
            buffers[i] = bufferOf(context, bytesOf(argument));
        } else {
            buffers[i] = buffers[argument->same];
        }
        check(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    cl_mem faultBuffer = bufferOf(context, faultBytes);
    check(clSetKernelArg(kernel, ARGUMENTS, sizeof(cl_mem), &faultBuffer), "clSetKernelArg");
    printf("%s on %s\n", KERNEL_NAME, name);
    for (int run = 0; run < runs; ++run) {
        for (int i = 0; i < ARGUMENTS; ++i)
            if (kArguments[i].same == i)
                copyToDevice(queue, buffers[i], data[i], bytesOf(&kArguments[i]));
        memset(faults, 0, faultBytes);
        copyToDevice(queue, faultBuffer, faults, faultBytes);
        times[run] = launch(queue, kernel);
    }
    copyFromDevice(queue, faultBuffer, faults, faultBytes);
    for (int i = 0; i < ARGUMENTS; ++i)
        if (kArguments[i].expected)
            copyFromDevice(queue, buffers[i], data[kArguments[i].same], bytesOf(&kArguments[i]));
    tellFaults(faults);
    tellTimes(times, runs);
    return finish(data);
}
