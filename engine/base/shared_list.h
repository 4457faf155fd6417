#pragma once
// A list that its copies share until one of them is changed. Copying costs a count, not the contents: documents of neighbouring
// moments have almost everything in common.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace sw {

template <class T>
class SharedList {
public:
    using value_type = T;
    using const_iterator = typename std::vector<T>::const_iterator;
    using iterator = const_iterator; // what is shared is only read through it

    SharedList() = default;
    SharedList(std::initializer_list<T> values) : SharedList(std::vector<T>(values)) {}
    SharedList(std::vector<T> values) // NOLINT(google-explicit-constructor): it is a list like any other
        : m_values(values.empty() ? nullptr : std::make_shared<std::vector<T>>(std::move(values)))
    {
    }
    operator const std::vector<T> &() const { return values(); } // NOLINT(google-explicit-constructor): likewise

    [[nodiscard]] const std::vector<T> &values() const
    {
        static const std::vector<T> kNone;
        return m_values ? *m_values : kNone;
    }
    [[nodiscard]] const_iterator begin() const { return values().begin(); }
    [[nodiscard]] const_iterator end() const { return values().end(); }
    [[nodiscard]] std::size_t size() const { return m_values ? m_values->size() : 0; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] const T &operator[](std::size_t index) const { return (*m_values)[index]; }
    [[nodiscard]] const T &at(std::size_t index) const { return values().at(index); }
    [[nodiscard]] const T &front() const { return m_values->front(); }
    [[nodiscard]] const T &back() const { return m_values->back(); }
    // Both are one list in memory.
    [[nodiscard]] bool isSameAs(const SharedList &other) const { return m_values == other.m_values; }

    void push_back(T value) { edit().push_back(std::move(value)); }
    template <class... Arguments>
    void emplace_back(Arguments &&...arguments)
    {
        edit().emplace_back(std::forward<Arguments>(arguments)...);
    }
    // Copies come to have lists of their own.
    [[nodiscard]] std::vector<T> &edit()
    {
        if (m_values == nullptr)
            m_values = std::make_shared<std::vector<T>>();
        else if (m_values.use_count() > 1)
            m_values = std::make_shared<std::vector<T>>(*m_values);
        return *m_values;
    }

    friend bool operator==(const SharedList &a, const SharedList &b) { return a.isSameAs(b) || a.values() == b.values(); }

private:
    std::shared_ptr<std::vector<T>> m_values; // null: empty
};

} // namespace sw
