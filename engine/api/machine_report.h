#pragma once
// The loops, registers and simulated throughput of machine code, as text and as JSON.

#include "engine/execute/opened_device.h"
#include "engine/lowered/lowered.h"

#include <span>
#include <string>

namespace sw {

class JsonWriter;

// What one kernel's machine code says, as lines that begin with "; ".
[[nodiscard]] std::string machineReport(const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel);
// As an object; the name of the kernel is in it.
void writeMachineReport(JsonWriter &json, const MachineCode &code, const RenderedSource &source, const LoweredKernel &kernel);

} // namespace sw
