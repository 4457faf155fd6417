#pragma once
// Builds a kernel one instruction at a time. Every helper takes the origin of what it makes and asserts that types, lanes
// and structure fit, so that a mistake shows where it is made.

#include "engine/lowered/known_values.h"
#include "engine/lowered/lowered.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sw {

// What a DefineGlobal says about its buffer.
struct GlobalBuffer {
    BufferId buffer;
    DType dtype = DType::F32;
    std::int64_t elements = 0;
    bool isWritten = false;
    std::string name = {};
};

// How a Load or Store touches memory.
struct AccessOptions {
    bool isAligned = false;
    MemoryHint hint = MemoryHint::None;
};

class LoweredBuilder {
public:
    // Once: what was computed in a scope that is still open is not computed again, if it depends on nothing that changes.
    enum class Values : std::uint8_t { AsTold, Once };

    // frame: names, sizes and origin; new instructions go after those that it has.
    explicit LoweredBuilder(LoweredKernel frame, Values values = Values::AsTold);

    // Adds any instruction whose operands fit; the helpers below end here.
    InstructionId add(Instruction instruction);

    InstructionId defineGlobal(const Origin &origin, GlobalBuffer buffer); // the next argument
    InstructionId buffer(const Origin &origin, DType dtype, std::int64_t elements, std::string name = {});
    InstructionId local(const Origin &origin, DType dtype, std::int64_t elements, std::string name = {});
    InstructionId acc(const Origin &origin, DType dtype, std::uint32_t lanes = 1, std::string name = {});
    InstructionId constant(const Origin &origin, const Scalar &value, std::uint32_t lanes = 1);
    InstructionId index(const Origin &origin, std::int64_t value); // an i64 constant
    InstructionId vconst(const Origin &origin, std::vector<Scalar> values);
    InstructionId special(const Origin &origin, SpecialIndex index);

    InstructionId beginRange(const Origin &origin, InstructionId extent, std::string name = {});
    InstructionId beginRange(const Origin &origin, std::int64_t extent, std::string name = {});
    // A loop whose body the device's compiler repeats `copies` times per round.
    InstructionId beginUnroll(const Origin &origin, std::int64_t extent, std::int64_t copies, std::string name = {});
    void endRange(const Origin &origin); // the innermost open scope, which must be a range or unroll
    void beginIf(const Origin &origin, InstructionId condition);
    void endIf(const Origin &origin);
    void beginBlock(const Origin &origin, std::string name);
    void endBlock(const Origin &origin);
    void barrier(const Origin &origin);

    // Makes addresses of elements of memory, for a load or store with that many lanes.
    InstructionId ptrcat(const Origin &origin, InstructionId memory, std::vector<InstructionId> indices);
    // memory: memory, or a ptrcat with as many lanes as the load; `at` is added to each of its addresses.
    InstructionId load(const Origin &origin, InstructionId memory, InstructionId at, std::uint32_t lanes = 1,
                       AccessOptions options = {});
    // Reads the dimension that memory holds.
    InstructionId defineVar(const Origin &origin, InstructionId memory, const SymbolicVariable &variable);
    // Has as many lanes as `otherwise`.
    InstructionId maskedLoad(const Origin &origin, InstructionId memory, InstructionId at, InstructionId valid,
                             InstructionId otherwise);
    InstructionId prefetch(const Origin &origin, InstructionId memory, InstructionId at);
    InstructionId store(const Origin &origin, InstructionId memory, InstructionId at, InstructionId value,
                        AccessOptions options = {});

    InstructionId alu(const Origin &origin, Op op, std::vector<InstructionId> operands);
    // a @ b + c on tiles, where a and c have `rows` rows.
    InstructionId wmma(const Origin &origin, InstructionId a, InstructionId b, InstructionId c, std::int64_t rows);
    InstructionId custom(const Origin &origin, DType dtype, std::string name, std::string source,
                         std::vector<InstructionId> operands);
    InstructionId cast(const Origin &origin, DType dtype, InstructionId value);    // the value itself when it has that type
    InstructionId bitcast(const Origin &origin, DType dtype, InstructionId value); // as above
    InstructionId vectorize(const Origin &origin, std::vector<InstructionId> scalars);
    InstructionId broadcast(const Origin &origin, InstructionId scalar, std::uint32_t lanes); // itself for one lane
    InstructionId gep(const Origin &origin, InstructionId vector, std::uint32_t lane);
    // Lane i is lane lanes[i] of a and b, one after the other.
    InstructionId shuffle(const Origin &origin, InstructionId a, InstructionId b, std::span<const std::uint32_t> lanes);
    void assign(const Origin &origin, InstructionId accumulator, InstructionId value);
    InstructionId indexCheck(const Origin &origin, InstructionId at, std::int64_t bound, std::int32_t axis);

    // The instruction now also stands for another one, whose origin is added to its own.
    void addOrigin(InstructionId id, const Origin &origin);

    [[nodiscard]] const Instruction &at(InstructionId id) const { return m_kernel.instruction(id); }
    [[nodiscard]] const LoweredKernel &kernel() const { return m_kernel; }
    // Returns the kernel; every block must be closed. The builder is empty afterwards.
    [[nodiscard]] LoweredKernel take();

private:
    LoweredKernel m_kernel;
    Values m_values;
    std::vector<InstructionId> m_open;
    KnownValues m_known;
};

} // namespace sw
