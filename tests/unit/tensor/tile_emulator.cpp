#include "tests/unit/tensor/tile_emulator.h"

#if defined(__linux__) && defined(__x86_64__)

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ucontext.h>

namespace sw::test {

namespace {

constexpr int kTiles = 8;
constexpr int kRows = 16;
constexpr int kRowBytes = 64;

struct Tile {
    int rows = 0;
    int rowBytes = 0;
    std::array<std::array<std::uint8_t, kRowBytes>, kRows> data{};
};
thread_local std::array<Tile, kTiles> tiles;

// The fields of an instruction with a three-byte VEX prefix (C4) of the opcode map 0F38; Intel's manual, volume 2, 2.3.5.
struct Decoded {
    int prefix = 0; // 0: none, 1: 66, 2: F3, 3: F2
    int opcode = 0;
    int second = 0; // vvvv
    int mode = 0;
    int reg = 0;
    int rm = 0;
    std::uint64_t base = 0;  // of the memory operand, with its displacement
    std::uint64_t index = 0; // scaled: the distance of rows
    int length = 0;
};

std::uint64_t registerAt(const greg_t *registers, int number)
{
    constexpr std::array kOrder = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uint64_t>(registers[kOrder.at(static_cast<std::size_t>(number))]);
}

bool decode(const std::uint8_t *code, const greg_t *registers, Decoded &made)
{
    if (code[0] != 0xC4 || (code[1] & 0x1F) != 2)
        return false;
    const int x = (code[1] & 0x40) != 0 ? 0 : 8;
    const int b = (code[1] & 0x20) != 0 ? 0 : 8;
    made.second = (~code[2] >> 3) & 0xF;
    made.prefix = code[2] & 3;
    made.opcode = code[3];
    made.mode = code[4] >> 6;
    made.reg = (code[4] >> 3) & 7;
    made.rm = code[4] & 7;
    made.length = 5;
    if (made.mode == 3)
        return true;
    bool hasBase = true;
    int base = made.rm + b;
    if (made.rm == 4) {
        const std::uint8_t sib = code[made.length++];
        base = (sib & 7) + b;
        hasBase = (sib & 7) != 5 || made.mode != 0;
        if (const int index = ((sib >> 3) & 7) + x; index != 4)
            made.index = registerAt(registers, index) << (sib >> 6);
    } else if (made.mode == 0 && made.rm == 5) {
        hasBase = false;
    }
    std::int64_t displacement = 0;
    if (made.mode == 1) {
        displacement = static_cast<std::int8_t>(code[made.length]);
        made.length += 1;
    } else if (made.mode == 2 || !hasBase) {
        std::int32_t wide = 0;
        std::memcpy(&wide, code + made.length, sizeof wide);
        displacement = wide;
        made.length += 4;
    }
    made.base = static_cast<std::uint64_t>(displacement);
    if (hasBase)
        made.base += registerAt(registers, base);
    else if (made.rm == 5)
        made.base += reinterpret_cast<std::uint64_t>(code) + static_cast<std::uint64_t>(made.length);
    return true;
}

void configure(const std::uint8_t *from)
{
    for (int i = 0; i < kTiles; ++i) {
        Tile tile;
        std::uint16_t rowBytes = 0;
        std::memcpy(&rowBytes, from + 16 + 2 * i, sizeof rowBytes);
        tile.rowBytes = rowBytes;
        tile.rows = from[48 + i];
        tiles.at(static_cast<std::size_t>(i)) = tile;
    }
}

void move(const Decoded &what, Tile &tile)
{
    for (int row = 0; row < kRows; ++row) {
        auto *memory = reinterpret_cast<std::uint8_t *>(what.base + static_cast<std::uint64_t>(row) * what.index);
        auto &data = tile.data.at(static_cast<std::size_t>(row));
        const bool isInside = row < tile.rows;
        if (what.prefix != 2)
            data.fill(0);
        if (isInside && what.prefix == 2)
            std::memcpy(memory, data.data(), static_cast<std::size_t>(tile.rowBytes));
        else if (isInside)
            std::memcpy(data.data(), memory, static_cast<std::size_t>(tile.rowBytes));
    }
}

// Sums and factors of four bytes: the product of the neighbours in them is added to the sum.
template <class Sum, class Product>
void multiply(Tile &sums, const Tile &left, const Tile &right, Product product)
{
    for (int m = 0; m < sums.rows; ++m) {
        for (int n = 0; n < sums.rowBytes / 4; ++n) {
            Sum sum{};
            std::uint8_t *place = sums.data.at(static_cast<std::size_t>(m)).data() + 4 * n;
            std::memcpy(&sum, place, sizeof sum);
            for (int k = 0; k < left.rowBytes / 4; ++k)
                sum += product(left.data.at(static_cast<std::size_t>(m)).data() + 4 * k,
                               right.data.at(static_cast<std::size_t>(k)).data() + 4 * n);
            std::memcpy(place, &sum, sizeof sum);
        }
    }
}

float halfFloat(const std::uint8_t *from)
{
    const std::uint32_t bits = static_cast<std::uint32_t>(from[0]) << 16 | static_cast<std::uint32_t>(from[1]) << 24;
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class A, class B>
void multiplyBytes(Tile &sums, const Tile &left, const Tile &right)
{
    multiply<std::uint32_t>(sums, left, right, [](const std::uint8_t *a, const std::uint8_t *b) {
        std::int32_t sum = 0;
        for (int i = 0; i < 4; ++i)
            sum += static_cast<A>(a[i]) * static_cast<B>(b[i]);
        return static_cast<std::uint32_t>(sum);
    });
}

bool execute(const Decoded &what)
{
    Tile &first = tiles.at(static_cast<std::size_t>(what.reg));
    const Tile &left = tiles.at(static_cast<std::size_t>(what.rm));
    const Tile &right = tiles.at(static_cast<std::size_t>(what.second & 7));
    if (what.opcode == 0x49 && what.mode != 3 && what.prefix == 0)
        configure(reinterpret_cast<const std::uint8_t *>(what.base));
    else if (what.opcode == 0x49 && what.mode == 3 && what.prefix == 0)
        tiles = {};
    else if (what.opcode == 0x49 && what.mode == 3 && what.prefix == 3)
        first.data = {};
    else if (what.opcode == 0x4B && what.mode != 3 && what.prefix != 0)
        move(what, first);
    else if (what.opcode == 0x5C && what.prefix == 2)
        multiply<float>(first, left, right, [](const std::uint8_t *a, const std::uint8_t *b) {
            return halfFloat(a) * halfFloat(b) + halfFloat(a + 2) * halfFloat(b + 2);
        });
    else if (what.opcode == 0x5E && what.prefix == 3)
        multiplyBytes<std::int8_t, std::int8_t>(first, left, right);
    else if (what.opcode == 0x5E && what.prefix == 2)
        multiplyBytes<std::int8_t, std::uint8_t>(first, left, right);
    else if (what.opcode == 0x5E && what.prefix == 1)
        multiplyBytes<std::uint8_t, std::int8_t>(first, left, right);
    else if (what.opcode == 0x5E)
        multiplyBytes<std::uint8_t, std::uint8_t>(first, left, right);
    else
        return false;
    return true;
}

void onIllegalInstruction(int, siginfo_t *, void *context)
{
    greg_t *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    Decoded what;
    if (decode(reinterpret_cast<const std::uint8_t *>(registers[REG_RIP]), registers, what) && execute(what))
        registers[REG_RIP] += what.length;
    else
        std::signal(SIGILL, SIG_DFL); // it is illegal indeed, and happens again
}

} // namespace

bool emulateTileInstructions()
{
    struct sigaction action{};
    action.sa_sigaction = &onIllegalInstruction;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGILL, &action, nullptr) == 0;
}

} // namespace sw::test

#else

namespace sw::test {

bool emulateTileInstructions()
{
    return false;
}

} // namespace sw::test

#endif
