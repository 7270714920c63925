//go:build cgo && linux

// SHA-512 of eight messages at a time: every 512-bit register holds one word
// of eight states. The round function is FIPS 180-4's; AVX-512 gives rotation
// and three-input logic in one instruction each.

#include "cmem.h"
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw")))
#define INLINE static inline __attribute__((always_inline)) TARGET

static const uint64_t K[80] = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
	0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
	0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
	0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
	0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
	0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
	0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
	0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
	0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
	0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
	0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
	0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
	0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

static const uint64_t H0[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

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
#define ROUNDS8(o, S)                                                                                    \
	S(o) ROUND(a, b, c, d, e, f, g, h, KW(o));                                                           \
	S(o + 1) ROUND(h, a, b, c, d, e, f, g, KW(o + 1));                                                   \
	S(o + 2) ROUND(g, h, a, b, c, d, e, f, KW(o + 2));                                                   \
	S(o + 3) ROUND(f, g, h, a, b, c, d, e, KW(o + 3));                                                   \
	S(o + 4) ROUND(e, f, g, h, a, b, c, d, KW(o + 4));                                                   \
	S(o + 5) ROUND(d, e, f, g, h, a, b, c, KW(o + 5));                                                   \
	S(o + 6) ROUND(c, d, e, f, g, h, a, b, KW(o + 6));                                                   \
	S(o + 7) ROUND(b, c, d, e, f, g, h, a, KW(o + 7));
#define NONE(i)
#define SCHED(i) NEXT((i));

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

// Up to eight messages. Lanes without one follow the first.
static TARGET void half8(uint32_t n, const uint8_t *const msg[8], const uint32_t *len, uint8_t *out) {
	uint8_t tail[8][256];
	uint32_t whole[8], blocks[8], max = 0;
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t j = i < n ? i : 0;
		whole[i] = len[j] / 128;
		blocks[i] = (len[j] + 17 + 127) / 128;
		if (blocks[i] > max) max = blocks[i];
		uint32_t rest = len[j] % 128, end = 128 * (blocks[i] - whole[i]);
		memcpy(tail[i], msg[j] + 128 * whole[i], rest);
		tail[i][rest] = 0x80;
		memset(tail[i] + rest + 1, 0, end - rest - 9);
		uint64_t bits = __builtin_bswap64((uint64_t)len[j] * 8);
		memcpy(tail[i] + end - 8, &bits, 8);
	}
	__m512i st[8];
	for (int i = 0; i < 8; i++) st[i] = _mm512_set1_epi64(H0[i]);
	for (uint32_t b = 0; b < max; b++) {
		const uint8_t *p[8];
		__mmask8 m = 0;
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t j = i < n ? i : 0;
			if (b < blocks[i]) m |= 1 << i;
			if (b < whole[i]) {
				p[i] = msg[j] + 128 * b;
				__builtin_prefetch(p[i] + 128); // of the next block, while this one is computed
				__builtin_prefetch(p[i] + 192);
			} else
				p[i] = tail[i] + (b < blocks[i] ? 128 * (b - whole[i]) : 0);
		}
		block(st, p, m);
	}
	const __m512i swap = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
	for (int i = 0; i < 8; i++) st[i] = _mm512_shuffle_epi8(st[i], swap);
	transpose(st);
	for (uint32_t i = 0; i < n; i++)
		_mm256_storeu_si256((__m256i *)(out + 32 * i), _mm512_castsi512_si256(st[i]));
}

int ll_lanes(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"); }

void ll_half(uint32_t n, const uintptr_t *msg, const uint32_t *len, uint8_t *out) {
	for (uint32_t i = 0; i < n; i += 8)
		half8(n - i < 8 ? n - i : 8, (const uint8_t *const *)(msg + i), len + i, out + 32 * i);
}

void ll_half_sparse(uint32_t n, const uintptr_t *hashes, const uint16_t *mask, uint8_t *out) {
	uint8_t full[8][516];
	uintptr_t msg[8];
	uint32_t len[8];
	for (uint32_t i = 0; i < n; i += 8) {
		uint32_t lanes = n - i < 8 ? n - i : 8;
		for (uint32_t l = 0; l < lanes; l++) {
			const uint8_t *from = (const uint8_t *)hashes[i + l];
			msg[l] = (uintptr_t)full[l];
			len[l] = 516;
			memset(full[l], 0, 516);
			memcpy(full[l], "MIN", 3);
			for (uint32_t m = mask[i + l]; m; m &= m - 1, from += 32) memcpy(full[l] + 4 + 32 * __builtin_ctz(m), from, 32);
		}
		half8(lanes, (const uint8_t *const *)msg, len, out + 32 * i);
	}
}

#else
int ll_lanes(void) { return 0; }
void ll_half(uint32_t n, const uintptr_t *msg, const uint32_t *len, uint8_t *out) {}
void ll_half_sparse(uint32_t n, const uintptr_t *hashes, const uint16_t *mask, uint8_t *out) {}
#endif
