#pragma once
// A list that its copies share until one of them is changed. Copying costs a count, not the contents: documents of neighbouring
// moments have almost everything in common. A list may be made when it is first read: of most that a document has, nobody asks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sw {

// Makes lists that are made when they are first read, by number. Several threads may want different ones.
template <class T>
class ListMaker {
public:
    ListMaker() = default;
    virtual ~ListMaker() = default;
    ListMaker(const ListMaker &) = delete;
    ListMaker &operator=(const ListMaker &) = delete;

    [[nodiscard]] virtual std::vector<T> make(std::uint32_t number) const = 0;
};

template <class T>
class SharedList {
public:
    using value_type = T;
    using const_iterator = typename std::vector<T>::const_iterator;
    using iterator = const_iterator; // what is shared is only read through it

    SharedList() = default;
    SharedList(std::initializer_list<T> values) : SharedList(std::vector<T>(values)) {}
    SharedList(std::vector<T> values) // NOLINT(google-explicit-constructor): it is a list like any other
        : m_contents(values.empty() ? nullptr : std::make_shared<Contents>(std::move(values)))
    {
    }
    // The list of that number, made when it is first read; by then the maker is still there.
    [[nodiscard]] static SharedList later(std::shared_ptr<const ListMaker<T>> maker, std::uint32_t number)
    {
        SharedList list;
        list.m_contents = std::make_shared<Contents>(std::move(maker), number);
        return list;
    }
    operator const std::vector<T> &() const { return values(); } // NOLINT(google-explicit-constructor): likewise

    [[nodiscard]] const std::vector<T> &values() const
    {
        static const std::vector<T> kNone;
        return m_contents ? m_contents->read() : kNone;
    }
    [[nodiscard]] const_iterator begin() const { return values().begin(); }
    [[nodiscard]] const_iterator end() const { return values().end(); }
    [[nodiscard]] std::size_t size() const { return values().size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] const T &operator[](std::size_t index) const { return values()[index]; }
    [[nodiscard]] const T &at(std::size_t index) const { return values().at(index); }
    [[nodiscard]] const T &front() const { return values().front(); }
    [[nodiscard]] const T &back() const { return values().back(); }
    // It was read before, or made at once.
    [[nodiscard]] bool isMade() const { return m_contents == nullptr || m_contents->isMade(); }
    // Both are one list in memory.
    [[nodiscard]] bool isSameAs(const SharedList &other) const { return m_contents == other.m_contents; }

    void push_back(T value) { edit().push_back(std::move(value)); }
    template <class... Arguments>
    void emplace_back(Arguments &&...arguments)
    {
        edit().emplace_back(std::forward<Arguments>(arguments)...);
    }
    // Copies come to have lists of their own.
    [[nodiscard]] std::vector<T> &edit()
    {
        if (m_contents == nullptr)
            m_contents = std::make_shared<Contents>(std::vector<T>());
        else if (m_contents.use_count() > 1)
            m_contents = std::make_shared<Contents>(std::vector<T>(m_contents->read()));
        return m_contents->read();
    }

    friend bool operator==(const SharedList &a, const SharedList &b) { return a.isSameAs(b) || a.values() == b.values(); }

private:
    class Contents {
    public:
        explicit Contents(std::vector<T> values) : m_values(std::move(values)) {}
        Contents(std::shared_ptr<const ListMaker<T>> maker, std::uint32_t number)
            : m_maker(std::move(maker)), m_number(number), m_isLate(true)
        {
        }
        std::vector<T> &read()
        {
            if (m_isLate)
                std::call_once(m_made, [this] {
                    m_values = m_maker->make(m_number);
                    m_maker.reset();
                    m_isMade.store(true, std::memory_order_release);
                });
            return m_values;
        }
        [[nodiscard]] bool isMade() const { return !m_isLate || m_isMade.load(std::memory_order_acquire); }

    private:
        std::vector<T> m_values;
        std::shared_ptr<const ListMaker<T>> m_maker; // null: they are made
        std::uint32_t m_number = 0;
        bool m_isLate = false;
        std::atomic<bool> m_isMade = false;
        std::once_flag m_made;
    };

    std::shared_ptr<Contents> m_contents; // null: empty
};

} // namespace sw
