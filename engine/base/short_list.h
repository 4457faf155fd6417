#pragma once
// A list of a few small values that lie in the list itself: most lists of axes, strides and operands have no more than four, and
// there are thousands of them. Longer ones are vectors.

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace sw {

template <class T, std::size_t kFew>
    requires std::is_trivially_copyable_v<T>
class ShortList {
public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    ShortList() = default;
    explicit ShortList(std::span<const T> values) { assign(values); }
    ShortList(std::initializer_list<T> values) { assign(std::span(values.begin(), values.size())); }
    // NOLINTNEXTLINE(google-explicit-constructor): it is a list like any other
    ShortList(const std::vector<T> &values) { assign(values); }
    ShortList(const ShortList &other) : ShortList(std::span<const T>(other)) {}
    ShortList &operator=(const ShortList &other)
    {
        if (this != &other)
            assign(std::span<const T>(other));
        return *this;
    }
    ShortList(ShortList &&other) noexcept
        : m_few(other.m_few), m_many(std::move(other.m_many)), m_size(std::exchange(other.m_size, 0))
    {
    }
    ShortList &operator=(ShortList &&other) noexcept
    {
        m_few = other.m_few;
        m_many = std::move(other.m_many);
        m_size = std::exchange(other.m_size, 0);
        return *this;
    }
    ~ShortList() = default;

    [[nodiscard]] iterator begin() { return m_size <= kFew ? m_few.data() : m_many->data(); }
    [[nodiscard]] iterator end() { return begin() + m_size; }
    [[nodiscard]] const_iterator begin() const { return m_size <= kFew ? m_few.data() : m_many->data(); }
    [[nodiscard]] const_iterator end() const { return begin() + m_size; }
    [[nodiscard]] auto rbegin() const { return std::make_reverse_iterator(end()); }
    [[nodiscard]] auto rend() const { return std::make_reverse_iterator(begin()); }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] T &operator[](std::size_t index) { return begin()[index]; }
    [[nodiscard]] const T &operator[](std::size_t index) const { return begin()[index]; }
    [[nodiscard]] T &at(std::size_t index) { return *(begin() + checked(index)); }
    [[nodiscard]] const T &at(std::size_t index) const { return *(begin() + checked(index)); }
    [[nodiscard]] T &front() { return begin()[0]; }
    [[nodiscard]] const T &front() const { return begin()[0]; }
    [[nodiscard]] T &back() { return begin()[m_size - 1]; }
    [[nodiscard]] const T &back() const { return begin()[m_size - 1]; }

    void push_back(const T &value)
    {
        const T own = value; // it may be one of the list's
        if (m_size == kFew)
            m_many = std::make_unique<std::vector<T>>(m_few.begin(), m_few.end());
        if (m_size < kFew)
            m_few[m_size] = own;
        else
            m_many->push_back(own);
        ++m_size;
    }
    void pop_back()
    {
        --m_size;
        if (m_size == kFew) // they come back
            std::ranges::copy_n(m_many->begin(), kFew, m_few.begin());
        else if (m_size > kFew)
            m_many->pop_back();
    }
    void push_front(const T &value)
    {
        push_back(value);
        std::rotate(begin(), end() - 1, end());
    }
    // Takes away what is behind the first ones.
    void shorten(std::size_t size)
    {
        while (m_size > size)
            pop_back();
    }

    friend bool operator==(const ShortList &a, const ShortList &b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

private:
    void assign(std::span<const T> values)
    {
        m_size = values.size();
        if (m_size <= kFew)
            std::ranges::copy(values, m_few.begin());
        else
            m_many = std::make_unique<std::vector<T>>(values.begin(), values.end());
    }
    [[nodiscard]] std::size_t checked(std::size_t index) const
    {
        if (index >= m_size)
            throw std::out_of_range("an index beyond the end of a short list");
        return index;
    }

    std::array<T, kFew> m_few = {};
    std::unique_ptr<std::vector<T>> m_many; // all of them, when there are more
    std::size_t m_size = 0;
};

} // namespace sw
