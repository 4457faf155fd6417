#pragma once
// How far the median of measured times may be off, without any assumption about their distribution: times have long tails and
// several peaks, so that means and standard deviations say little.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sw {

inline constexpr double kTimeConfidence = 0.95;
// Of the claim that two programs differ in time. Higher than that of a single time, because people act on it.
inline constexpr double kDifferenceConfidence = 0.99;

// Which of n sorted samples, counted from 0, bound the median.
struct BandRanks {
    std::size_t low = 0;
    std::size_t high = 0;
    double confidence = 0; // that the median lies between the two; less than wanted if n is too small
};

// The k-th smallest and the k-th largest of n independent samples enclose the median with the probability that k to n - k of them
// lie below it, which is binomial with p = 1/2 (David and Nagaraja, Order Statistics, 7.1). Takes the closest pair that is
// confident enough; if none is, the smallest and the largest. n: at least 1 (asserts).
[[nodiscard]] BandRanks medianRanks(std::size_t n, double confidence);

struct MedianBand {
    double low = 0;
    double median = 0; // with an even number of samples, the lower middle one
    double high = 0;
    double confidence = 0;
    std::size_t samples = 0;

    // Half of the band's width, as a part of the median; 0 for a median of 0.
    [[nodiscard]] double precision() const;
};
// At least one sample (asserts).
[[nodiscard]] MedianBand medianBand(std::vector<double> samples, double confidence);

// The times of two programs that were run in turn, round by round.
struct TurnTimes {
    std::span<const double> before;
    std::span<const double> after; // as many
};
// after / before. Two rounds that follow each other, A B and B A, make one ratio of their sums, so that a machine which becomes
// slower or faster in the course of them does not count, nor which of the two runs first. At least one round (asserts); the last
// of an odd number counts only if it is the only one.
[[nodiscard]] MedianBand ratioBand(const TurnTimes &times);

enum class Difference : unsigned char { Unknown, WithinNoise, Faster, Slower };
// Faster and slower: the whole band is on one side of 1. Unknown: too few rounds to be confident of anything.
[[nodiscard]] Difference differenceOf(const MedianBand &ratio);
// "4.2 % faster (3.1 % to 5.0 %)", "2.10 times the time (2.05 to 2.12)",
// "the difference is within noise (0.6 % faster to 1.1 % slower)", "too few runs to tell a difference (4 pairs of rounds, of at
// least 8)"
[[nodiscard]] std::string differenceText(const MedianBand &ratio);

} // namespace sw
