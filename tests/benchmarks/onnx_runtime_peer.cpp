#include "tests/benchmarks/onnx_runtime_peer.h"

#include "engine/onnx/onnx_types.h"
#include "tests/benchmarks/measure.h"
#include "tests/benchmarks/prepared_program.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <dlfcn.h>

namespace sw::benchmark {

namespace {

// The library gives its functions as a table that only ever grows, so the place of each one is part of its interface
// (onnxruntime_c_api.h, struct OrtApi).
enum class Entry : std::size_t {
    GetErrorMessage = 2,
    CreateEnv = 3,
    CreateSession = 7,
    Run = 9,
    CreateSessionOptions = 10,
    SetSessionGraphOptimizationLevel = 23,
    SetIntraOpNumThreads = 24,
    CreateTensorWithDataAsOrtValue = 49,
    GetTensorMutableData = 51,
    GetTensorElementType = 60,
    GetTensorShapeElementCount = 64,
    GetTensorTypeAndShape = 65,
    CreateCpuMemoryInfo = 69,
    ReleaseEnv = 92,
    ReleaseStatus = 93,
    ReleaseMemoryInfo = 94,
    ReleaseSession = 95,
    ReleaseValue = 96,
    ReleaseTensorTypeAndShapeInfo = 99,
    ReleaseSessionOptions = 100,
};

constexpr std::uint32_t kInterfaceVersion = 16; // the oldest that is asked for; the table above is older
constexpr int kErrorsOnly = 3;
constexpr int kAllOptimizations = 99;
constexpr int kArenaAllocator = 1;
constexpr int kDefaultMemory = 0;

using AnyFunction = void (*)();

struct InterfaceBase {
    const AnyFunction *(*table)(std::uint32_t version);
    const char *(*version)();
};

constexpr int kLastOnnxNumber = 32;

// ONNX's number of an element type; 0: it has none.
int onnxNumber(DType dtype)
{
    for (int number = 1; number <= kLastOnnxNumber; ++number)
        if (const auto type = onnx::elementTypeOfOnnx(number, {});
            type && type->dtype == dtype && type->narrow == onnx::Narrow::None)
            return number;
    return 0;
}

} // namespace

class OnnxRuntime {
public:
    OnnxRuntime(const AnyFunction *table, std::string version) : m_table(table), m_version(std::move(version))
    {
        for (const Result<Done> &step : {check(call<Entry::CreateEnv>(kErrorsOnly, "peer", &m_environment)),
                                         check(call<Entry::CreateCpuMemoryInfo>(kArenaAllocator, kDefaultMemory, &m_memory))})
            if (!step)
                giveUp(step.error());
    }
    ~OnnxRuntime()
    {
        release<Entry::ReleaseMemoryInfo>(m_memory);
        release<Entry::ReleaseEnv>(m_environment);
    }
    OnnxRuntime(const OnnxRuntime &) = delete;
    OnnxRuntime &operator=(const OnnxRuntime &) = delete;

    // Returns a status, which is null when all went well.
    template <Entry entry, class... Arguments>
    void *call(Arguments... arguments) const
    {
        return reinterpret_cast<void *(*)(Arguments...)>(m_table[static_cast<std::size_t>(entry)])(arguments...);
    }
    template <Entry entry>
    void release(void *object) const
    {
        if (object != nullptr)
            reinterpret_cast<void (*)(void *)>(m_table[static_cast<std::size_t>(entry)])(object);
    }
    // Frees the status.
    [[nodiscard]] Result<Done> check(void *status) const
    {
        if (status == nullptr)
            return Done{};
        const auto message =
            reinterpret_cast<const char *(*)(const void *)>(m_table[static_cast<std::size_t>(Entry::GetErrorMessage)])(status);
        Diagnostic diagnostic = Diagnostic::error(Code::Unsupported, {}, "ONNX Runtime: {}", message);
        release<Entry::ReleaseStatus>(status);
        return diagnostic;
    }

    [[nodiscard]] const std::string &version() const { return m_version; }
    [[nodiscard]] void *environment() const { return m_environment; }
    [[nodiscard]] void *memory() const { return m_memory; }

private:
    const AnyFunction *m_table;
    std::string m_version;
    void *m_environment = nullptr;
    void *m_memory = nullptr;
};

std::shared_ptr<const OnnxRuntime> onnxRuntime()
{
    const char *path = std::getenv("STEPWELL_ONNX_RUNTIME");
    if (path == nullptr)
        return nullptr;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *base = library == nullptr ? nullptr : dlsym(library, "OrtGetApiBase");
    if (base == nullptr) {
        print(format("STEPWELL_ONNX_RUNTIME: {}\n", dlerror()));
        return nullptr;
    }
    const InterfaceBase *interface = reinterpret_cast<const InterfaceBase *(*)()>(base)();
    return std::make_shared<const OnnxRuntime>(interface->table(kInterfaceVersion), interface->version());
}

std::string textOf(const OnnxRuntime &library)
{
    return "ONNX Runtime " + library.version();
}

Result<std::unique_ptr<OnnxRuntimeModel>> OnnxRuntimeModel::open(std::shared_ptr<const OnnxRuntime> library,
                                                                 const std::string &file, std::uint32_t threads,
                                                                 std::vector<NamedValue> inputs, std::vector<std::string> outputs)
{
    std::unique_ptr<OnnxRuntimeModel> model(new OnnxRuntimeModel);
    model->m_library = std::move(library);
    model->m_inputs = std::move(inputs);
    model->m_outputNames = std::move(outputs);
    const OnnxRuntime &runtime = *model->m_library;
    void *options = nullptr;
    SW_CHECK(runtime.check(runtime.call<Entry::CreateSessionOptions>(&options)));
    void *status = runtime.call<Entry::SetSessionGraphOptimizationLevel>(options, kAllOptimizations);
    if (status == nullptr)
        status = runtime.call<Entry::SetIntraOpNumThreads>(options, static_cast<int>(threads));
    if (status == nullptr)
        status = runtime.call<Entry::CreateSession>(runtime.environment(), file.c_str(), options, &model->m_session);
    runtime.release<Entry::ReleaseSessionOptions>(options);
    SW_CHECK(runtime.check(status));
    for (const NamedValue &input : model->m_inputs) {
        const std::span<const std::byte> bytes = input.value.bytes();
        const std::span<const std::int64_t> shape = input.value.shape().extents();
        model->m_values.push_back(nullptr);
        SW_CHECK(runtime.check(runtime.call<Entry::CreateTensorWithDataAsOrtValue>(
            runtime.memory(), bytes.data(), bytes.size(), shape.data(), shape.size(), onnxNumber(input.value.dtype()),
            &model->m_values.back())));
    }
    model->m_outputs.resize(model->m_outputNames.size());
    return model;
}

OnnxRuntimeModel::~OnnxRuntimeModel()
{
    releaseOutputs();
    for (void *value : m_values)
        m_library->release<Entry::ReleaseValue>(value);
    m_library->release<Entry::ReleaseSession>(m_session);
}

void OnnxRuntimeModel::releaseOutputs()
{
    for (void *&output : m_outputs)
        m_library->release<Entry::ReleaseValue>(std::exchange(output, nullptr));
}

Result<Done> OnnxRuntimeModel::run()
{
    releaseOutputs();
    std::vector<const char *> inputs;
    std::vector<const char *> outputs;
    for (const NamedValue &input : m_inputs)
        inputs.push_back(input.name.c_str());
    for (const std::string &output : m_outputNames)
        outputs.push_back(output.c_str());
    const void *noOptions = nullptr;
    return m_library->check(m_library->call<Entry::Run>(m_session, noOptions, inputs.data(), m_values.data(), inputs.size(),
                                                        outputs.data(), outputs.size(), m_outputs.data()));
}

std::vector<float> OnnxRuntimeModel::floats(std::size_t output) const
{
    void *information = nullptr;
    void *elements = nullptr;
    std::size_t count = 0;
    int type = 0;
    const auto isDone = [&](void *status) { return m_library->check(status).has_value(); };
    if (!isDone(m_library->call<Entry::GetTensorTypeAndShape>(m_outputs[output], &information)))
        return {};
    const bool isKnown = isDone(m_library->call<Entry::GetTensorElementType>(information, &type)) &&
                         isDone(m_library->call<Entry::GetTensorShapeElementCount>(information, &count)) &&
                         isDone(m_library->call<Entry::GetTensorMutableData>(m_outputs[output], &elements));
    m_library->release<Entry::ReleaseTensorTypeAndShapeInfo>(information);
    if (!isKnown || type != onnxNumber(DType::F32))
        return {};
    std::vector<float> values(count);
    std::memcpy(values.data(), elements, count * sizeof(float));
    return values;
}

} // namespace sw::benchmark
