//go:build cgo && linux

#define _GNU_SOURCE
#include "native.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

/* A recorder library that stands before the allocator carries this symbol; see lab/probe. */
#define RECORDER_MARK "ledgerlab_recorder"

static struct {
	pthread_once_t once;
	ll_owner owner;
	int (*mallctl)(const char *, void *, size_t *, void *, size_t);
	void (*tc_release)(void);
	int (*tc_property)(const char *, size_t *);
} me = {.once = PTHREAD_ONCE_INIT};

/* sym finds a symbol only if it lives in the object at base. */
static void *sym(void *handle, const char *name, void *base) {
	void *f = dlsym(handle, name);
	Dl_info di;
	return f != NULL && dladdr(f, &di) != 0 && di.dli_fbase == base ? f : NULL;
}

struct walk {
	void *after; /* skip objects up to this one */
	int passed;
	void *base; /* result */
	char path[512];
};

/* next_owner is called for every loaded object in load order: the first one after the recorder that has a malloc of
 * its own owns it. */
static int next_owner(struct dl_phdr_info *info, size_t size, void *arg) {
	struct walk *w = arg;
	(void)size;
	if (info->dlpi_name == NULL || info->dlpi_name[0] == 0) return 0;
	void *h = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (h == NULL) return 0;
	Dl_info di;
	void *f = dlsym(h, "malloc");
	int own = f != NULL && dladdr(f, &di) != 0 && di.dli_fbase == (void *)info->dlpi_addr;
	dlclose(h);
	if (!own) return 0;
	if (!w->passed) {
		w->passed = (void *)info->dlpi_addr == w->after;
		return 0;
	}
	w->base = (void *)info->dlpi_addr;
	snprintf(w->path, sizeof w->path, "%s", info->dlpi_name);
	return 1;
}

static void classify(void *handle, void *base) {
	ll_owner *o = &me.owner;
	void *f;
	if ((f = sym(handle, "mallctl", base)) != NULL) {
		o->kind = LL_JEMALLOC;
		me.mallctl = (int (*)(const char *, void *, size_t *, void *, size_t))f;
		const char *v = NULL;
		size_t n = sizeof v;
		if (me.mallctl("version", &v, &n, NULL, 0) == 0 && v != NULL) snprintf(o->version, sizeof o->version, "%s", v);
	} else if ((f = sym(handle, "mi_collect", base)) != NULL) {
		o->kind = LL_MIMALLOC;
		int (*version)(void) = (int (*)(void))sym(handle, "mi_version", base);
		if (version != NULL) snprintf(o->version, sizeof o->version, "%d", version());
	} else if ((f = sym(handle, "MallocExtension_ReleaseFreeMemory", base)) != NULL) {
		o->kind = LL_TCMALLOC;
		me.tc_release = (void (*)(void))f;
		me.tc_property = (int (*)(const char *, size_t *))sym(handle, "MallocExtension_GetNumericProperty", base);
		const char *(*version)(int *, int *, const char **) =
		    (const char *(*)(int *, int *, const char **))sym(handle, "tc_version", base);
		if (version != NULL) snprintf(o->version, sizeof o->version, "%s", version(NULL, NULL, NULL));
	} else if (sym(handle, "malloc_trim", base) != NULL && (f = sym(handle, "gnu_get_libc_version", base)) != NULL) {
		o->kind = LL_GLIBC;
		snprintf(o->version, sizeof o->version, "%s", ((const char *(*)(void))f)());
	}
}

static void detect(void) {
	ll_owner *o = &me.owner;
	Dl_info di;
	void *m = dlsym(RTLD_DEFAULT, "malloc");
	if (m == NULL || dladdr(m, &di) == 0) return;
	snprintf(o->path, sizeof o->path, "%s", di.dli_fname != NULL ? di.dli_fname : "");
	if (sym(RTLD_DEFAULT, RECORDER_MARK, di.dli_fbase) == NULL) {
		classify(RTLD_DEFAULT, di.dli_fbase);
		return;
	}
	o->recorder = 1;
	struct walk w = {.after = di.dli_fbase};
	dl_iterate_phdr(next_owner, &w);
	if (w.base == NULL) return;
	memcpy(o->path, w.path, sizeof o->path);
	void *h = dlopen(w.path, RTLD_LAZY | RTLD_NOLOAD);
	if (h == NULL) return;
	classify(h, w.base);
	dlclose(h);
}

void ll_detect(ll_owner *out) {
	pthread_once(&me.once, detect);
	*out = me.owner;
}

int ll_purge(size_t pad, int *answer) {
	*answer = 0;
	pthread_once(&me.once, detect);
	switch (me.owner.kind) {
	case LL_GLIBC:
		*answer = malloc_trim(pad);
		return 1;
	case LL_JEMALLOC:
		*answer = me.mallctl("arena.4096.purge", NULL, NULL, NULL, 0); /* MALLCTL_ARENAS_ALL */
		return 1;
	case LL_TCMALLOC:
		me.tc_release();
		return 1;
	}
	return 0;
}

static int64_t je_read(const char *name) {
	size_t v = 0, n = sizeof v;
	return me.mallctl(name, &v, &n, NULL, 0) == 0 ? (int64_t)v : -1;
}

static int64_t tc_read(const char *name) {
	size_t v = 0;
	return me.tc_property != NULL && me.tc_property(name, &v) ? (int64_t)v : -1;
}

/* glibc answers for all arenas at once (mallinfo2) or for one after another as text (malloc_info). Both walk every free
 * chunk of an arena with its lock held. The text is taken line by line as it is written, so that the time between the
 * line before an arena is locked and the next one can be told. */
struct info {
	char line[256];
	size_t n;
	int in_heap;
	int64_t locked; /* when the next arena was about to be locked; 0: none is */
	int64_t system, fast, rest;
	ll_stats *out;
};

static int64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t size_of(const char *line) {
	const char *p = strstr(line, " size=\"");
	return p != NULL ? strtoll(p + 7, NULL, 10) : 0;
}

static void info_line(struct info *i, const char *line) {
	if (strncmp(line, "<heap ", 6) == 0) {
		i->in_heap = 1;
		i->out->arenas++;
	} else if (strncmp(line, "<sizes>", 7) == 0) {
		i->locked = -1; /* set once what was written before has been taken */
	} else if (strncmp(line, "</heap>", 7) == 0) {
		i->in_heap = 0;
	} else if (i->in_heap && strncmp(line, "<total type=\"fast\"", 18) == 0) {
		i->fast += size_of(line);
	} else if (i->in_heap && strncmp(line, "<total type=\"rest\"", 18) == 0) {
		i->rest += size_of(line);
	} else if (i->in_heap && strncmp(line, "<system type=\"current\"", 22) == 0) {
		i->system += size_of(line);
	} else if (strncmp(line, "<total type=\"mmap\"", 18) == 0) {
		i->out->mapped = size_of(line);
	}
}

static ssize_t info_write(void *cookie, const char *text, size_t n) {
	struct info *i = cookie;
	if (i->locked > 0 && n > 0) {
		int64_t stay = now_ns() - i->locked;
		i->locked = 0;
		i->out->stay_sum_ns += stay;
		if (stay > i->out->stay_max_ns) i->out->stay_max_ns = stay;
	}
	for (size_t at = 0; at < n; at++) {
		if (text[at] == '\n') {
			i->line[i->n] = 0;
			info_line(i, i->line);
			i->n = 0;
		} else if (i->n < sizeof i->line - 1) {
			i->line[i->n++] = text[at];
		}
	}
	if (i->locked < 0) i->locked = now_ns();
	return (ssize_t)n;
}

static int glibc_stats(ll_stats *s) {
	struct info i = {.out = s};
	s->arenas = 0;
	FILE *f = fopencookie(&i, "w", (cookie_io_functions_t){.write = info_write});
	if (f == NULL) return 0;
	setvbuf(f, NULL, _IONBF, 0);
	int bad = malloc_info(0, f);
	fclose(f);
	if (bad || s->mapped < 0 || i.system == 0) return 0;
	s->free = i.fast + i.rest;
	s->in_use = i.system - s->free + s->mapped;
	return 1;
}

int ll_read_stats(ll_stats *s) {
	memset(s, 0xff, sizeof *s); /* all -1 */
	s->stay_max_ns = s->stay_sum_ns = 0;
	pthread_once(&me.once, detect);
	switch (me.owner.kind) {
	case LL_GLIBC:
		return glibc_stats(s);
	case LL_JEMALLOC: {
		uint64_t epoch = 1;
		size_t n = sizeof epoch;
		me.mallctl("epoch", &epoch, &n, &epoch, n);
		s->in_use = je_read("stats.allocated");
		s->resident = je_read("stats.resident");
		int64_t active = je_read("stats.active");
		s->free = s->resident >= 0 && s->in_use >= 0 ? s->resident - s->in_use : active - s->in_use;
		unsigned arenas = 0;
		n = sizeof arenas;
		if (me.mallctl("arenas.narenas", &arenas, &n, NULL, 0) == 0) s->arenas = arenas;
		return 1;
	}
	case LL_TCMALLOC: {
		s->in_use = tc_read("generic.current_allocated_bytes");
		int64_t heap = tc_read("generic.heap_size"), unmapped = tc_read("tcmalloc.pageheap_unmapped_bytes");
		if (heap >= 0 && unmapped >= 0) s->resident = heap - unmapped;
		if (s->resident >= 0 && s->in_use >= 0) s->free = s->resident - s->in_use;
		return s->in_use >= 0;
	}
	}
	return 0;
}

char *ll_malloc_info(void) {
	pthread_once(&me.once, detect);
	if (me.owner.kind != LL_GLIBC) return NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (f == NULL) return NULL;
	malloc_info(0, f);
	fclose(f);
	return text;
}

int ll_mallopt(int what, int value) {
	static const int code[] = {M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD};
	return mallopt(code[what], value);
}

uintptr_t mem_chain(uintptr_t last, size_t n) {
	uintptr_t *p = malloc(n);
	if (p == NULL) return last;
	memset(p, 1, n);
	*p = last;
	return (uintptr_t)p;
}

void mem_free_chain(uintptr_t last) {
	while (last != 0) {
		uintptr_t next = *(uintptr_t *)last;
		free((void *)last);
		last = next;
	}
}

uintptr_t mem_alloc(size_t n) {
	void *p = malloc(n);
	if (p != NULL) memset(p, 1, n);
	return (uintptr_t)p;
}

void mem_free(uintptr_t p) { free((void *)p); }
