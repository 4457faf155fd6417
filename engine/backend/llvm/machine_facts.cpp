#include "engine/backend/llvm/machine_tools.h"
#include "engine/base/hash.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw {

namespace {

// The registers of a kind: the class that LLVM names so holds the widest ones.
struct RegisterRow {
    llvm::Triple::ArchType arch;
    const char *registerClass;
    RegisterKind kind;
    std::uint32_t count;
    const char *name;
    const char *feature; // that the processor must have; empty: none
};

// Wider classes first: a register belongs to the first class that holds it or one that contains it.
constexpr RegisterRow kRegisterRows[] = {
    {llvm::Triple::x86_64, "VR512", RegisterKind::Vector, 32, "zmm", "+avx512f"},
    {llvm::Triple::x86_64, "VR256", RegisterKind::Vector, 16, "ymm", "+avx"},
    {llvm::Triple::x86_64, "VR128", RegisterKind::Vector, 16, "xmm", ""},
    {llvm::Triple::x86_64, "VK64", RegisterKind::Mask, 8, "k", "+avx512f"},
    {llvm::Triple::x86_64, "GR64", RegisterKind::General, 16, "general", ""},
    {llvm::Triple::aarch64, "ZPR", RegisterKind::Vector, 32, "z", "+sve"},
    {llvm::Triple::aarch64, "FPR128", RegisterKind::Vector, 32, "v", ""},
    {llvm::Triple::aarch64, "PPR", RegisterKind::Mask, 16, "p", "+sve"},
    {llvm::Triple::aarch64, "GPR64all", RegisterKind::General, 32, "general", ""},
    {llvm::Triple::riscv64, "VR", RegisterKind::Vector, 32, "v", "+v"},
    {llvm::Triple::riscv64, "FPR64", RegisterKind::Scalar, 32, "f", ""},
    {llvm::Triple::riscv64, "GPR", RegisterKind::General, 31, "general", ""},
    {llvm::Triple::amdgcn, "VGPR_32", RegisterKind::Vector, 256, "v", ""},
    {llvm::Triple::amdgcn, "SGPR_32", RegisterKind::General, 102, "s", ""},
};

class FactReader {
public:
    FactReader(const MachineTools &tools, MachineCode &code);
    void read(const llvm::MCInst &decoded, MachineInstruction &made);

private:
    struct Row {
        const RegisterRow *row = nullptr;
        const llvm::MCRegisterClass *registers = nullptr;
    };
    [[nodiscard]] std::uint16_t unitOf(llvm::MCRegUnit unit);
    [[nodiscard]] RegisterUnit described(llvm::MCRegUnit unit) const;
    void add(std::set<std::uint16_t> &into, llvm::MCRegister reg);
    [[nodiscard]] bool isZeroed(const llvm::MCInst &decoded) const;
    void readOperands(const llvm::MCInst &decoded, MachineInstruction &made);
    void readFlow(const llvm::MCInst &decoded, MachineInstruction &made) const;
    void readCost(const llvm::MCInst &decoded, MachineInstruction &made) const;
    [[nodiscard]] std::uint64_t formOf(const llvm::MCInst &decoded) const;

    const MachineTools &m_tools;
    MachineCode &m_code;
    std::vector<Row> m_rows;
    std::map<unsigned, std::uint16_t> m_units; // LLVM's number of the unit -> ours
    std::map<std::string, std::uint16_t> m_wholes;
    std::uint64_t m_end = 0;
};

FactReader::FactReader(const MachineTools &tools, MachineCode &code) : m_tools(tools), m_code(code)
{
    const llvm::MCRegisterInfo &registers = *tools.registers;
    std::set<RegisterKind> kinds;
    for (const RegisterRow &row : kRegisterRows) {
        const bool isOurs = row.arch == tools.subtarget->getTargetTriple().getArch();
        if (!isOurs || (*row.feature != '\0' && !tools.subtarget->checkFeatures(row.feature)))
            continue;
        for (const llvm::MCRegisterClass &one : registers.regclasses())
            if (llvm::StringRef(registers.getRegClassName(&one)) == row.registerClass)
                m_rows.push_back({&row, &one});
        if (kinds.insert(row.kind).second)
            code.registers.push_back({row.kind, row.count, row.name});
    }
    if (!code.empty())
        m_end = code.instructions.back().address + code.instructions.back().bytes.size();
}

RegisterUnit FactReader::described(llvm::MCRegUnit unit) const
{
    const llvm::MCRegisterInfo &registers = *m_tools.registers;
    for (const Row &row : m_rows) {
        for (llvm::MCRegUnitRootIterator root(unit, &registers); root.isValid(); ++root) {
            for (const llvm::MCPhysReg reg : registers.superregs_inclusive(*root)) {
                const llvm::StringRef name = registers.getName(reg);
                if (row.registers->contains(reg) && name != "RIP") // of the class, but it holds no value
                    return {.name = name.lower(), .kind = row.row->kind};
            }
        }
    }
    return {.name = llvm::StringRef(registers.getName(*llvm::MCRegUnitRootIterator(unit, &registers))).lower()};
}

std::uint16_t FactReader::unitOf(llvm::MCRegUnit unit)
{
    const auto [found, isNew] = m_units.try_emplace(static_cast<unsigned>(unit), static_cast<std::uint16_t>(m_code.units.size()));
    if (isNew) {
        RegisterUnit made = described(unit);
        made.whole = m_wholes.try_emplace(made.name, found->second).first->second;
        m_code.units.push_back(std::move(made));
    }
    return found->second;
}

void FactReader::add(std::set<std::uint16_t> &into, llvm::MCRegister reg)
{
    if (!reg.isValid() || m_tools.registers->isConstant(reg))
        return;
    for (const llvm::MCRegUnit unit : m_tools.registers->regunits(reg))
        into.insert(unitOf(unit));
}

// "xor eax, eax" depends on nothing.
bool FactReader::isZeroed(const llvm::MCInst &decoded) const
{
    const unsigned count = decoded.getNumOperands();
    if (count < 2 || !m_tools.instructions->getName(decoded.getOpcode()).contains("XOR"))
        return false;
    const llvm::MCOperand &one = decoded.getOperand(count - 1);
    const llvm::MCOperand &other = decoded.getOperand(count - 2);
    return one.isReg() && other.isReg() && one.getReg() == other.getReg() && m_tools.subtarget->getTargetTriple().isX86();
}

void FactReader::readOperands(const llvm::MCInst &decoded, MachineInstruction &made)
{
    const llvm::MCInstrDesc &description = m_tools.instructions->get(decoded.getOpcode());
    std::set<std::uint16_t> reads;
    std::set<std::uint16_t> writes;
    const bool isZeroing = isZeroed(decoded);
    for (unsigned i = 0; i < decoded.getNumOperands(); ++i) {
        if (!decoded.getOperand(i).isReg())
            continue;
        const bool isWritten =
            i < description.getNumDefs() || (i >= description.getNumOperands() && description.variadicOpsAreDefs());
        if (isWritten)
            add(writes, decoded.getOperand(i).getReg());
        else if (!isZeroing)
            add(reads, decoded.getOperand(i).getReg());
    }
    for (const llvm::MCPhysReg reg : description.implicit_uses())
        add(reads, reg);
    for (const llvm::MCPhysReg reg : description.implicit_defs())
        add(writes, reg);
    made.reads.assign(reads.begin(), reads.end());
    made.writes.assign(writes.begin(), writes.end());
    made.isLoad = description.mayLoad();
    made.isStore = description.mayStore();
}

void FactReader::readFlow(const llvm::MCInst &decoded, MachineInstruction &made) const
{
    const llvm::MCInstrDesc &description = m_tools.instructions->get(decoded.getOpcode());
    // Where the same instruction jumps, calls and returns, its registers tell which.
    const llvm::MCInstrAnalysis *analysis = m_tools.analysis.get();
    const bool isReturn = analysis != nullptr ? analysis->isReturn(decoded) : description.isReturn();
    const bool isCall = analysis != nullptr ? analysis->isCall(decoded) : description.isCall();
    const bool isIndirect = analysis != nullptr ? analysis->isIndirectBranch(decoded) : description.isIndirectBranch();
    if (isReturn || description.isTrap() || isIndirect) {
        made.flow = MachineFlow::Leave;
        return;
    }
    if (isCall) {
        made.flow = MachineFlow::Call;
        return;
    }
    if (!(analysis != nullptr ? analysis->isBranch(decoded) : description.isBranch()))
        return;
    std::uint64_t target = 0;
    const bool isKnown =
        analysis != nullptr && analysis->evaluateBranch(decoded, made.address, made.bytes.size(), target) && target < m_end;
    if (isKnown)
        made.target = target;
    if (description.isBarrier())
        made.flow = isKnown ? MachineFlow::Jump : MachineFlow::Leave;
    else
        made.flow = isKnown ? MachineFlow::Branch : MachineFlow::Next;
}

void FactReader::readCost(const llvm::MCInst &decoded, MachineInstruction &made) const
{
    const llvm::MCSchedModel &model = m_tools.subtarget->getSchedModel();
    if (!model.hasInstrSchedModel())
        return;
    unsigned chosen = m_tools.instructions->get(decoded.getOpcode()).getSchedClass();
    while (chosen != 0 && model.getSchedClassDesc(chosen)->isVariant())
        chosen =
            m_tools.subtarget->resolveVariantSchedClass(chosen, &decoded, m_tools.instructions.get(), model.getProcessorID());
    const llvm::MCSchedClassDesc *costs = model.getSchedClassDesc(chosen);
    if (chosen == 0 || !costs->isValid())
        return;
    made.cost.microOps = costs->NumMicroOps;
    made.cost.latency =
        static_cast<std::uint32_t>(std::max(0, llvm::MCSchedModel::computeInstrLatency(*m_tools.subtarget, *costs)));
    made.cost.cycles = llvm::MCSchedModel::getReciprocalThroughput(*m_tools.subtarget, *costs);
}

// Registers and displacements are left out: of an x86 address, its numbers except the scale; elsewhere the last number of a load
// or store.
std::uint64_t FactReader::formOf(const llvm::MCInst &decoded) const
{
    const llvm::MCInstrDesc &description = m_tools.instructions->get(decoded.getOpcode());
    const bool isAccess = description.mayLoad() || description.mayStore();
    const bool isX86 = m_tools.subtarget->getTargetTriple().isX86();
    Hasher hash;
    hash.add(std::uint64_t{decoded.getOpcode()});
    for (unsigned i = 0; i < decoded.getNumOperands(); ++i) {
        const llvm::MCOperand &operand = decoded.getOperand(i);
        const bool isAddress =
            i < description.getNumOperands() && description.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY;
        const bool isDisplacement = operand.isImm() && (isX86 ? isAddress && i >= 2 && decoded.getOperand(i - 1).isReg() &&
                                                                    decoded.getOperand(i - 2).isImm()
                                                              : isAccess && i + 1 == decoded.getNumOperands());
        if (operand.isReg())
            hash.add(std::uint64_t{operand.getReg().isValid() ? 1U : 0U});
        else if (operand.isImm() && !isDisplacement)
            hash.add(static_cast<std::uint64_t>(operand.getImm()));
        else
            hash.add(std::uint64_t{2});
    }
    return hash.value();
}

void FactReader::read(const llvm::MCInst &decoded, MachineInstruction &made)
{
    readOperands(decoded, made);
    readFlow(decoded, made);
    readCost(decoded, made);
    made.form = formOf(decoded);
}

} // namespace

void addFacts(const MachineTools &tools, std::span<const llvm::MCInst> decoded, MachineCode &code)
{
    const llvm::MCSubtargetInfo &subtarget = *tools.subtarget;
    code.target = subtarget.getTargetTriple().getArchName().str() + ", " + subtarget.getCPU().str();
    FactReader reader(tools, code);
    for (std::size_t i = 0; i < decoded.size(); ++i)
        reader.read(decoded[i], code.instructions[i]);
}

} // namespace sw
