#pragma once
// One function per command, each in a file named after it.

#include "app/commands/command.h"

namespace sw::command {

[[nodiscard]] Outcome devices(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome check(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome passes(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome show(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome run(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome bench(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome compare(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome convert(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome roofline(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome sweep(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome timeline(const Arguments &arguments, const Environment &environment);
// compare --first-divergence
[[nodiscard]] Outcome compareWithReference(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome diff(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome edit(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome reproduce(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome matrix(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome reduce(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome explain(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome health(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome info(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome report(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome save(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome tune(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome trace(const Arguments &arguments, const Environment &environment);
[[nodiscard]] Outcome values(const Arguments &arguments, const Environment &environment);

} // namespace sw::command
