package memory

import (
	"slices"
	"strings"
)

// class is what a range of addresses is.
type class uint8

const (
	classReserved class = iota // no access: address space only
	classGoHeap
	classArena  // of the C allocator
	classMapped // a C chunk with a mapping of its own
	classStack
	classFile
	classShared
	classOther // anonymous and none of these: Go's own metadata, mostly
	classes
)

// piece is a range of one class within a mapping.
type piece struct {
	class      class
	start, end uint64
}

// layout is what classify knows beside the mappings. Its funcs read memory that may vanish meanwhile.
type layout struct {
	goHeap    uint64 // an address in Go's heap
	allocator Allocator
	stackSize uint64 // of a thread made by the C library, without its guard
	page      uint64
	// words reads the first words at an address; ok is false when they cannot be read.
	words func(addr uint64) (w [4]uint64, ok bool)
	// present says which pages of a range are resident.
	present func(start, end uint64) []bool
}

// scanMost bounds the mappings whose pages are looked at one by one: no allocator's ranges touch one another to so much,
// but the shadow memory of a race build is terabytes.
const scanMost = 64 << 30

const arenaAlign = 64 << 20 // HEAP_MAX_SIZE of glibc on 64 bits: every arena heap begins at a multiple

// goRegion is the chain of touching mappings around an address in Go's heap: the heap grows upwards from one random
// base, far from what the kernel places.
func goRegion(vmas []VMA, addr uint64) (lo, hi int) {
	i := slices.IndexFunc(vmas, func(v VMA) bool { return addr >= v.Start && addr < v.End })
	if i < 0 {
		return 0, 0
	}
	lo, hi = i, i+1
	for lo > 0 && vmas[lo-1].End == vmas[lo].Start && vmas[lo-1].Name == vmas[i].Name {
		lo--
	}
	for hi < len(vmas) && vmas[hi].Start == vmas[hi-1].End && vmas[hi].Name == vmas[i].Name {
		hi++
	}
	return lo, hi
}

// classify gives the pieces of every mapping, in order.
func classify(vmas []VMA, l layout) [][]piece {
	out := make([][]piece, len(vmas))
	lo, hi := goRegion(vmas, l.goHeap)
	programs := make(map[string]bool) // files that code runs from
	for i := range vmas {
		if v := &vmas[i]; strings.HasPrefix(v.Name, "/") && v.Perms[2] == 'x' {
			programs[v.Name] = true
		}
	}
	for i := range vmas {
		v := &vmas[i]
		whole := func(c class) []piece { return []piece{{c, v.Start, v.End}} }
		switch {
		case i >= lo && i < hi:
			out[i] = whole(classGoHeap)
		case strings.HasPrefix(v.Name, "[anon: Go: heap"):
			out[i] = whole(classGoHeap)
		case isShared(v):
			out[i] = whole(classShared)
		case strings.HasPrefix(v.Name, "/"), v.Name == "[vdso]", v.Name == "[vvar]", v.Name == "[vvar_vclock]",
			v.Name == "[vsyscall]":
			out[i] = whole(classFile)
		case v.Name == "[heap]":
			out[i] = whole(classArena)
		case strings.HasPrefix(v.Name, "[stack"):
			out[i] = whole(classStack)
		case i > 0 && vmas[i-1].End == v.Start && programs[vmas[i-1].Name] && vmas[i-1].Writable():
			out[i] = whole(classFile) // the zero-initialised data of a program or library
		case !v.Writable() && v.Rss == 0:
			out[i] = whole(classReserved)
		case strings.HasPrefix(v.Name, "[anon: Go"):
			out[i] = whole(classOther)
		default:
			out[i] = l.split(v, i > 0 && isGuard(&vmas[i-1], v, l.page))
		}
	}
	return out
}

// isShared says that v is memory shared between processes and of no file on disk.
func isShared(v *VMA) bool {
	for _, p := range []string{"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero", "[anon_shmem"} {
		if strings.HasPrefix(v.Name, p) {
			return true
		}
	}
	return v.Name == "" && len(v.Perms) == 4 && v.Perms[3] == 's'
}

// isGuard says that a one-page hole lies right before v, as pthread_create leaves below each stack.
func isGuard(g, v *VMA, page uint64) bool {
	return g.End == v.Start && g.End-g.Start == page && strings.HasPrefix(g.Perms, "---")
}

// split cuts an anonymous mapping, which the kernel may have merged of several, into what it is made of.
func (l layout) split(v *VMA, guarded bool) []piece {
	start := v.Start
	var out []piece
	if guarded {
		end := min(v.End, start+l.stackSize)
		out = append(out, piece{classStack, start, end})
		start = end
	}
	if start >= v.End {
		return out
	}
	if l.allocator != Glibc || v.End-start > scanMost {
		return append(out, piece{classOther, start, v.End})
	}
	return l.glibc(out, start, v.End)
}

// glibc finds arenas and mapped chunks by the headers glibc writes at their begin. Only resident pages can hold one.
func (l layout) glibc(out []piece, start, end uint64) []piece {
	present := l.present(start, end)
	for at := start; at < end; {
		i := int((at - start) / l.page)
		if i < len(present) && present[i] {
			if c, size := l.header(at, end); size > 0 {
				out = append(out, piece{c, at, at + size})
				at += size
				continue
			}
		}
		out = extend(out, at, min(at+l.page, end))
		at += l.page
	}
	return out
}

// header recognises a glibc heap_info or a mapped chunk at a page.
func (l layout) header(at, end uint64) (class, uint64) {
	w, ok := l.words(at)
	if !ok {
		return classOther, 0
	}
	// heap_info: arena, previous heap, size, bytes made accessible. It may have grown since the mappings were read;
	// what is accessible up to the next multiple is the arena's.
	if size, access := w[2], w[3]; at%arenaAlign == 0 && w[0] != 0 && size > 0 && size%l.page == 0 && size <= access &&
		access%l.page == 0 && access <= arenaAlign {
		return classArena, min(arenaAlign, end-at)
	}
	// malloc_chunk with IS_MMAPPED: bytes of alignment before it, size and flags.
	if size := w[1] &^ 7; w[1]&7 == 2 && w[0] < l.page && size >= l.page && size%l.page == 0 && size <= end-at {
		return classMapped, size
	}
	return classOther, 0
}

// extend adds a page of the class other, joining it with one just before.
func extend(out []piece, start, end uint64) []piece {
	if n := len(out); n > 0 && out[n-1].class == classOther && out[n-1].end == start {
		out[n-1].end = end
		return out
	}
	return append(out, piece{classOther, start, end})
}

// resident sums resident and lazily freed bytes by class. A mapping of one piece is taken as smaps gives it; of
// several, by its resident pages, scaled to smaps so that the sum is exact.
func resident(vmas []VMA, pieces [][]piece, present func(start, end uint64) []bool) (rss, lazy [classes]int64) {
	for i := range vmas {
		v := &vmas[i]
		if len(pieces[i]) == 1 {
			rss[pieces[i][0].class] += v.Rss - v.LazyFree
			lazy[pieces[i][0].class] += v.LazyFree
			continue
		}
		counts := make([]int64, len(pieces[i]))
		total := int64(0)
		for j, p := range pieces[i] {
			for _, in := range present(p.start, p.end) {
				if in {
					counts[j]++
					total++
				}
			}
		}
		left := v.Rss - v.LazyFree
		for j, p := range pieces[i] {
			share := left
			if j < len(counts)-1 && total > 0 {
				share = (v.Rss - v.LazyFree) * counts[j] / total
			}
			rss[p.class] += share
			left -= share
		}
		lazy[pieces[i][0].class] += v.LazyFree
	}
	return rss, lazy
}
