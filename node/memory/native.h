#ifndef LEDGERLAB_MEMORY_NATIVE_H
#define LEDGERLAB_MEMORY_NATIVE_H

#include <stddef.h>
#include <stdint.h>

enum { LL_UNKNOWN, LL_GLIBC, LL_JEMALLOC, LL_MIMALLOC, LL_TCMALLOC };
enum { LL_ARENA_MAX, LL_MMAP_THRESHOLD, LL_TRIM_THRESHOLD, LL_TOP_PAD };

typedef struct {
	int kind;
	int recorder;
	char path[512];
	char version[64];
} ll_owner;

typedef struct {
	int64_t in_use, free, mapped, resident, arenas; /* -1: not known */
	int64_t stay_max_ns, stay_sum_ns;               /* at one arena with its lock, at all; 0: none is held for long */
} ll_stats;

void ll_detect(ll_owner *out);
int ll_purge(size_t pad, int *answer);   /* 0: not for this allocator */
int ll_read_stats(ll_stats *out);        /* 0: the allocator gives none */
char *ll_malloc_info(void);              /* caller frees; NULL: not glibc */
int ll_mallopt(int what, int value);
uintptr_t mem_chain(uintptr_t last, size_t n); /* malloc; the chunk remembers the last one */
void mem_free_chain(uintptr_t last);
uintptr_t mem_alloc(size_t n);
void mem_free(uintptr_t p);

#endif
