//go:build cgo && linux

// Which SHA-512 kernel runs, and inner nodes of which only the present child
// hashes are kept.

#include "cmem.h"
#include "sha512.h"

#if defined(__x86_64__)
uint32_t ll_lanes(void) {
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return 8;
	return __builtin_cpu_supports("avx2") ? 4 : 0;
}
#else
uint32_t ll_lanes(void) { return 0; }
void ll_half8(uint32_t n, const uint8_t *const msg[], const uint32_t *len, uint8_t *out) {}
void ll_half4(uint32_t n, const uint8_t *const msg[], const uint32_t *len, uint8_t *out) {}
#endif

void ll_half(uint32_t lanes, uint32_t n, const uintptr_t *msg, const uint32_t *len, uint8_t *out) {
	for (uint32_t i = 0; i < n; i += lanes) {
		uint32_t k = n - i < lanes ? n - i : lanes;
		(lanes == 8 ? ll_half8 : ll_half4)(k, (const uint8_t *const *)(msg + i), len + i, out + 32 * i);
	}
}

void ll_half_sparse(uint32_t lanes, uint32_t n, const uintptr_t *hashes, const uint16_t *mask, uint8_t *out) {
	uint8_t full[LANES_MAX][516];
	uintptr_t msg[LANES_MAX];
	uint32_t len[LANES_MAX];
	for (uint32_t i = 0; i < n; i += lanes) {
		uint32_t k = n - i < lanes ? n - i : lanes;
		for (uint32_t l = 0; l < k; l++) {
			const uint8_t *from = (const uint8_t *)hashes[i + l];
			msg[l] = (uintptr_t)full[l];
			len[l] = 516;
			memset(full[l], 0, 516);
			memcpy(full[l], "MIN", 3);
			for (uint32_t m = mask[i + l]; m; m &= m - 1, from += 32) memcpy(full[l] + 4 + 32 * __builtin_ctz(m), from, 32);
		}
		ll_half(lanes, k, msg, len, out + 32 * i);
	}
}
