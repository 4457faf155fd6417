// Random steps on random buffers: in whatever order the dependencies allow them to run, and however often, each reads what it
// should from the memory that the planner gave it.

#include "engine/passes/schedule/joins.h"
#include "engine/passes/schedule/plan_steps.h"
#include "engine/schedule/verify_items.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace sw {
namespace {

// Turns the steps that only read some buffers and write one of their size into joins, where they can be: the last one first.
void joinSome(Schedule &schedule, std::vector<ScheduleItem> &run)
{
    Joins joins;
    for (auto item = run.rbegin(); item != run.rend(); ++item) {
        const auto *call = std::get_if<HostCallback>(&item->work);
        if (call == nullptr || call->function != "join")
            continue;
        Join join{call->outputs.front(), call->inputs};
        std::vector<NodeId> parts;
        std::vector<std::int64_t> offsets;
        std::int64_t bytes = 0;
        for (const BufferId part : join.parts) {
            parts.push_back(schedule.buffer(part).node);
            offsets.push_back(bytes);
            bytes += schedule.buffer(part).bytes();
        }
        if (joins.join(schedule.buffer(join.whole).node, parts, offsets))
            item->work = std::move(join);
    }
    const auto bufferOf = [&](NodeId node) {
        return BufferId(static_cast<std::size_t>(std::ranges::find(schedule.buffers, node, &ScheduledBuffer::node) -
                                                 schedule.buffers.begin()));
    };
    for (ScheduledBuffer &buffer : schedule.buffers)
        if (const auto place = joins.placeOf(buffer.node))
            buffer.partOf = {bufferOf(place->whole), place->offset};
}

// Steps that read some of the latest buffers and write one or two, or that join some; every buffer is of some device.
Schedule randomSchedule(std::mt19937 &random)
{
    TensorProgram p;
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    const std::size_t steps = 5 + below(40);
    std::vector<Shape> shapes;
    std::vector<NodeId> nodes;
    std::vector<DeviceSlot> slots;
    std::vector<BufferId> known;
    std::vector<ScheduleItem> run;
    for (std::size_t i = 0; i < 3; ++i) {
        shapes.push_back({static_cast<std::int64_t>(16 * (1 + below(8)))});
        nodes.push_back(p.input(shapes.back()));
        slots.emplace_back(below(2));
        known.emplace_back(i);
    }
    const auto newBuffer = [&] {
        shapes.push_back({static_cast<std::int64_t>(below(9) == 0 ? 0 : 16 * (1 + below(16)))});
        nodes.push_back(p.relu(p.builder.constScalar(p.here, Scalar::of(DType::F32, 1.0))));
        slots.emplace_back(below(2));
        return BufferId(nodes.size() - 1);
    };
    for (std::size_t step = 0; step < steps; ++step) {
        HostCallback call{"step", {}, {}};
        for (std::size_t i = 0; i < 1 + below(3); ++i) {
            const BufferId read = known[known.size() - 1 - below(std::min<std::size_t>(known.size(), 6))];
            if (std::ranges::find(call.inputs, read) == call.inputs.end())
                call.inputs.push_back(read);
        }
        for (std::size_t i = 0; i < 1 + below(2); ++i)
            call.outputs.push_back(newBuffer());
        known.insert(known.end(), call.outputs.begin(), call.outputs.end());
        run.push_back({std::move(call)});
        if (below(8) == 0)
            run.push_back({Synchronization{}});
        HostCallback join{"join", {}, {}};
        std::int64_t elements = 0;
        for (std::size_t i = 3; i < nodes.size() && below(3) == 0; ++i) {
            const BufferId part(nodes.size() - 1 - below(std::min<std::size_t>(nodes.size() - 3, 6)));
            const bool isOnDevice = join.inputs.empty() || slots[part.value] == slots[join.inputs.front().value];
            if (isOnDevice && shapes[part.value].elements() > 0 && std::ranges::count(join.inputs, part) == 0) {
                join.inputs.push_back(part);
                elements += shapes[part.value].elements();
            }
        }
        if (join.inputs.size() < 2)
            continue;
        join.outputs.push_back(newBuffer());
        shapes.back() = {elements};
        slots.back() = slots[join.inputs.front().value];
        known.push_back(join.outputs.front());
        run.push_back({std::move(join)});
    }
    Schedule schedule;
    schedule.outputs = {known.back(), known[known.size() / 2], known.front()};
    std::vector<NodeId> outputs;
    for (const BufferId output : schedule.outputs)
        outputs.push_back(nodes[output.value]);
    schedule.graph = std::make_shared<const Graph>(std::move(p).finish(std::move(outputs)));
    schedule.devices = {{.id = "a"}, {.id = "b", .alignment = 128}};
    for (std::size_t i = 0; i < nodes.size(); ++i)
        schedule.buffers.push_back({.role = i < 3 ? BufferRole::Input : BufferRole::Intermediate,
                                    .shape = shapes[i],
                                    .node = nodes[i],
                                    .name = format("t{}", i),
                                    .origin = originOfLine(1),
                                    .device = slots[i]});
    joinSome(schedule, run);
    EXPECT_TRUE(planSteps(schedule, std::move(run), {}));
    return schedule;
}

// What lies where: the number of the buffer that was written there last.
class Memory {
public:
    explicit Memory(const Schedule &schedule) : m_schedule(schedule)
    {
        for (const ScheduledDevice &device : schedule.devices)
            m_owners.emplace_back(static_cast<std::size_t>(device.arenaBytes), ~std::uint32_t{0});
        for (const ScheduleItem &item : schedule.items)
            if (const auto *join = std::get_if<Join>(&item.work))
                m_parts.emplace(join->whole, join->parts);
    }

    void write(BufferId id)
    {
        if (m_parts.contains(id))
            return; // its parts are there
        for (std::uint32_t &owner : placeOf(id))
            owner = id.value;
    }
    [[nodiscard]] bool holds(BufferId id)
    {
        if (const auto parts = m_parts.find(id); parts != m_parts.end())
            return std::ranges::all_of(parts->second, [this](BufferId part) { return holds(part); });
        return std::ranges::all_of(placeOf(id), [&](std::uint32_t owner) { return owner == id.value; });
    }

private:
    std::span<std::uint32_t> placeOf(BufferId id)
    {
        const ScheduledBuffer &buffer = m_schedule.buffer(id);
        return std::span(m_owners[buffer.device.value])
            .subspan(static_cast<std::size_t>(buffer.arenaOffset), static_cast<std::size_t>(buffer.bytes()));
    }

    const Schedule &m_schedule;
    std::vector<std::vector<std::uint32_t>> m_owners;  // by device, then byte
    std::map<BufferId, std::vector<BufferId>> m_parts; // of what is joined
};

// Items of the phase in some order that the dependencies allow. False: one read what was no longer, or not yet, there.
bool runPhase(const Schedule &schedule, Phase phase, Memory &memory, std::mt19937 &random)
{
    std::set<std::uint32_t> waiting;
    for (std::uint32_t item = 0; item < schedule.items.size(); ++item)
        if (schedule.items[item].phase == phase)
            waiting.insert(item);
    while (!waiting.empty()) {
        std::vector<std::uint32_t> ready;
        for (const std::uint32_t item : waiting)
            if (std::ranges::none_of(schedule.dependencies,
                                     [&](const Dependency &one) { return one.to == item && waiting.contains(one.from); }))
                ready.push_back(item);
        const std::uint32_t next = ready.at(random() % ready.size());
        waiting.erase(next);
        const ItemUses uses = usesOf(schedule, schedule.items[next]);
        for (const BufferId read : uses.reads)
            if (!memory.holds(read))
                return false;
        for (const BufferId write : uses.writes)
            memory.write(write);
    }
    return true;
}

bool runsRightly(const Schedule &schedule, std::mt19937 &random)
{
    Memory memory(schedule);
    return runPhase(schedule, Phase::Load, memory, random) && runPhase(schedule, Phase::Run, memory, random) &&
           runPhase(schedule, Phase::Run, memory, random) && runPhase(schedule, Phase::Fetch, memory, random);
}

TEST(RandomSteps, computeTheSameInEveryOrderThatIsAllowed)
{
    std::size_t sharing = 0;
    std::size_t inside = 0;
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed);
        const Schedule schedule = randomSchedule(random);
        SCOPED_TRACE(seed);
        for (const auto &check : {verifyItemTables, verifyItems, verifyMemory}) {
            const Diagnostics errors = check(schedule);
            ASSERT_TRUE(errors.empty()) << toText(errors) << printSchedule(schedule).text;
        }
        for (int order = 0; order < 10; ++order)
            ASSERT_TRUE(runsRightly(schedule, random)) << printSchedule(schedule).text;
        sharing += static_cast<std::size_t>(
            std::ranges::count_if(schedule.buffers, [](const ScheduledBuffer &one) { return one.aliasGroup.has_value(); }));
        inside += static_cast<std::size_t>(
            std::ranges::count_if(schedule.buffers, [](const ScheduledBuffer &one) { return one.partOf.has_value(); }));
    }
    EXPECT_GT(sharing, 500U);
    EXPECT_GT(inside, 100U);
}

TEST(RandomSteps, needTheirControlDependencies)
{
    std::size_t wrong = 0;
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        std::mt19937 random(seed);
        Schedule schedule = randomSchedule(random);
        std::erase_if(schedule.dependencies, [](const Dependency &one) { return one.kind == DependencyKind::Control; });
        for (int order = 0; order < 10; ++order)
            wrong += runsRightly(schedule, random) ? 0 : 1;
    }
    EXPECT_GT(wrong, 100U);
}

} // namespace
} // namespace sw
