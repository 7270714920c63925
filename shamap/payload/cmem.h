// Memory and hashing for the payload heap. Every function takes whole batches,
// because a call from Go costs more than one malloc.
#ifndef LEDGERLAB_CMEM_H
#define LEDGERLAB_CMEM_H
#include <stdint.h>

// Fills at[i] with malloc(size[i]); answers the usable bytes, or -1 when malloc failed (nothing is kept then).
int64_t ll_alloc(uint32_t n, const uint32_t *size, uintptr_t *at);
// Frees all, adding the usable bytes of chunk i to usable[tag[i]].
void ll_free(uint32_t n, const uintptr_t *at, const uint8_t *tag, int64_t *usable);
// Touches the cache lines of each chunk.
void ll_prefetch(uint32_t n, const uintptr_t *at, const uint32_t *size);

// Messages that the widest kernel of this processor hashes at a time: 8 with AVX-512, 4 with AVX2, else 0.
uint32_t ll_lanes(void);
// First 32 bytes of SHA-512 of each message, lanes (8 or 4) at a time. lanes is at most ll_lanes().
void ll_half(uint32_t lanes, uint32_t n, const uintptr_t *msg, const uint32_t *len, uint8_t *out);
// The same for inner nodes whose payload holds only the present child hashes.
void ll_half_sparse(uint32_t lanes, uint32_t n, const uintptr_t *hashes, const uint16_t *mask, uint8_t *out);
#endif
