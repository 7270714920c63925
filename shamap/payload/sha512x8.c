//go:build cgo && linux

// SHA-512 of eight messages at a time: every 512-bit register holds one word
// of eight states. The round function is FIPS 180-4's; AVX-512 gives rotation
// and three-input logic in one instruction each.

#include "sha512.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw")))
#define INLINE static inline __attribute__((always_inline)) TARGET

// Eight registers of eight words become their transpose.
INLINE void transpose(__m512i r[8]) {
	__m512i t[8], u[8];
	for (int i = 0; i < 8; i += 2) {
		t[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);
	}
	for (int i = 0; i < 8; i += 4)
		for (int j = 0; j < 2; j++) {
			u[i + j] = _mm512_shuffle_i64x2(t[i + j], t[i + j + 2], 0x88);
			u[i + j + 2] = _mm512_shuffle_i64x2(t[i + j], t[i + j + 2], 0xdd);
		}
	for (int j = 0; j < 4; j++) {
		r[j] = _mm512_shuffle_i64x2(u[j], u[j + 4], 0x88);
		r[j + 4] = _mm512_shuffle_i64x2(u[j], u[j + 4], 0xdd);
	}
}

INLINE void load(__m512i w[16], const uint8_t *const p[8]) {
	const __m512i swap = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < 8; i++)
			w[8 * half + i] = _mm512_shuffle_epi8(_mm512_loadu_si512(p[i] + 64 * half), swap);
		transpose(w + 8 * half);
	}
}

#define ROR(x, n) _mm512_ror_epi64(x, n)
#define XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define ADD(a, b) _mm512_add_epi64(a, b)
#define ROUND(a, b, c, d, e, f, g, h, kw)                                                                \
	do {                                                                                                 \
		__m512i x = ADD(ADD(h, kw), ADD(XOR3(ROR(e, 14), ROR(e, 18), ROR(e, 41)),                          \
		                                _mm512_ternarylogic_epi64(e, f, g, 0xca)));                        \
		d = ADD(d, x);                                                                                   \
		h = ADD(x, ADD(XOR3(ROR(a, 28), ROR(a, 34), ROR(a, 39)), _mm512_ternarylogic_epi64(a, b, c, 0xe8))); \
	} while (0)
#define KW(i) ADD(w[i], _mm512_set1_epi64(k[i]))
#define NEXT(i)                                                                                          \
	w[i] = ADD(ADD(w[i], w[(i + 9) & 15]),                                                               \
	           ADD(XOR3(ROR(w[(i + 1) & 15], 1), ROR(w[(i + 1) & 15], 8), _mm512_srli_epi64(w[(i + 1) & 15], 7)), \
	               XOR3(ROR(w[(i + 14) & 15], 19), ROR(w[(i + 14) & 15], 61), _mm512_srli_epi64(w[(i + 14) & 15], 6))))

// One block of eight messages; only the lanes in m take the result.
static TARGET void block(__m512i st[8], const uint8_t *const p[8], __mmask8 m) {
	__m512i w[16];
	load(w, p);
	__m512i a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
	const uint64_t *k = K;
	ROUNDS8(0, NONE) ROUNDS8(8, NONE)
	for (k = K + 16; k < K + 80; k += 16) {
		ROUNDS8(0, SCHED) ROUNDS8(8, SCHED)
	}
	st[0] = _mm512_mask_add_epi64(st[0], m, st[0], a);
	st[1] = _mm512_mask_add_epi64(st[1], m, st[1], b);
	st[2] = _mm512_mask_add_epi64(st[2], m, st[2], c);
	st[3] = _mm512_mask_add_epi64(st[3], m, st[3], d);
	st[4] = _mm512_mask_add_epi64(st[4], m, st[4], e);
	st[5] = _mm512_mask_add_epi64(st[5], m, st[5], f);
	st[6] = _mm512_mask_add_epi64(st[6], m, st[6], g);
	st[7] = _mm512_mask_add_epi64(st[7], m, st[7], h);
}

TARGET void ll_half8(uint32_t n, const uint8_t *const msg[], const uint32_t *len, uint8_t *out) {
	padded x;
	pad(&x, 8, n, msg, len);
	__m512i st[8];
	for (int i = 0; i < 8; i++) st[i] = _mm512_set1_epi64(H0[i]);
	for (uint32_t b = 0; b < x.max; b++) {
		const uint8_t *p[8];
		uint32_t m = blocks(&x, 8, b, p);
		block(st, p, m);
	}
	const __m512i swap = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
	for (int i = 0; i < 8; i++) st[i] = _mm512_shuffle_epi8(st[i], swap);
	transpose(st);
	for (uint32_t i = 0; i < n; i++)
		_mm256_storeu_si256((__m256i *)(out + 32 * i), _mm512_castsi512_si256(st[i]));
}
#endif
