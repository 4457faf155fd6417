#pragma once
// The numbers of a card, as people read them.

#include "engine/api/why.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace sw {

[[nodiscard]] WhyNumber countOf(std::string name, std::int64_t count, std::string origin);
[[nodiscard]] WhyNumber bytesOf(std::string name, std::int64_t bytes, std::string origin);
[[nodiscard]] WhyNumber timeOf(std::string name, std::int64_t nanoseconds, std::string origin);
// With what the rule compared it with.
[[nodiscard]] WhyNumber numberOf(const DecisionNumber &number);

// The work of a kernel, and the time that it takes by the figures of its device.
[[nodiscard]] std::vector<WhyNumber> estimateNumbers(const KernelEstimate &estimate, const DeviceFigures &figures);

// The traffic that the decision saved or cost, and the time that it takes.
[[nodiscard]] WhyNumber trafficOf(const Schedule &schedule, const FusionDecision &decision);
[[nodiscard]] WhyNumber trafficTimeOf(const FusionDecision &decision, const DeviceFigures &figures);

} // namespace sw
