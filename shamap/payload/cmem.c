//go:build cgo && linux

#include "cmem.h"
#include <malloc.h>
#include <stdlib.h>

int64_t ll_alloc(uint32_t n, const uint32_t *size, uintptr_t *at) {
	int64_t usable = 0;
	for (uint32_t i = 0; i < n; i++) {
		void *p = malloc(size[i]);
		if (p == NULL) {
			while (i > 0) free((void *)at[--i]);
			return -1;
		}
		at[i] = (uintptr_t)p;
		usable += malloc_usable_size(p);
		// The caller fills the chunk soon; fetching its lines now overlaps with the next malloc.
		for (uint32_t o = 64; o < size[i]; o += 64) __builtin_prefetch((const char *)p + o, 1);
	}
	return usable;
}

void ll_free(uint32_t n, const uintptr_t *at, const uint8_t *tag, int64_t *usable) {
	for (uint32_t i = 0; i < n; i++) {
		usable[tag[i]] += malloc_usable_size((void *)at[i]);
		free((void *)at[i]);
	}
}

void ll_prefetch(uint32_t n, const uintptr_t *at, const uint32_t *size) {
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t o = 0; o < size[i]; o += 64) __builtin_prefetch((const void *)(at[i] + o), 0, 3);
}
