#pragma once
// Where the numbers of a program go wrong: which operation first makes a NaN, an infinity or a subnormal number, and how many
// bits every value has lost against the same computation in f64.

#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// A node with a float value.
struct NodeHealth {
    std::uint32_t node = 0;
    std::string label;      // "exp", "x"
    std::string type;       // "f32[4, 8]"
    std::uint32_t line = 0; // of the program; 0: none
    std::int64_t elements = 0;
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t subnormals = 0;
    std::optional<std::int64_t> nanAt; // the first one
    std::optional<std::int64_t> infinityAt;
    std::optional<std::int64_t> subnormalAt;
    // No operand has any.
    bool startsNan = false;
    bool startsInfinity = false;
    bool startsSubnormal = false;
    // The most that an element has lost: log2 of twice its distance from the f64 value in units of its last place. 0: it is the
    // f64 value, correctly rounded. All its bits: nothing is left of it; also where only one of the two is finite.
    double bitsLost = 0;
    double bitsLostBefore = 0; // of the operand that has lost most
    double bits = 0;           // of the type: 24 for f32
    std::optional<std::int64_t> worstAt;
    std::string worst;     // the value there
    std::string worstWide; // in f64
    std::vector<std::int64_t> shape;
};

enum class HealthKind : std::uint8_t { NotANumber, Infinity, Subnormal, LostBits };
[[nodiscard]] std::string_view nameOf(HealthKind kind); // "NaN", "infinite", "subnormal", "lost bits"

// A node where something begins.
struct HealthFinding {
    std::uint32_t node = 0;
    HealthKind kind = HealthKind::NotANumber;
    std::string text; // "1 of 32 elements is NaN, at [0, 3]"
};

struct HealthReport {
    std::vector<NodeHealth> nodes; // in the order of the graph
    std::string error;             // why there are none; also empty when it was stopped
};

inline constexpr double kUsualLostBits = 12; // half of an f32

// `values`: of graph.placeholders(), see interpretGraph. Keeps what later nodes need, and no more. onProgress receives how many
// of the graph's nodes are done; may be empty.
[[nodiscard]] Result<std::vector<NodeHealth>>
healthOf(const Graph &graph, std::span<const HostTensor> values, const std::stop_token &stop,
         const std::function<void(std::size_t done, std::size_t all)> &onProgress = {});

// What begins where, in the order of the graph. bits: a node counts when it lost more than that and no operand did.
[[nodiscard]] std::vector<HealthFinding> findingsOf(std::span<const NodeHealth> nodes, double bits);

// How many bits `own` (as a double) has lost against `wide`.
[[nodiscard]] double bitsLost(DType dtype, double own, double wide);

} // namespace sw
