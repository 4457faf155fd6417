#include "engine/lowered/kernel_list.h"

#include "engine/base/assert.h"
#include "engine/lowered/kernel_origin.h"
#include "engine/lowered/lowered.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace sw {

namespace {

// Maps places to the origins they stand for. A few sets of places occur over and over: neighbouring instructions often share one.
class OriginsOfPlaces {
public:
    explicit OriginsOfPlaces(const KernelBinding &binding) : m_binding(binding) {}

    Origin operator()(const Origin &places)
    {
        if (m_last != places || !m_lastMade) {
            m_last = places;
            m_lastMade = originOf(m_binding, places);
        }
        return *m_lastMade;
    }

private:
    const KernelBinding &m_binding;
    std::optional<Origin> m_last;
    std::optional<Origin> m_lastMade;
};

LoweredKernel writtenOut(const LoweredKernel &body, const KernelBinding &binding)
{
    LoweredKernel kernel = body;
    kernel.kernel = binding.kernel;
    kernel.name = binding.name;
    kernel.origin = binding.origin;
    kernel.arguments = binding.arguments;
    OriginsOfPlaces originOf(binding);
    for (Instruction &instruction : kernel.instructions) {
        instruction.origin = originOf(instruction.origin);
        if (instruction.kind == InstructionKind::DefineGlobal)
            instruction.name = binding.argumentNames.at(instruction.argument);
    }
    return kernel;
}

} // namespace

Origin originOf(const KernelBinding &binding, const Origin &inBody)
{
    const std::span<const SourceId> places = inBody.sources();
    if (places.size() == 1)
        return binding.places.at(places.front().value);
    std::vector<SourceId> all;
    std::vector<SourceId> with;
    for (const SourceId place : places) {
        with.clear();
        std::ranges::set_union(all, binding.places.at(place.value).sources(), std::back_inserter(with));
        std::swap(all, with);
    }
    return Origin(std::move(all));
}

KernelList::KernelList(std::vector<LoweredKernel> kernels)
{
    for (LoweredKernel &kernel : kernels)
        push_back(std::move(kernel));
}

KernelList::KernelList(std::initializer_list<LoweredKernel> kernels) : KernelList(std::vector<LoweredKernel>(kernels)) {}

void KernelList::push_back(LoweredKernel kernel)
{
    m_kernels.push_back({.body = addBody(std::make_shared<const LoweredKernel>(std::move(kernel)))});
}

std::size_t KernelList::addBody(Body body)
{
    m_bodies.push_back(std::move(body));
    return m_bodies.size() - 1;
}

void KernelList::addBound(std::size_t body, KernelBinding binding)
{
    SW_ASSERT(body < m_bodies.size(), "a body that was added");
    SW_ASSERT(binding.arguments.size() == m_bodies[body]->arguments.size(), "a buffer per argument");
    m_kernels.push_back({.body = body,
                         .binding = std::make_shared<const KernelBinding>(std::move(binding)),
                         .writtenOut = std::make_shared<WrittenOut>()});
}

const LoweredKernel &KernelList::at(std::size_t kernel) const
{
    const Entry &entry = m_kernels.at(kernel);
    if (entry.binding == nullptr)
        return *m_bodies[entry.body];
    std::call_once(entry.writtenOut->once, [&] {
        entry.writtenOut->kernel = std::make_shared<const LoweredKernel>(writtenOut(*m_bodies[entry.body], *entry.binding));
    });
    return *entry.writtenOut->kernel;
}

std::span<const BufferId> KernelList::argumentsOf(std::size_t kernel) const
{
    const Entry &entry = m_kernels.at(kernel);
    return entry.binding == nullptr ? m_bodies[entry.body]->arguments : entry.binding->arguments;
}

// Bodies are numbered in the order of their first kernels.
KernelList KernelList::first(std::size_t count) const
{
    KernelList part;
    part.m_kernels.assign(m_kernels.begin(), m_kernels.begin() + static_cast<std::ptrdiff_t>(count));
    std::size_t bodies = 0;
    for (const Entry &entry : part.m_kernels)
        bodies = std::max(bodies, entry.body + 1);
    part.m_bodies.assign(m_bodies.begin(), m_bodies.begin() + static_cast<std::ptrdiff_t>(bodies));
    return part;
}

KernelList KernelList::withBodies(std::vector<Body> bodies) const
{
    SW_ASSERT(bodies.size() == m_bodies.size(), "a body for each");
    KernelList changed;
    changed.m_bodies = std::move(bodies);
    changed.m_kernels = m_kernels;
    for (Entry &entry : changed.m_kernels)
        if (entry.binding != nullptr && changed.m_bodies[entry.body] != m_bodies[entry.body])
            entry.writtenOut = std::make_shared<WrittenOut>();
    return changed;
}

} // namespace sw
