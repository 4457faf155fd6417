#pragma once
// The parts of a session that are JSON; private to session_file.cpp.

#include "engine/api/session_file/session_contents.h"
#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace sw {

// All but the report, the rewrites, the program and the tensors. A tensor is named by its number among `tensors`.
[[nodiscard]] std::string sessionJson(const SessionContents &contents);
// tensors: inputs/N.npy and outputs/N.npy, in their order.
struct SessionTensors {
    std::vector<HostTensor> inputs;
    std::vector<HostTensor> outputs;
};
[[nodiscard]] Result<SessionContents> parseSessionJson(std::string_view text, const std::string &file,
                                                       const SessionTensors &tensors);

[[nodiscard]] std::string rewritesJson(const std::vector<PassRewrites> &rewrites);
// passes: how many the report has.
[[nodiscard]] Result<std::vector<PassRewrites>> parseRewritesJson(std::string_view text, const std::string &file,
                                                                  std::size_t passes);

// The tensors of contents, in the order in which sessionJson names them.
[[nodiscard]] SessionTensors tensorsOf(const SessionContents &contents);

} // namespace sw
