#pragma once
// Writes the body of a kernel in C with Clang's vector types, or in OpenCL C. Only the two renderers use it.

#include "engine/backend/source/c_types.h"
#include "engine/backend/source/source_text.h"
#include "engine/lowered/lowered.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class CWriter {
public:
    CWriter(const LoweredKernel &kernel, TargetLanguage language, const PreludeTemplates &prelude);

    [[nodiscard]] Result<Done> writeAll();

    [[nodiscard]] const SourceText &body() const { return m_body; }
    [[nodiscard]] const std::string &helpers() const { return m_helpers.text(); }
    [[nodiscard]] CTypes &types() { return m_types; }
    // "const f32 *restrict x", one per argument.
    [[nodiscard]] std::vector<std::string> parameters();

private:
    struct Value {
        std::string text;
        DType dtype = DType::I64;
        std::uint32_t lanes = 1;
    };

    [[nodiscard]] Result<Done> write(InstructionId id);
    void writeMemory(InstructionId id);
    void writeSpecial(InstructionId id);
    void writeRange(InstructionId id);
    void writeLoad(InstructionId id);
    void writeMaskedLoad(InstructionId id);
    void writePrefetch(InstructionId id);
    void writeStore(InstructionId id);
    [[nodiscard]] Result<Done> writeAlu(InstructionId id);
    [[nodiscard]] Result<Done> writeCustom(InstructionId id);
    void writeVectorize(InstructionId id);
    void writeGep(InstructionId id);
    void writeShuffle(InstructionId id);
    void writeIndexCheck(InstructionId id);
    void writeAddresses(InstructionId id);

    [[nodiscard]] Value operand(InstructionId id) const;
    // "const f32x4 v7 = ...;"
    void declare(InstructionId id, std::string_view expression);
    [[nodiscard]] std::string loadExpression(const Instruction &load);
    [[nodiscard]] static std::string laneOf(const Value &vector, std::int64_t lane);
    // The element that one lane of an access through a ptrcat reads or writes.
    [[nodiscard]] std::string laneAddress(const Instruction &access, std::uint32_t lane) const;
    [[nodiscard]] bool isScattered(const Instruction &access) const;
    // The vector can be taken as one of its type, which has an address that is a multiple of its bytes: in C at most of
    // kMemoryAlignment, in OpenCL always. One of three elements takes the space of four.
    [[nodiscard]] bool isWhole(const Instruction &access, std::uint32_t lanes) const;
    [[nodiscard]] std::string address(const Instruction &access);
    [[nodiscard]] std::string vectorPointer(const Instruction &access, std::string_view type, bool isConst) const;
    [[nodiscard]] std::string_view spaceOf(InstructionId memory) const;
    [[nodiscard]] bool isOpenCl() const { return m_language == TargetLanguage::OpenCl; }
    [[nodiscard]] const std::string &name(InstructionId id) const { return m_names[id.value]; }

    // c_casts.cpp
    [[nodiscard]] Value cast(const Value &from, DType to);
    [[nodiscard]] Value castFloat(const Value &from, DType to);
    [[nodiscard]] Value narrowFloat(const Value &from, DType to);
    [[nodiscard]] Value castInteger(const Value &from, DType to);
    [[nodiscard]] Value helperCall(std::string_view helper, const Value &from, DType to);
    [[nodiscard]] Value isNotZero(const Value &from);
    [[nodiscard]] Value plain(const Value &from, DType to);

    const LoweredKernel &m_kernel;
    TargetLanguage m_language;
    CTypes m_types;
    PreludeInstances m_helpers;
    SourceText m_body;
    std::vector<std::string> m_names;
    std::vector<std::string> m_values;
    std::map<std::uint32_t, std::vector<std::string>> m_addresses; // by ptrcat: each lane's index
    std::uint32_t m_nextCheck = 0;
};

} // namespace sw
