Helpers for generated C; see engine/backend/source/prelude.h for the format and c_types.h for the placeholders. The text is
compiled with wrapping integers (-fwrapv) and without contraction of floating-point expressions.

### sw_sdiv
// x / 0 is 0, and the most negative value divided by -1 wraps to itself.
static inline {T} sw_sdiv_{t}({T} a, {T} b)
{{
    const {mask} isZero = b == ({T})(0), isMinusOne = b == ({T})(-1);
    const {T} quotient = a / ((isZero | isMinusOne) ? ({T})(1) : b);
    const {T} wrapped = isMinusOne ? ({T})(-a) : quotient;
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
    return a % (b == ({T})(0) ? ({T})(1) : b);
}}

### sw_fmod
static inline {T} sw_fmod_{t}({T} a, {T} b)
{{
    {T} result;
    for (int lane = 0; lane < {lanes}; ++lane)
        (({S} *)&result)[lane] = __builtin_fmod{fsuffix}((({S} *)&a)[lane], (({S} *)&b)[lane]);
    return result;
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

### sw_le_ordered
// The fence: clang narrows a comparison of widened f16 values, then takes `0 <= x ? x : 0` for a maximum and loses -0.
static inline {b8} sw_le_ordered_{t}({T} a, {T} b)
{{
#pragma clang fp reassociate(on)
    const {T} fenced = __arithmetic_fence(a);
    return {to b8:fenced <= b} & ({b8})(1);
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
    return {to i:condition} != ({i})(0) ? a : b;
}}

### sw_shl
// 0 when the amount is negative or at least the width.
static inline {T} sw_shl_{t}({T} a, {T} amount)
{{
    const {mask} isValid = ({u})(amount) < ({u})({width});
    const {T} shifted = ({T})(({u})(a) << (isValid ? ({u})(amount) : ({u})(0)));
    return isValid ? shifted : ({T})(0);
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
    const {mask} isValid = ({u})(amount) < ({u})({width});
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

### sw_f64_to_f32_odd
// Rounds to odd, so that rounding once more to 16 bits gives what rounding the f64 at once would give.
static inline {f32} sw_f64_to_f32_odd_x{lanes}({f64} x)
{{
    const {f32} near = {to f32:x};
    const {f64} back = {to f64:near};
    const {u32} bits = {as u32 from f32:near};
    const {u32} isAbove = {to u32:__builtin_elementwise_abs(back) > __builtin_elementwise_abs(x)} & ({u32})(1);
    const {u32} isInexact = {to u32:(back != x) & (x == x)} & ({u32})(1);
    const {u32} chosen = isInexact != ({u32})(0) ? (bits - isAbove) | ({u32})(1) : bits;
    return {as f32 from u32:chosen};
}}

### sw_masked_load
typedef _Bool sw_mask_{t} __attribute__((ext_vector_type({lanes})));
static inline {T} sw_masked_load_{t}(const {S} *from, {b8} valid, {T} otherwise)
{{
    return __builtin_masked_load(__builtin_convertvector(valid, sw_mask_{t}), (const __typeof__(otherwise[0]) *)from, otherwise);
}}

### sw_index_check
// fault: how many indices were out of range, and the first of them.
static inline {b8} sw_index_check(int64_t index, int64_t bound, int64_t *fault)
{{
    if ((uint64_t)index < (uint64_t)bound)
        return 1;
    if (__atomic_fetch_add(fault, 1, __ATOMIC_RELAXED) == 0)
        fault[1] = index;
    return 0;
}}
