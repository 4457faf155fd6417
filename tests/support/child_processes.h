#pragma once
// The processes that this one has started, and that still run.

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace sw::test {

[[nodiscard]] inline std::vector<pid_t> childProcesses()
{
    std::vector<pid_t> found;
    std::error_code error; // a thread may end meanwhile
    for (std::filesystem::directory_iterator at("/proc/self/task", error); !error && at != std::filesystem::directory_iterator();
         at.increment(error)) {
        std::ifstream list(at->path() / "children");
        for (pid_t id = 0; list >> id;)
            found.push_back(id);
    }
    return found;
}

} // namespace sw::test
