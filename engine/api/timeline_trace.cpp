#include "engine/api/timeline.h"

#include "engine/base/json.h"

namespace sw {

namespace {

// Groups become processes and lanes threads, both numbered from 1 as they come.
class TraceWriter {
public:
    explicit TraceWriter(std::int64_t zero) : m_zero(zero) { m_json.beginArray(); }

    // what: "compilation" or "run": a viewer tells the groups of the two apart by it
    void add(const Timeline &timeline, std::string_view what, std::span<const KernelActivity> kernels)
    {
        std::vector<std::uint32_t> processOf;
        for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
            if (lane == 0 || timeline.lanes[lane].group != timeline.lanes[lane - 1].group)
                name("process_name", ++m_processes, 0, format("{}: {}", what, timeline.lanes[lane].group));
            processOf.push_back(m_processes);
            name("thread_name", m_processes, threadOf(lane), timeline.lanes[lane].name);
            sortIndex(m_processes, threadOf(lane));
        }
        for (const TimelineEvent &event : timeline.events)
            write(event, timeline.begin, processOf[event.lane], kernels);
    }
    std::string take()
    {
        m_json.endArray();
        return m_json.text();
    }

private:
    static std::uint32_t threadOf(std::size_t lane) { return static_cast<std::uint32_t>(lane) + 1; }

    void name(std::string_view kind, std::uint32_t process, std::uint32_t thread, const std::string &text)
    {
        m_json.beginObject().field("name", kind).field("ph", "M").field("pid", process).field("tid", thread);
        m_json.key("args").beginObject().field("name", text).endObject().endObject();
    }
    void sortIndex(std::uint32_t process, std::uint32_t thread)
    {
        m_json.beginObject().field("name", "thread_sort_index").field("ph", "M").field("pid", process).field("tid", thread);
        m_json.key("args").beginObject().field("sort_index", thread).endObject().endObject();
    }
    void write(const TimelineEvent &event, std::int64_t begin, std::uint32_t process, std::span<const KernelActivity> kernels)
    {
        m_json.beginObject().field("name", event.name).field("cat", nameOf(event.kind)).field("ph", "X");
        m_json.field("ts", microseconds(begin - m_zero + event.begin)).field("dur", microseconds(event.nanoseconds()));
        m_json.field("pid", process).field("tid", threadOf(event.lane)).key("args").beginObject();
        if (event.bytes > 0)
            m_json.field("bytes", event.bytes);
        if (event.round != kNoIndex)
            m_json.field("run", event.round + 1);
        if (event.kind == TimelineKind::Kernel && event.kernel < kernels.size())
            for (const HardwareEventInfo &counted : hardwareEvents())
                if (const auto count = kernels[event.kernel].countOf(counted.event))
                    m_json.field(counted.id, *count);
        m_json.endObject().endObject();
    }
    static double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

    JsonWriter m_json{JsonLayout::Compact};
    std::int64_t m_zero;
    std::uint32_t m_processes = 0;
};

} // namespace

std::string chromeTrace(const RecordedTimelines &timelines)
{
    TraceWriter writer(timelines.compilation.begin);
    writer.add(timelines.compilation, "compilation", {});
    writer.add(timelines.run, "run", timelines.kernels);
    return writer.take();
}

} // namespace sw
