#include "engine/lowered/round_share.h"

#include <algorithm>
#include <map>
#include <vector>

namespace sw {

namespace {

constexpr int kMostVisits = 1024;                           // of instructions: one that is used twice is looked at twice
constexpr double kMostRounds = 1 << 12;                     // that are gone through
constexpr std::int64_t kMostFactor = std::int64_t{1} << 31; // so that products of factors and rounds have 63 bits

struct Linear {
    std::map<InstructionId, std::int64_t> factors = {}; // by counter
    std::int64_t constant = 0;
};

bool isLarge(std::int64_t number)
{
    return number > kMostFactor || number < -kMostFactor;
}

// a + factor * b; nothing: a number is too large.
std::optional<Linear> combined(Linear a, const Linear &b, std::int64_t factor)
{
    if (isLarge(factor))
        return std::nullopt;
    a.constant += factor * b.constant;
    bool fits = !isLarge(a.constant);
    for (const auto &[counter, own] : b.factors) {
        std::int64_t &sum = a.factors[counter];
        sum += factor * own;
        fits = fits && !isLarge(sum);
    }
    return fits ? std::optional(std::move(a)) : std::nullopt;
}

class RoundCounter {
public:
    RoundCounter(const LoweredKernel &kernel, std::span<const OpenLoop> open) : m_kernel(kernel), m_open(open) {}

    std::optional<double> share(std::span<const InstructionId> conditions)
    {
        if (!std::ranges::all_of(conditions, [&](InstructionId condition) { return collect(condition); }))
            return std::nullopt;
        std::map<InstructionId, std::int64_t> rounds;
        for (const Linear &one : m_conditions)
            for (const auto &[counter, factor] : one.factors) {
                const auto known = roundsOf(counter);
                if (!known || *known <= 0 || *known > kMostFactor)
                    return std::nullopt;
                rounds[counter] = *known;
            }
        m_counters.assign(rounds.begin(), rounds.end());
        if (m_counters.empty())
            return std::nullopt;
        // The longest loop is not gone through: where it is in range follows from the others.
        std::ranges::sort(m_counters, std::ranges::greater(), [](const auto &each) { return each.second; });
        double others = 1;
        double all = static_cast<double>(m_counters.front().second);
        for (const auto &[counter, count] : std::span(m_counters).subspan(1))
            others *= static_cast<double>(count);
        if (others > kMostRounds)
            return std::nullopt;
        all *= others;
        std::vector<std::int64_t> reached;
        for (const Linear &one : m_conditions)
            reached.push_back(one.constant);
        return held(m_counters.size() - 1, reached) / all;
    }

private:
    // The conditions as sums that are at most 0.
    bool collect(InstructionId id)
    {
        const Instruction &condition = m_kernel.instruction(id);
        if (condition.kind != InstructionKind::Alu || condition.lanes != 1 || --m_visitsLeft < 0)
            return false;
        if (condition.op == Op::And && condition.dtype == DType::Bool)
            return collect(condition.operands[0]) && collect(condition.operands[1]);
        if (condition.op != Op::Cmple && condition.op != Op::Cmplt)
            return false;
        const std::optional<Linear> left = linear(condition.operands[0]);
        const std::optional<Linear> right = linear(condition.operands[1]);
        std::optional<Linear> sum = left && right ? combined(*left, *right, -1) : std::nullopt;
        if (!sum)
            return false;
        sum->constant += condition.op == Op::Cmplt ? 1 : 0;
        m_conditions.push_back(*std::move(sum));
        return true;
    }

    [[nodiscard]] std::optional<Linear> linear(InstructionId id)
    {
        const Instruction &value = m_kernel.instruction(id);
        if (--m_visitsLeft < 0 || value.lanes != 1 || value.dtype != DType::I64)
            return std::nullopt;
        if (value.kind == InstructionKind::Const)
            return combined({}, {.constant = value.constants.front().asInt()}, 1);
        if (roundsOf(id))
            return Linear{.factors = {{id, 1}}};
        if (value.kind != InstructionKind::Alu || value.operands.size() != 2)
            return std::nullopt;
        const std::optional<Linear> a = linear(value.operands[0]);
        const std::optional<Linear> b = a ? linear(value.operands[1]) : std::nullopt;
        if (!b)
            return std::nullopt;
        if (value.op == Op::Add || value.op == Op::Sub)
            return combined(*a, *b, value.op == Op::Add ? 1 : -1);
        if (value.op == Op::Mul && (a->factors.empty() || b->factors.empty()))
            return a->factors.empty() ? combined({}, *b, a->constant) : combined({}, *a, b->constant);
        return std::nullopt;
    }

    // Of a loop that is open, or the work items along an axis.
    [[nodiscard]] std::optional<std::int64_t> roundsOf(InstructionId counter) const
    {
        const auto loop = std::ranges::find(m_open, counter, &OpenLoop::counter);
        if (loop != m_open.end())
            return loop->rounds;
        const Instruction &instruction = m_kernel.instruction(counter);
        const auto axis = static_cast<std::size_t>(instruction.special);
        return instruction.kind == InstructionKind::Special && axis < m_kernel.globalSize.size()
                   ? std::optional(m_kernel.globalSize[axis])
                   : std::nullopt;
    }

    [[nodiscard]] static std::int64_t factorOf(const Linear &condition, InstructionId counter)
    {
        const auto found = condition.factors.find(counter);
        return found == condition.factors.end() ? 0 : found->second;
    }

    // In how many rounds of the counters up to `last` all conditions hold, where the others have reached so much of each sum.
    [[nodiscard]] double held(std::size_t last, const std::vector<std::int64_t> &reached) const
    {
        const auto &[counter, rounds] = m_counters[last];
        if (last == 0)
            return heldAlong(counter, rounds, reached);
        double sum = 0;
        std::vector<std::int64_t> next = reached;
        for (std::int64_t round = 0; round < rounds; ++round) {
            sum += held(last - 1, next);
            for (std::size_t i = 0; i < next.size(); ++i)
                next[i] += factorOf(m_conditions[i], counter);
        }
        return sum;
    }

    // factor * round + reached <= 0 for all conditions.
    [[nodiscard]] double heldAlong(InstructionId counter, std::int64_t rounds, const std::vector<std::int64_t> &reached) const
    {
        std::int64_t first = 0;
        std::int64_t end = rounds;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const std::int64_t factor = factorOf(m_conditions[i], counter);
            if (factor == 0 && reached[i] > 0)
                return 0;
            if (factor > 0) // round <= -reached / factor
                end = std::min(end, reached[i] > 0 ? 0 : -reached[i] / factor + 1);
            else if (factor < 0 && reached[i] > 0) // round >= reached / -factor
                first = std::max(first, (reached[i] - factor - 1) / -factor);
        }
        return static_cast<double>(std::max<std::int64_t>(end - first, 0));
    }

    const LoweredKernel &m_kernel;
    std::span<const OpenLoop> m_open;
    int m_visitsLeft = kMostVisits;
    std::vector<Linear> m_conditions;
    std::vector<std::pair<InstructionId, std::int64_t>> m_counters; // with their rounds, the most first
};

} // namespace

std::optional<double> shareOfRounds(const LoweredKernel &kernel, std::span<const OpenLoop> open,
                                    std::span<const InstructionId> conditions)
{
    return RoundCounter(kernel, open).share(conditions);
}

} // namespace sw
