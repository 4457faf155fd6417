#pragma once
// Operators against their definition: a draw makes a node with random inputs and attributes, and what its results must be,
// computed element by element from ONNX's text and from nothing else.

#include "tests/unit/onnx/operator_fixture.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <vector>

namespace sw::test {

using Places = std::vector<std::int64_t>; // an index, or extents

// A dense tensor of numbers, which are those of its type.
struct Numbers {
    Places extents;
    std::vector<double> elements;
    DType dtype = DType::F32;

    [[nodiscard]] std::size_t rank() const { return extents.size(); }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
    [[nodiscard]] double &at(const Places &place) { return elements.at(flat(place)); }
    [[nodiscard]] double at(const Places &place) const { return elements.at(flat(place)); }
    // The element that NumPy's broadcasting has at a place of a larger tensor.
    [[nodiscard]] double broadcastAt(const Places &place) const;
    [[nodiscard]] std::size_t flat(const Places &place) const;
    [[nodiscard]] HostTensor tensor() const; // floats are rounded to the type, integers wrap
};

[[nodiscard]] std::int64_t productOf(const Places &extents);
[[nodiscard]] Numbers filled(Places extents, double value, DType dtype = DType::F32);
[[nodiscard]] Numbers listOf(const Places &values, DType dtype = DType::I64);
[[nodiscard]] Numbers numberOf(double value, DType dtype = DType::F32);
// NumPy's; the extents must fit.
[[nodiscard]] Places broadcastOf(const Places &a, const Places &b);
// Calls for every place, the last axis fastest.
void forEach(const Places &extents, const std::function<void(const Places &)> &call);
// A tensor whose elements are those of the function of the place.
[[nodiscard]] Numbers computed(Places extents, DType dtype, const std::function<double(const Places &)> &element);
[[nodiscard]] Places without(Places places, std::size_t axis);

class Draw {
public:
    explicit Draw(std::uint32_t seed) : m_random(seed) {}

    std::int64_t number(std::int64_t low, std::int64_t high);
    bool chance(int percent) { return number(1, 100) <= percent; }
    template <class T>
    T oneOf(std::initializer_list<T> values)
    {
        return values.begin()[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(values.size()) - 1))];
    }
    Places extents(std::int64_t lowRank, std::int64_t highRank, std::int64_t low = 1, std::int64_t high = 4);
    // Extents that broadcast to the given ones.
    Places broadcastTo(const Places &extents);
    // Quarters or, of integers, whole numbers from -reach to reach (from 0 if the type has no sign).
    Numbers numbers(Places extents, DType dtype = DType::F32, int reach = 6);
    // All of them different.
    Numbers different(Places extents, DType dtype = DType::F32);
    std::int64_t axis(std::size_t rank) { return number(-static_cast<std::int64_t>(rank), static_cast<std::int64_t>(rank) - 1); }
    DType floatType() { return oneOf({DType::F32, DType::F32, DType::F16, DType::F64, DType::BF16}); }

private:
    std::mt19937 m_random;
};

[[nodiscard]] inline std::size_t wrapped(std::int64_t axis, std::size_t rank)
{
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

struct Drawn {
    OperatorText text;
    std::vector<Numbers> inputs = {};
    std::vector<Numbers> outputs = {};
    double relative = 0;   // how far floats may be off, of the larger of 1 and the number; 0: what the type allows
    std::string note = {}; // the attributes, for a failure
};

// Draws some rounds and checks them with the reference interpreter, the first ones also on llvm, through the whole compiler; all
// of them on the devices of STEPWELL_DEFINITIONS_ON ("llvm,c,opencl") in the environment. A failure names the round and what was
// drawn.
void checkDefinition(const std::function<Drawn(Draw &)> &draw, int rounds = 30);

} // namespace sw::test
