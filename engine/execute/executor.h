#pragma once
// Runs a compiled program on its devices. Memory is allocated as the schedule planned it: one arena per device. The load items,
// transfers and kernels, run once, then the run items, with all steps of their scans, are repeated as asked, each one timed, and
// the results are fetched once at the end. Items run in an order that their dependencies allow; after the first failure nothing
// more runs. Devices that work through a queue get their kernels and transfers without waiting for each.

#include "engine/execute/index_faults.h"
#include "engine/execute/item_runner.h"
#include "engine/execute/run_parts.h"
#include "engine/execute/timing.h"
#include "engine/types/host_tensor.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct RunCounts {
    std::uint32_t warmup = 0;
    std::uint32_t repeats = 1; // at least 1
};

// A round to warm up counts in no time.
enum class Round : std::uint8_t { WarmUp, Measured };

// Reports how many kernels have been launched, out of all the launches in all rounds of the run. Called after each launch.
using LaunchObserver = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct NamedTensor {
    std::string name;
    HostTensor value;
};

struct ExecutionResult {
    std::vector<NamedTensor> outputs; // of the last run, in the program's order
    std::vector<Timing> kernels;      // by KernelId
    std::vector<Timing> items;   // by item; items that load (kernels too) or fetch run only once, those that were skipped never
    std::vector<bool> isSkipped; // by item: its conditions did not hold in the last run
    // By repeat: the steps that the last run made, which a condition may have ended.
    std::vector<std::int64_t> stepsMade;
    Timing total;                // of one run with all its items, from the first launch to the last completion
    RunParts parts;              // of the run whose total is the median
    SymbolicBindings dimensions; // that the run had
    Diagnostics faults;          // out-of-range indices, once per line of the program: errors, though the run continued
};

// Why there is no value in a buffer that a run has not written.
inline constexpr std::string_view kNotChosen = "it is not computed with these inputs: another branch is chosen";

struct KernelArguments;

class Executor {
public:
    // devices: by slot of the schedule. values: one tensor per placeholder that is not a dimension, in Graph::placeholders order
    // (see input_values.h). functions: those that the schedule calls on the host. wanted: dimensions that no value says; see
    // dimensions.h. Nothing runs or is uploaded yet.
    [[nodiscard]] static Result<std::unique_ptr<Executor>>
    prepare(std::vector<OpenedDevice *> devices, const CompiledProgramPtr &program, std::span<const HostTensor> values,
            HostFunctions functions = {}, const SymbolicBindings &wanted = {});
    // The same on a single device.
    [[nodiscard]] static Result<std::unique_ptr<Executor>> prepare(OpenedDevice &device, const CompiledProgramPtr &program,
                                                                   std::span<const HostTensor> values,
                                                                   const SymbolicBindings &wanted = {});
    Executor(const Executor &) = delete;
    Executor &operator=(const Executor &) = delete;
    ~Executor() { abandonQueues(); }

    // Runs the load items, once; all that follows does so itself, if nobody has before.
    Result<Done> load(const std::stop_token &stop);

    [[nodiscard]] Result<ExecutionResult> run(RunCounts counts, std::stop_token stop, const LaunchObserver &observer = {});

    // Runs once and returns how long it took. Several executors may do so in turn.
    [[nodiscard]] Result<std::chrono::nanoseconds> runRound(Round round, const std::stop_token &stop);
    // What the measured rounds, at least one (asserts), took and gave.
    [[nodiscard]] Result<ExecutionResult> finish(const std::stop_token &stop);

    // Runs once and returns what each of the buffers holds when the last item that writes it is done, in their order: their
    // memory may serve others after that; nothing for a buffer that no item wrote, because of conditions. Of the body of a scan
    // it is the value of this step, which the scan has, or the last one; a carried value is the one that the step begins with.
    // Nothing runs that comes later. What only the load phase needed is computed again. An executor does this once, and then no
    // more.
    [[nodiscard]] Result<std::vector<std::optional<HostTensor>>>
    runAndKeep(std::span<const BufferId> buffers, const std::stop_token &stop, std::optional<std::int64_t> step = {});

    // How many steps of a scan the last run made, which a condition may have ended.
    [[nodiscard]] std::int64_t stepsMadeOf(std::int64_t scan) const;

    // Does what comes before the (first) launch of a kernel when the program is loaded, or in the first round of a run. Error:
    // Run when the conditions of the launch do not hold. An executor does this once, and then no more.
    [[nodiscard]] Result<KernelArguments> runUpTo(KernelId kernel, const std::stop_token &stop);

private:
    using Samples = std::vector<std::vector<std::chrono::nanoseconds>>; // by item

    Executor(CompiledProgramPtr program, std::unique_ptr<ProgramMemory> memory, ItemRunner runner,
             std::vector<std::uint32_t> order, SymbolicBindings dimensions);
    [[nodiscard]] const Schedule &schedule() const { return *m_program->lowered->schedule; }
    // Runs the items of the phase, in order.
    Result<Done> runPhase(Phase phase, const std::stop_token &stop, Samples &samples);
    // Runs the item if its conditions hold. The times of all steps of an item are one sample.
    Result<Done> runItem(const ItemRun &run, const std::stop_token &stop, Samples &samples);
    // Runs the next item of the walk; nothing: there is none. A scan whose condition has ended it is left.
    Result<std::optional<ItemRun>> runNext(ItemWalk &walk, const std::stop_token &stop, Samples &samples);
    Result<Done> endStep(ItemWalk &walk, const ItemRun &last, const std::stop_token &stop, Samples &samples);
    [[nodiscard]] Result<bool> goesOn(const RepeatedItems &repeat, const std::stop_token &stop, Samples &samples);
    [[nodiscard]] Result<bool> conditionIn(BufferId buffer, const std::stop_token &stop, Samples &samples);
    [[nodiscard]] std::uint64_t launchesOfRun() const; // at most, as far as that is known
    [[nodiscard]] Result<bool> holds(const ScheduleItem &item, const std::stop_token &stop, Samples &samples);
    void addResult(const ItemRun &run, std::chrono::nanoseconds time, std::span<const IndexFault> faults, Samples &samples);

    // ---- what devices have queued (executor_queue.cpp)
    struct QueuedRun {
        ItemRun run;
        std::chrono::nanoseconds handedOver{0}; // what queueing it took
        std::chrono::nanoseconds before{0};     // what the item took before that
        bool isRead = false;                    // only the first half of a copy, begun before its turn
    };
    using Queue = std::vector<QueuedRun>; // in the order in which they were queued
    // The devices whose queues are to be empty before the item runs.
    [[nodiscard]] std::vector<DeviceSlot> waitedForBy(std::uint32_t item) const;
    [[nodiscard]] std::vector<DeviceSlot> waitedForBy(const MemoryTransfer &transfer, bool isReading) const;
    // Of an item that a device queues.
    [[nodiscard]] Queue &queueOf(const ScheduleItem &item);
    Result<Done> collect(std::span<const DeviceSlot> devices, const std::stop_token &stop, Samples &samples);
    // Only the oldest ones.
    Result<Done> collect(DeviceSlot device, std::size_t count, const std::stop_token &stop, Samples &samples);
    Result<Done> collectAll(const std::stop_token &stop, Samples &samples);
    void abandonQueues();
    // A copy to another device is read as soon as the device has been asked for what it reads; its turn may come much later.
    [[nodiscard]] std::multimap<std::uint32_t, std::uint32_t> readsByTrigger() const;
    Result<Done> beginReadsAfter(std::uint32_t item, const std::stop_token &stop);
    Result<Done> collectRead(std::uint32_t item, const std::stop_token &stop, Samples &samples);
    [[nodiscard]] DeviceSlot sourceOf(std::uint32_t copy) const;
    [[nodiscard]] bool isKernel(const QueuedRun &queued) const;
    void addCollected(const Queue &queue, std::span<const LaunchResult> results, std::chrono::nanoseconds waited,
                      Samples &samples);
    [[nodiscard]] Failure ofQueued(const Queue &queue, const Diagnostics &errors) const; // of some of them
    [[nodiscard]] Failure ofQueued(const Queue &queue, const Collected &collected) const;

    [[nodiscard]] std::vector<NamedTensor> outputs() const;
    // When a value that an item of a scan makes is whole: at once; at the end of the step, for the next one; after all steps.
    enum class When : std::uint8_t { Item, NextStep, Scan };
    struct WantedValue {
        Phase phase = Phase::Run;
        ItemRun last; // that makes it
        const RepeatedItems *repeat = nullptr;
        When when = When::Item;
        std::optional<std::uint32_t> begin = {}; // NextStep: the item that makes what the first step begins with
        bool isOpen = false;                     // it is not there yet

        [[nodiscard]] bool isThereAfter(const ItemRun &run, const ItemWalk &walk);
    };
    [[nodiscard]] std::vector<WantedValue> wantedValues(std::span<const BufferId> buffers,
                                                        std::optional<std::int64_t> step) const;
    [[nodiscard]] WantedValue valueMadeBy(std::uint32_t item, BufferId buffer, std::optional<std::int64_t> step) const;
    [[nodiscard]] HostTensor withoutRest(BufferId buffer, HostTensor value) const;

    CompiledProgramPtr m_program;
    std::vector<HostTensor> m_values; // as given to prepare, of the largest size of their dimensions
    std::unique_ptr<ProgramMemory> m_memory;
    ItemRunner m_runner;
    std::vector<std::uint32_t> m_order;                            // of the items
    std::vector<Queue> m_queues;                                   // by device
    std::multimap<std::uint32_t, std::uint32_t> m_readsAfter;      // by item: the copies whose reading begins then
    std::map<std::uint32_t, std::chrono::nanoseconds> m_readTimes; // by copy whose turn has not come
    SymbolicBindings m_dimensions;
    Samples m_samples;                              // of the items that load, and of the measured rounds so far
    Samples m_ignored;                              // of rounds to warm up
    std::vector<std::chrono::nanoseconds> m_totals; // of the measured rounds so far
    std::vector<RunParts> m_partsOf;                // likewise
    RunParts m_parts;                               // of the current or last phase
    std::vector<LaunchFault> m_faults;              // of the load phase, and of the current or last run
    bool m_isLoaded = false;
    std::size_t m_loadFaults = 0;          // how many of them are the load phase's
    std::function<void()> m_onLaunch;      // called after each kernel of the current run
    std::vector<bool> m_isSkipped;         // by item: it did not run when it was its turn
    std::vector<std::int64_t> m_stepsMade; // by repeat, in the current or last run
    bool m_hasConditions = false;          // some item has one
    std::map<BufferId, bool> m_conditions; // read since they were last written
};

} // namespace sw
