//go:build cgo && linux

// SHA-512 of four messages at a time with AVX2, for processors without
// AVX-512: every 256-bit register holds one word of four states.

#include "sha512.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline)) TARGET

// Four registers of four words become their transpose.
INLINE void transpose(__m256i r[4]) {
	__m256i a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
	__m256i c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
	r[0] = _mm256_permute2x128_si256(a, c, 0x20);
	r[1] = _mm256_permute2x128_si256(b, d, 0x20);
	r[2] = _mm256_permute2x128_si256(a, c, 0x31);
	r[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

INLINE __m256i swapped(__m256i x) {
	return _mm256_shuffle_epi8(
		x, _mm256_broadcastsi128_si256(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)));
}

INLINE void load(__m256i w[16], const uint8_t *const p[4]) {
	for (int q = 0; q < 4; q++) {
		for (int i = 0; i < 4; i++) w[4 * q + i] = swapped(_mm256_loadu_si256((const __m256i *)(p[i] + 32 * q)));
		transpose(w + 4 * q);
	}
}

#define ADD(a, b) _mm256_add_epi64(a, b)
#define XOR(a, b) _mm256_xor_si256(a, b)
#define AND(a, b) _mm256_and_si256(a, b)
#define SHR(x, n) _mm256_srli_epi64(x, n)
#define ROR(x, n) XOR(SHR(x, n), _mm256_slli_epi64(x, 64 - (n)))
#define ROR8(x)                                                                                         \
	_mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi8(8, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1)))
#define XOR3(a, b, c) XOR(XOR(a, b), c)
#define ROUND(a, b, c, d, e, f, g, h, kw)                                                                \
	do {                                                                                                 \
		__m256i x = ADD(ADD(h, kw), ADD(XOR3(ROR(e, 14), ROR(e, 18), ROR(e, 41)), XOR(g, AND(e, XOR(f, g))))); \
		d = ADD(d, x);                                                                                   \
		__m256i ab = XOR(a, b);                                                                          \
		h = ADD(x, ADD(XOR3(ROR(a, 28), ROR(a, 34), ROR(a, 39)), XOR(b, AND(ab, bc))));                  \
		bc = ab;                                                                                         \
	} while (0)
#define KW(i) ADD(w[i], _mm256_set1_epi64x((long long)k[i]))
#define NEXT(i)                                                                                          \
	w[i] = ADD(ADD(w[i], w[(i + 9) & 15]),                                                               \
	           ADD(XOR3(ROR(w[(i + 1) & 15], 1), ROR8(w[(i + 1) & 15]), SHR(w[(i + 1) & 15], 7)),          \
	               XOR3(ROR(w[(i + 14) & 15], 19), ROR(w[(i + 14) & 15], 61), SHR(w[(i + 14) & 15], 6))))

// One block of four messages; only the lanes in m take the result.
static TARGET void block(__m256i st[8], const uint8_t *const p[4], uint32_t m) {
	__m256i w[16];
	load(w, p);
	__m256i a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
	__m256i bc = XOR(b, c);
	const uint64_t *k = K;
	ROUNDS8(0, NONE) ROUNDS8(8, NONE)
	for (k = K + 16; k < K + 80; k += 16) {
		ROUNDS8(0, SCHED) ROUNDS8(8, SCHED)
	}
	const __m256i on = _mm256_set_epi64x(-(long long)(m >> 3 & 1), -(long long)(m >> 2 & 1), -(long long)(m >> 1 & 1),
	                                     -(long long)(m & 1));
	const __m256i r[8] = {a, b, c, d, e, f, g, h};
	for (int i = 0; i < 8; i++) st[i] = ADD(st[i], AND(r[i], on));
}

TARGET void ll_half4(uint32_t n, const uint8_t *const msg[], const uint32_t *len, uint8_t *out) {
	padded x;
	pad(&x, 4, n, msg, len);
	__m256i st[8];
	for (int i = 0; i < 8; i++) st[i] = _mm256_set1_epi64x((long long)H0[i]);
	for (uint32_t b = 0; b < x.max; b++) {
		const uint8_t *p[4];
		uint32_t m = blocks(&x, 4, b, p);
		block(st, p, m);
	}
	for (int i = 0; i < 4; i++) st[i] = swapped(st[i]);
	transpose(st);
	for (uint32_t i = 0; i < n; i++) _mm256_storeu_si256((__m256i *)(out + 32 * i), st[i]);
}
#endif
