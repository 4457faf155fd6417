#pragma once
// The counter-based generators Threefry (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011),
// over any type of word that has +, ^, + of a constant and rotatedLeft(word, bits): machine words here, graph nodes in the pass
// that writes the generators out. Words are in the order of Random123; its known answers serve as tests.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sw {

// Random123's own stream, which for 2x32 is also JAX's, or OCANNL's, whose 4x32 uses the rotations of 2x32.
enum class RandomStream : std::uint8_t { Random123, Ocannl };
enum class ThreefryVariant : std::uint8_t { TwoByThirtyTwo, FourByThirtyTwoCrypto, FourByThirtyTwoLight };

inline constexpr std::uint32_t kThreefryParity = 0x1bd11bdaU;
inline constexpr std::uint32_t kThreefryRounds = 20;
inline constexpr std::uint32_t kThreefryLightRounds = 2;

[[nodiscard]] constexpr std::uint32_t rotatedLeft(std::uint32_t word, std::uint32_t bits)
{
    return std::rotl(word, static_cast<int>(bits));
}

namespace threefry {

using Rotations = std::array<std::array<std::uint32_t, 2>, 8>;

inline constexpr std::array<std::uint32_t, 8> kRotations2x32 = {13, 15, 26, 6, 17, 29, 16, 24};
// By round modulo 8: the rotations of the two pairs.
inline constexpr Rotations kRandom123 = {{{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}}};
inline constexpr Rotations kOcannl = {{{13, 15}, {26, 6}, {17, 29}, {16, 24}, {13, 15}, {26, 6}, {17, 29}, {16, 24}}};

template <class Word>
void mix(Word &a, Word &b, std::uint32_t rotation)
{
    a = a + b;
    b = rotatedLeft(b, rotation) ^ a;
}

// Rounds on pairs of words. The key is injected after every `injectEvery`th round (Random123: every fourth), and the injection
// number is added to the last word.
template <class Word>
std::array<Word, 4> rounds4x32(const std::array<Word, 4> &key, const std::array<Word, 4> &counter, const Rotations &rotations,
                               std::uint32_t rounds, std::uint32_t injectEvery)
{
    // Two statements, since operands may be made in either order, and each makes a node of the graph.
    const Word low = key[0] ^ key[1];
    const Word high = key[2] ^ key[3];
    const std::array<Word, 5> keys = {key[0], key[1], key[2], key[3], (low ^ high) ^ kThreefryParity};
    std::array<Word, 4> x = {counter[0] + keys[0], counter[1] + keys[1], counter[2] + keys[2], counter[3] + keys[3]};
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const auto &rotation = rotations.at(round % rotations.size());
        const bool isStraight = round % 2 == 0;
        mix(x[0], x[isStraight ? 1 : 3], rotation[0]);
        mix(x[2], x[isStraight ? 3 : 1], rotation[1]);
        if ((round + 1) % injectEvery != 0)
            continue;
        const std::uint32_t injection = (round + 1) / injectEvery;
        for (std::size_t i = 0; i < x.size(); ++i)
            x.at(i) = x.at(i) + keys.at((i + injection) % keys.size());
        x[3] = x[3] + injection;
    }
    return x;
}

} // namespace threefry

template <class Word>
std::array<Word, 2> threefry2x32(const std::array<Word, 2> &key, const std::array<Word, 2> &counter,
                                 std::uint32_t rounds = kThreefryRounds)
{
    const std::array<Word, 3> keys = {key[0], key[1], (key[0] ^ key[1]) ^ kThreefryParity};
    std::array<Word, 2> x = {counter[0] + keys[0], counter[1] + keys[1]};
    for (std::uint32_t round = 0; round < rounds; ++round) {
        threefry::mix(x[0], x[1], threefry::kRotations2x32.at(round % threefry::kRotations2x32.size()));
        if ((round + 1) % 4 != 0)
            continue;
        const std::uint32_t injection = (round + 1) / 4;
        x[0] = x[0] + keys.at(injection % keys.size());
        x[1] = x[1] + keys.at((injection + 1) % keys.size()) + injection;
    }
    return x;
}

// Random123's threefry4x32 with the given number of rounds.
template <class Word>
std::array<Word, 4> threefry4x32(const std::array<Word, 4> &key, const std::array<Word, 4> &counter, std::uint32_t rounds)
{
    return threefry::rounds4x32(key, counter, threefry::kRandom123, rounds, 4);
}

// Crypto: 20 rounds of Random123, or of OCANNL, each of which is two rounds, with the key injected after every fourth. Light: 2
// rounds, after which the key is injected once.
template <class Word>
std::array<Word, 4> threefry4x32(ThreefryVariant variant, RandomStream stream, const std::array<Word, 4> &key,
                                 const std::array<Word, 4> &counter)
{
    const bool isLight = variant == ThreefryVariant::FourByThirtyTwoLight;
    if (stream == RandomStream::Ocannl) {
        const std::uint32_t rounds = 2 * (isLight ? kThreefryLightRounds : kThreefryRounds);
        return threefry::rounds4x32(key, counter, threefry::kOcannl, rounds, isLight ? rounds : 8);
    }
    if (isLight)
        return threefry::rounds4x32(key, counter, threefry::kRandom123, kThreefryLightRounds, kThreefryLightRounds);
    return threefry4x32(key, counter, kThreefryRounds);
}

} // namespace sw
