#pragma once
// Backends that write down what is asked of them and when, and pass it on to others. Who wants to know how a compilation or a run
// went opens its devices through them; nobody else does, so that nothing is recorded elsewhere and nothing is paid for it.

#include "engine/backend/backend.h"
#include "engine/backend/work_recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace sw {

enum class CallKind : std::uint8_t {
    Open,
    Render,
    Compile,
    Finish,
    Allocate,
    Upload,
    Download,
    Copy,
    Synchronize,
    Launch,
};
[[nodiscard]] std::string_view nameOf(CallKind kind);

// Times as in work_recorder.h.
struct RecordedCall {
    CallKind kind = CallKind::Launch;
    std::uint32_t device = 0; // of RecordedCalls; Render: kNoDevice
    std::chrono::nanoseconds begin{0};
    std::chrono::nanoseconds end{0};
    std::int64_t bytes = 0;               // allocated or moved
    DeviceBufferId buffer = {};           // that is written, or read by a download
    KernelId kernel = {};                 // Render
    std::chrono::nanoseconds onDevice{0}; // Launch: as the device reports it
    bool isQueued = false;                // Upload, Download: only handed over; the next of the runtime's transfers tells when
};
inline constexpr std::uint32_t kNoDevice = ~0U;

struct RecordedDevice {
    std::string id; // "llvm"
    RecordedWork compiler;
    RecordedWork runtime; // a launch for each call that launched, unless the device does not tell
    // The buffers that were made meanwhile, in their order.
    std::vector<DeviceBufferId> allocated;
    std::vector<DeviceBufferId> views;
};

struct RecordedCalls {
    std::vector<RecordedCall> calls; // in the order in which they ended
    std::vector<RecordedDevice> devices;
    std::uint64_t lost = 0; // calls that came when there was no more room
};
inline constexpr std::size_t kMostRecordedCalls = 1'000'000;

// What the backends below write to. Lives longer than they and their devices do; serves one thread at a time.
class CallLog {
public:
    // From now on; forgets what was recorded before.
    [[nodiscard]] Result<Done> start(WithCounters counters);
    // What was recorded since; ends the recording.
    [[nodiscard]] Result<RecordedCalls> take();

    // ---- for the backends

    // An open device; a part that is destroyed becomes null.
    struct Device {
        std::string id;
        std::uint32_t number = 0;
        WorkRecorder *compiler = nullptr;
        WorkRecorder *runtime = nullptr;
        std::vector<DeviceBufferId> allocated = {};
        std::vector<DeviceBufferId> views = {};
    };
    [[nodiscard]] bool isOn() const { return m_isOn; }
    void add(const RecordedCall &call);
    // The device and its recorders, if they are to record now.
    [[nodiscard]] std::shared_ptr<Device> opened(std::string id, Backend::Opened &device);

private:
    [[nodiscard]] Result<Done> startOn(const Device &device) const;

    bool m_isOn = false;
    WithCounters m_counters = WithCounters::No;
    RecordedCalls m_recorded;
    std::vector<std::shared_ptr<Device>> m_devices;
};

// One for each backend of `from`, which must live as long.
void addRecordingBackends(BackendRegistry &to, const BackendRegistry &from, CallLog &log);

} // namespace sw
