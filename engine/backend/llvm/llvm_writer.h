#pragma once
// Writes the body of one kernel as LLVM IR. Only the renderer uses it.

#include "engine/backend/backend.h"
#include "engine/backend/source/prelude.h"
#include "engine/backend/source/source_text.h"
#include "engine/ops/tensor_instructions.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class LlvmWriter {
public:
    LlvmWriter(const LoweredKernel &kernel, const PreludeTemplates &prelude, const DeviceInfo &device);

    [[nodiscard]] Result<Done> writeAll();

    [[nodiscard]] const SourceText &allocations() const { return m_allocations; }
    [[nodiscard]] const SourceText &body() const { return m_body; }
    [[nodiscard]] const std::string &helpers() const { return m_helpers.text(); }
    [[nodiscard]] const std::string &name(InstructionId id) const { return m_names[id.value]; }
    [[nodiscard]] const std::vector<std::string> &loopMetadata() const { return m_loopMetadata; }

private:
    struct OpenBlock {
        InstructionId opener;
        std::string entryLabel; // of the block before the loop
    };
    // A register: its text and its type.
    struct Value {
        std::string text;
        DType dtype = DType::I64;
        std::uint32_t lanes = 1;

        [[nodiscard]] std::string type() const;
    };

    [[nodiscard]] Result<Done> write(InstructionId id);
    void writeAllocation(InstructionId id);
    [[nodiscard]] Result<Done> writeSpecial(InstructionId id);
    void writeRange(InstructionId id);
    void writeEndRange(const Instruction &instruction);
    void writeIf(InstructionId id);
    void writeEndIf();
    void writeLoad(InstructionId id);
    void writeMaskedLoad(InstructionId id);
    void writePrefetch(InstructionId id);
    void writeStore(InstructionId id);
    void writeAddresses(InstructionId id);
    void writeScatteredLoad(InstructionId id);
    void writeScatteredStore(const Instruction &store);
    [[nodiscard]] Result<Done> writeAlu(InstructionId id);
    [[nodiscard]] Result<Done> writeCustom(InstructionId id);
    void writeVectorize(InstructionId id);
    [[nodiscard]] bool writeShuffle(InstructionId id);
    [[nodiscard]] Result<Done> writeIndexCheck(InstructionId id);

    // The register that holds an operand's value here; an accumulator is loaded first.
    [[nodiscard]] Value operand(InstructionId id);
    void define(InstructionId id, std::string text) { m_values[id.value] = std::move(text); }
    void defineRegister(InstructionId id, const Value &value);
    [[nodiscard]] std::string fresh(); // a name for a temporary value: "%t7"
    template <class... Args>
    [[nodiscard]] std::string assign(fmt::format_string<Args...> pattern, Args &&...args);
    void startBlock(std::string label);
    [[nodiscard]] std::string elementAddress(const Instruction &instruction);
    // The address of one lane of an access through a ptrcat.
    [[nodiscard]] std::string laneAddress(const Instruction &access, std::uint32_t lane);
    [[nodiscard]] bool isScattered(const Instruction &access) const;
    [[nodiscard]] std::string memoryFlags(const Instruction &instruction) const;
    [[nodiscard]] std::uint32_t alignmentOf(const Instruction &instruction) const;
    [[nodiscard]] Value fromMemory(Value raw);
    [[nodiscard]] Value toMemory(Value value);
    [[nodiscard]] Value broadcast(Value value, std::uint32_t lanes);

    // llvm_tiles.cpp
    struct TileShape {
        std::int64_t rows = 1;
        std::int64_t rowBytes = 4;
        bool operator==(const TileShape &) const = default;
    };
    void findTiles();
    [[nodiscard]] Result<Done> writeTile(InstructionId id);
    void writeDotProducts(InstructionId id, const TensorInstructionInfo &info);
    [[nodiscard]] std::string wordOf(InstructionId id);
    void writeTileAssign(const Instruction &assignment);
    [[nodiscard]] bool isTile(InstructionId id) const { return m_tiles.contains(id); }
    [[nodiscard]] std::string tileOperand(InstructionId id, const TileShape &shape);
    [[nodiscard]] std::string fromTile(InstructionId id);
    [[nodiscard]] std::string tileScratch(InstructionId id);
    [[nodiscard]] std::string tileLoad(const TileShape &shape, std::string_view address);
    void tileStore(const TileShape &shape, std::string_view address, std::string_view tile);

    // llvm_casts.cpp
    [[nodiscard]] Value cast(const Value &from, DType to);
    [[nodiscard]] Value castFloat(const Value &from, DType to);
    [[nodiscard]] Value castInteger(const Value &from, DType to);
    [[nodiscard]] Value narrowFloat(const Value &from, DType to);
    [[nodiscard]] Value bitcast(const Value &from, DType to);
    [[nodiscard]] Value convert(std::string_view operation, const Value &from, DType to);
    [[nodiscard]] Value callHelper(std::string_view helper, const Value &from, DType to);

    const LoweredKernel &m_kernel;
    std::uint32_t m_tensorInstructions;         // of the device
    bool m_hasF16;                              // likewise
    std::map<InstructionId, TileShape> m_tiles; // what stands in tile registers
    PreludeInstances m_helpers;
    SourceText m_allocations;
    SourceText m_body;
    std::vector<std::string> m_names;
    std::vector<std::string> m_values; // by instruction: the text of its value
    std::vector<OpenBlock> m_open;
    std::vector<std::string> m_loopMetadata;
    std::string m_block = "entry";
    std::map<std::uint32_t, std::vector<std::string>> m_addresses; // by ptrcat: the address of each lane
    std::uint32_t m_nextTemporary = 0;
    std::uint32_t m_nextCheck = 0;
};

template <class... Args>
std::string LlvmWriter::assign(fmt::format_string<Args...> pattern, Args &&...args)
{
    std::string name = fresh();
    m_body.line("{} = {}", name, fmt::format(pattern, std::forward<Args>(args)...));
    return name;
}

} // namespace sw
