#pragma once
// Where and when a session was made, and of what.

#include "engine/api/explorer.h"
#include "engine/api/session_file/session_contents.h"

#include <string>
#include <vector>

namespace sw {

// "2 processors, Linux 6.1 x86_64, c: clang-22": where the times were taken. devices: those that are known here.
[[nodiscard]] std::string machineText(const std::vector<DeviceEntry> &devices, const std::string &device);
[[nodiscard]] std::string timeTextNow(); // "2026-11-22T21:15:00Z"

// Keeps the bytes of the program's file, or only its digest and size when it has more than mostBytes.
void keepProgram(SessionContents &contents, std::string program, std::uint64_t mostBytes);

} // namespace sw
