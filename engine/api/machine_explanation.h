#pragma once
// What a machine instruction does, in words: a sentence for its mnemonic, the registers that it reads and writes, its access to
// memory and what it costs.

#include "engine/api/stage_document.h"
#include "engine/backend/machine_code.h"

#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Fields for the tooltip and the inspector.
[[nodiscard]] std::vector<DocumentField> machineFields(const MachineInstruction &instruction, const MachineCode &code);

// The sentence for a mnemonic ("vaddps"); empty: there is none in engine/api/mnemonics.def.
[[nodiscard]] std::string mnemonicText(std::string_view mnemonic);

// The mnemonic of an instruction's text, without prefixes such as "lock" and "rep".
[[nodiscard]] std::string_view mnemonicOf(std::string_view text);

} // namespace sw
