#pragma once
// The kernels of a lowered program. Kernels that differ only in which buffers they are given, and in what they were made for,
// share one body: passes, the verifier and renderers do their work once per body. A kernel whose body is shared is written out
// when it is first looked at.
//
// Origins in a shared body are places in a list, and each of its kernels has its own list: a pass that merges two
// origins merges two places, and does so for every kernel.

#include "engine/base/origin.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sw {

struct LoweredKernel;

// The parts of a kernel that are its own when its body is shared.
struct KernelBinding {
    KernelId kernel;
    std::string name;
    Origin origin;
    std::vector<BufferId> arguments = {};
    std::vector<std::string> argumentNames = {};
    std::vector<Origin> places = {}; // what the body's origins SourceId(0), SourceId(1), ... stand for
};

class KernelList {
public:
    using Body = std::shared_ptr<const LoweredKernel>;

    // By KernelId, as a range of const LoweredKernel &.
    class Iterator {
    public:
        using difference_type = std::ptrdiff_t;
        using value_type = LoweredKernel;

        Iterator() = default;
        Iterator(const KernelList *list, std::size_t at) : m_list(list), m_at(at) {}
        const LoweredKernel &operator*() const { return m_list->at(m_at); }
        const LoweredKernel *operator->() const { return &m_list->at(m_at); }
        Iterator &operator++()
        {
            ++m_at;
            return *this;
        }
        Iterator operator++(int)
        {
            const Iterator before = *this;
            ++m_at;
            return before;
        }
        bool operator==(const Iterator &) const = default;

    private:
        const KernelList *m_list = nullptr;
        std::size_t m_at = 0;
    };

    KernelList() = default;
    KernelList(std::vector<LoweredKernel> kernels); // each with a body of its own
    KernelList(std::initializer_list<LoweredKernel> kernels);

    void push_back(LoweredKernel kernel); // likewise
    // Adds a body for kernels to share and returns its number; bodies are numbered from 0 as they are added.
    [[nodiscard]] std::size_t addBody(Body body);
    void addBound(std::size_t body, KernelBinding binding);

    [[nodiscard]] std::size_t size() const { return m_kernels.size(); }
    [[nodiscard]] bool empty() const { return m_kernels.empty(); }
    [[nodiscard]] const LoweredKernel &at(std::size_t kernel) const;
    [[nodiscard]] const LoweredKernel &operator[](std::size_t kernel) const { return at(kernel); }
    [[nodiscard]] const LoweredKernel &front() const { return at(0); }
    [[nodiscard]] const LoweredKernel &back() const { return at(size() - 1); }
    [[nodiscard]] Iterator begin() const { return {this, 0}; }
    [[nodiscard]] Iterator end() const { return {this, size()}; }

    // Each body once. Its id and name are those of its first kernel.
    [[nodiscard]] std::span<const Body> bodies() const { return m_bodies; }
    [[nodiscard]] std::size_t bodyNumberOf(std::size_t kernel) const { return m_kernels.at(kernel).body; }
    // Without writing the kernel out: its device, sizes and instructions, except names and origins; and its buffers.
    [[nodiscard]] const LoweredKernel &bodyOf(std::size_t kernel) const { return *m_bodies[bodyNumberOf(kernel)]; }
    [[nodiscard]] std::span<const BufferId> argumentsOf(std::size_t kernel) const;
    // Null: the kernel has a body of its own.
    [[nodiscard]] const KernelBinding *bindingOf(std::size_t kernel) const { return m_kernels.at(kernel).binding.get(); }
    // The first kernels alone, with the bodies that they have.
    [[nodiscard]] KernelList first(std::size_t count) const;
    // The same kernels with other bodies.
    [[nodiscard]] KernelList withBodies(std::vector<Body> bodies) const;

private:
    struct WrittenOut {
        std::once_flag once;
        Body kernel;
    };
    struct Entry {
        std::size_t body = 0;
        std::shared_ptr<const KernelBinding> binding = {}; // null: the body is the kernel
        std::shared_ptr<WrittenOut> writtenOut = {};
    };

    std::vector<Body> m_bodies;
    std::vector<Entry> m_kernels;
};

} // namespace sw
