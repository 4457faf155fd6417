Helpers for generated OpenCL C; see engine/backend/source/prelude.h for the format and c_types.h for the placeholders. A comparison
of vectors gives -1 where it holds, of scalars 1; signed overflow is undefined, so signed arithmetic goes through unsigned.

### sw_add
static inline {T} sw_add_{t}({T} a, {T} b)
{{
    return {as T from u:({u})({as u:a} + {as u:b})};
}}

### sw_sub
static inline {T} sw_sub_{t}({T} a, {T} b)
{{
    return {as T from u:({u})({as u:a} - {as u:b})};
}}

### sw_mul
static inline {T} sw_mul_{t}({T} a, {T} b)
{{
    return {as T from u:({u})({as u:a} * {as u:b})};
}}

### sw_neg
static inline {T} sw_neg_{t}({T} a)
{{
    return {as T from u:({u})(({u})(0) - {as u:a})};
}}

### sw_abs
// The most negative value is itself. Not abs(), which PoCL 3.1 takes for never negative and folds away what follows.
static inline {T} sw_abs_{t}({T} a)
{{
    const {mask} isNegative = a < ({T})(0);
    const {u} bits = {as u:a};
    const {u} magnitude = isNegative ? ({u})(({u})(0) - bits) : bits;
    return {as T from u:magnitude};
}}

### sw_sdiv: sw_neg
// x / 0 is 0, and the most negative value divided by -1 wraps to itself.
static inline {T} sw_sdiv_{t}({T} a, {T} b)
{{
    const {mask} isZero = b == ({T})(0), isMinusOne = b == ({T})(-1);
    const {T} quotient = a / ((isZero | isMinusOne) ? ({T})(1) : b);
    const {T} wrapped = isMinusOne ? sw_neg_{t}(a) : quotient;
    return isZero ? ({T})(0) : wrapped;
}}

### sw_udiv
// x / 0 is 0.
static inline {T} sw_udiv_{t}({T} a, {T} b)
{{
    const {mask} isZero = b == ({T})(0);
    const {T} quotient = a / (isZero ? ({T})(1) : b);
    return isZero ? ({T})(0) : quotient;
}}

### sw_smod
// The remainder has the dividend's sign; it is 0 for the divisors 0 and -1.
static inline {T} sw_smod_{t}({T} a, {T} b)
{{
    const {mask} isSpecial = (b == ({T})(0)) | (b == ({T})(-1));
    return a % (isSpecial ? ({T})(1) : b);
}}

### sw_umod
// x mod 0 is 0.
static inline {T} sw_umod_{t}({T} a, {T} b)
{{
    const {mask} isZero = b == ({T})(0);
    return a % (isZero ? ({T})(1) : b);
}}

### sw_fmod
// Lane by lane: PoCL 3.1's own fmod of vectors of double is wrong for subnormal divisors.
static inline {T} sw_fmod_{t}({T} a, {T} b)
{{
    {T} result;
    for (int lane = 0; lane < {lanes}; ++lane)
        (({S} *)&result)[lane] = fmod((({S} *)&a)[lane], (({S} *)&b)[lane]);
    return result;
}}

### sw_signed_like
static inline {T} sw_signed_like_{t}({T} magnitude, {T} x)
{{
    const {u} sign = ({u})(1) << ({u})({width} - 1);
    return {as T from u:({as u:magnitude} & ~sign) | ({as u:x} & sign)};
}}

### sw_round: sw_signed_like
// To nearest even; NaN, infinities and what has no fraction stay as they are. Not rint(), floor(), ceil() and trunc(): PoCL 3.1
// converts to an integer in them, which is undefined where the value does not fit, so of a constant it may leave out the kernel.
static inline {T} sw_round_{t}({T} x)
{{
    const {T} whole = ({T})(({S})({width} == 64 ? 0x1p52f : 0x1p23f)), magnitude = fabs(x);
    const {mask} hasFraction = magnitude < whole;
    const {T} rounded = (magnitude + whole) - whole;
    return sw_signed_like_{t}(hasFraction ? rounded : magnitude, x);
}}

### sw_floor: sw_round
static inline {T} sw_floor_{t}({T} x)
{{
    const {T} rounded = sw_round_{t}(x);
    const {mask} isAbove = rounded > x;
    return sw_signed_like_{t}(isAbove ? rounded - ({T})(1) : rounded, x);
}}

### sw_ceil: sw_round
static inline {T} sw_ceil_{t}({T} x)
{{
    const {T} rounded = sw_round_{t}(x);
    const {mask} isBelow = rounded < x;
    return sw_signed_like_{t}(isBelow ? rounded + ({T})(1) : rounded, x);
}}

### sw_trunc: sw_round
static inline {T} sw_trunc_{t}({T} x)
{{
    const {T} rounded = sw_round_{t}(x);
    const {mask} isBeyond = fabs(rounded) > fabs(x);
    return sw_signed_like_{t}(isBeyond ? fabs(rounded) - ({T})(1) : rounded, x);
}}

### sw_max
// NaN if either operand is NaN; +0 is larger than -0.
static inline {T} sw_max_{t}({T} a, {T} b)
{{
    const {mask} isNan = (a != a) | (b != b), isEqual = a == b;
    const {T} larger = a < b ? b : a;
    const {T} equal = {as T from u:{as u:a} & {as u:b}};
    return isNan ? a + b : (isEqual ? equal : larger);
}}

### sw_min
// NaN if either operand is NaN; -0 is smaller than +0.
static inline {T} sw_min_{t}({T} a, {T} b)
{{
    const {mask} isNan = (a != a) | (b != b), isEqual = a == b;
    const {T} smaller = b < a ? b : a;
    const {T} equal = {as T from u:{as u:a} | {as u:b}};
    return isNan ? a + b : (isEqual ? equal : smaller);
}}

### sw_lt
static inline {b8} sw_lt_{t}({T} a, {T} b)
{{
    return {to b8:a < b} & ({b8})(1);
}}

### sw_le
static inline {b8} sw_le_{t}({T} a, {T} b)
{{
    return {to b8:a <= b} & ({b8})(1);
}}

### sw_eq
static inline {b8} sw_eq_{t}({T} a, {T} b)
{{
    return {to b8:a == b} & ({b8})(1);
}}

### sw_ne
static inline {b8} sw_ne_{t}({T} a, {T} b)
{{
    return {to b8:a != b} & ({b8})(1);
}}

### sw_where
static inline {T} sw_where_{t}({b8} condition, {T} a, {T} b)
{{
    const {i} chosen = {to i:condition};
    return chosen != ({i})(0) ? a : b;
}}

### sw_shl
// 0 when the amount is negative or at least the width.
static inline {T} sw_shl_{t}({T} a, {T} amount)
{{
    const {u} distance = {as u:amount};
    const {mask} isValid = distance < ({u})({width});
    const {u} shifted = {as u:a} << (isValid ? distance : ({u})(0));
    return isValid ? {as T from u:shifted} : ({T})(0);
}}

### sw_lshr
// 0 when the amount is at least the width.
static inline {T} sw_lshr_{t}({T} a, {T} amount)
{{
    const {mask} isValid = amount < ({T})({width});
    const {T} shifted = a >> (isValid ? amount : ({T})(0));
    return isValid ? shifted : ({T})(0);
}}

### sw_ashr
// The sign in every bit when the amount is negative or at least the width.
static inline {T} sw_ashr_{t}({T} a, {T} amount)
{{
    const {mask} isValid = {as u:amount} < ({u})({width});
    return a >> (isValid ? amount : ({T})({width} - 1));
}}

### sw_truncate
// Float to integer: out of range saturates, NaN gives 0.
static inline {I} sw_truncate_{t}_{I}({T} x)
{{
    const {mask} isAbove = x >= {beyond}, isBelow = x <= {low};
    const {mask} isInside = (x < {beyond}) & (x > {low});
    {I} result = {to I:isInside ? x : ({T})(0)};
    result = {mask I:isAbove} ? {max} : result;
    return {mask I:isBelow} ? {min} : result;
}}

### sw_bf16_to_f32
// The bits of a bf16 are the upper half of an f32.
static inline {f32} sw_bf16_to_f32_x{lanes}({bf16} bits)
{{
    const {u32} upper = {to u32:bits} << ({u32})(16);
    return {as f32 from u32:upper};
}}

### sw_f32_to_bf16
// Rounds to nearest even; NaN keeps its sign and upper payload and becomes quiet.
static inline {bf16} sw_f32_to_bf16_x{lanes}({f32} x)
{{
    const {u32} bits = {as u32 from f32:x};
    const {u32} upper = bits >> ({u32})(16);
    const {u32} rounded = (bits + (upper & ({u32})(1)) + ({u32})(0x7fff)) >> ({u32})(16);
    const {u32} chosen = x != x ? upper | ({u32})(64) : rounded;
    return {to bf16:chosen};
}}

### sw_f16_to_f32
// By integer bits and one exact product, since not every device has half: 2^112 moves the exponent's bias.
static inline {f32} sw_f16_to_f32_x{lanes}({f16} half_bits)
{{
    const {u32} bits = {to u32:half_bits};
    const {u32} sign = (bits & ({u32})(0x8000)) << ({u32})(16);
    const {u32} magnitude = (bits & ({u32})(0x7fff)) << ({u32})(13);
    const {f32} scaled = {as f32 from u32:magnitude} * ({f32})(0x1p112f);
    const {u32} finite = {as u32 from f32:scaled};
    const {u32} special = magnitude | ({u32})(0x7f800000);
    const {u32} chosen = magnitude >= ({u32})(0x0f800000) ? special : finite;
    return {as f32 from u32:sign | chosen};
}}

### sw_f32_to_f16
// Rounds to nearest even; adding one half rounds to multiples of 2^-24, which are the subnormals.
static inline {f16} sw_f32_to_f16_x{lanes}({f32} x)
{{
    const {u32} bits = {as u32 from f32:x};
    const {u32} magnitude = bits & ({u32})(0x7fffffff);
    const {u32} nan = ({u32})(0x7e00) | ((magnitude >> ({u32})(13)) & ({u32})(0x1ff));
    const {f32} shifted = {as f32 from u32:magnitude} + ({f32})(0.5f);
    const {u32} small = {as u32 from f32:shifted} - ({u32})(0x3f000000);
    const {u32} rebiased = magnitude - ({u32})(0x38000000);
    const {u32} normal = (rebiased + ({u32})(0xfff) + ((rebiased >> ({u32})(13)) & ({u32})(1))) >> ({u32})(13);
    const {u32} finite = magnitude < ({u32})(0x38800000) ? small : normal;
    const {u32} bounded = magnitude >= ({u32})(0x477ff000) ? ({u32})(0x7c00) : finite;
    const {u32} chosen = magnitude > ({u32})(0x7f800000) ? nan : bounded;
    return {to f16:chosen | ((bits >> ({u32})(16)) & ({u32})(0x8000))};
}}

### sw_f64_to_f32_odd
// Rounds to odd, so that rounding once more to 16 bits gives what rounding the f64 at once would give.
static inline {f32} sw_f64_to_f32_odd_x{lanes}({f64} x)
{{
    const {f32} nearest = {to f32:x};
    const {f64} back = {to f64:nearest};
    const {u32} bits = {as u32 from f32:nearest};
    const {u32} isAbove = {to u32:fabs(back) > fabs(x)} & ({u32})(1);
    const {u32} isInexact = {to u32:(back != x) & (x == x)} & ({u32})(1);
    const {u32} chosen = isInexact != ({u32})(0) ? (bits - isAbove) | ({u32})(1) : bits;
    return {as f32 from u32:chosen};
}}

### sw_masked_load
// Touches only the elements whose lane is valid. Callers look first whether all are; the rest is rare, and PoCL translates it once for
// all callers instead of once for each.
#ifdef POCL_DEVICE_ADDRESS_BITS
__attribute__((noinline))
#endif
static {T} sw_masked_load_{where}_{t}({space}const {S} *from, {b8} valid, {T} otherwise)
{{
    {S} lanes_[{lanes}];
    uchar valid_[{lanes}];
    vstore{n}(otherwise, 0, lanes_);
    vstore{n}(valid, 0, valid_);
    for (int lane_ = 0; lane_ < {lanes}; ++lane_)
        if (valid_[lane_])
            lanes_[lane_] = from[lane_];
    return vload{n}(0, lanes_);
}}

### sw_stream
// Past the caches, where the driver's compiler has such stores.
static inline void sw_stream_{t}(__global {T} *at, {T} value)
{{
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define SW_HAS_STREAM
#endif
#endif
#ifdef SW_HAS_STREAM
    __builtin_nontemporal_store(value, at);
#else
    *at = value;
#endif
}}

### sw_prefetch
// OpenCL's own function does nothing in PoCL, whose compiler has another one.
static inline void sw_prefetch_{t}(__global const {T} *at)
{{
#ifdef POCL_DEVICE_ADDRESS_BITS
    __builtin_prefetch((const void *)(size_t)at);
#else
    prefetch(at, 1);
#endif
}}

### sw_index_check
// fault: how many indices were out of range, and the first of them. Devices may have no atomics of 64 bits, so whoever fills the
// lower half of the count carries into the upper one.
static inline uchar sw_index_check(long index, long bound, __global long *fault)
{{
    if ((ulong)index < (ulong)bound)
        return 1;
    volatile __global uint *const count = (volatile __global uint *)fault;
#ifdef __ENDIAN_LITTLE__
    const int lower = 0;
#else
    const int lower = 1;
#endif
    const uint before = atomic_inc(count + lower);
    if (before == 0xffffffffU)
        atomic_inc(count + (1 - lower));
    if (before == 0 && count[1 - lower] == 0)
        fault[1] = index;
    return 0;
}}
