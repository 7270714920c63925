package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// WilliamsRows returns a Williams square of k treatments: each once in each
// position, and each directly after each other equally often. For odd k that
// takes two mirrored squares, so 2k rows.
func WilliamsRows(k int) [][]int {
	first := make([]int, k) // 0, 1, k-1, 2, k-2, ...
	for i := 1; i < k; i++ {
		if i%2 == 1 {
			first[i] = (i + 1) / 2
		} else {
			first[i] = k - i/2
		}
	}
	rows := make([][]int, 0, 2*k)
	for shift := range k {
		row := make([]int, k)
		for i, v := range first {
			row[i] = (v + shift) % k
		}
		rows = append(rows, row)
	}
	if k%2 == 1 && k > 1 {
		for _, r := range rows[:k:k] {
			mirror := make([]int, k)
			for i, v := range r {
				mirror[k-1-i] = v
			}
			rows = append(rows, mirror)
		}
	}
	return rows
}

// Orders gives the order of k arms in each of n blocks: Williams squares one
// after another, each with its treatments named anew and its rows shuffled by
// rng. For two arms that is pairs of blocks ABBA or BAAB.
func Orders(k, n int, rng *rand.Rand) [][]int {
	out := make([][]int, 0, n)
	for len(out) < n {
		rows := WilliamsRows(k)
		name := rng.Perm(k)
		for _, r := range rng.Perm(len(rows)) {
			if len(out) == n {
				break
			}
			row := make([]int, k)
			for i, v := range rows[r] {
				row[i] = name[v]
			}
			out = append(out, row)
		}
	}
	return out
}

// Balanced says whether n blocks are whole Williams squares of k arms.
func Balanced(k, n int) bool { return n%len(WilliamsRows(k)) == 0 }

// Placement assigns arms to nodes for each block of a campaign with placement
// node: out[b][i] is the arm of node i in block b. Arm 0 is the control.
//
// With at most as many arms as nodes, blocks come in groups of k: within a
// group every node carries every arm once, every block holds each arm
// floor(nodes/k) or one more, and the short arm rotates. The nodes and the
// order of shifts are drawn anew for each group, so arm labels are
// exchangeable within a block. Five nodes, three arms, six blocks: 30 places,
// each node carries each arm twice, a block holds 2+2+1.
//
// With more arms than nodes each block holds the control and a cyclic share of
// the others (an incomplete block design).
func Placement(arms, nodes, blocks int, rng *rand.Rand) ([][]int, error) {
	if arms < 2 || nodes < 2 || blocks < 1 {
		return nil, fmt.Errorf("placement needs at least 2 arms, 2 nodes and 1 block, got %d, %d and %d", arms, nodes, blocks)
	}
	if arms > nodes {
		return incomplete(arms, nodes, blocks, rng), nil
	}
	out := make([][]int, 0, blocks)
	for len(out) < blocks {
		offset := make([]int, nodes) // node -> place in the cycle
		for place, node := range rng.Perm(nodes) {
			offset[node] = place
		}
		name := rng.Perm(arms)
		for _, shift := range rng.Perm(arms) {
			if len(out) == blocks {
				break
			}
			row := make([]int, nodes)
			for i := range row {
				row[i] = name[(offset[i]+shift)%arms]
			}
			out = append(out, row)
		}
	}
	return out, nil
}

func incomplete(arms, nodes, blocks int, rng *rand.Rand) [][]int {
	others := arms - 1
	name := rng.Perm(others)
	out := make([][]int, blocks)
	next := 0
	for b := range out {
		in := make([]int, 0, nodes)
		in = append(in, 0)
		for len(in) < nodes {
			in = append(in, 1+name[next%others])
			next++
		}
		row := make([]int, nodes)
		for i, p := range rng.Perm(nodes) {
			row[p] = in[i]
		}
		out[b] = row
	}
	return out
}

// Obs is one unit of a campaign: the logarithm of a metric of the process in
// slot Node while it carried Arm in Block.
type Obs struct {
	Block, Node, Arm int
	Y                float64
}

// NodeEffects fits y = block + node + arm by least squares (cyclic
// projections, which also handle lost blocks) and returns the node part, mean
// zero. With the whole design nodes and arms are orthogonal, so an arm's
// effect cannot leak into it.
func NodeEffects(obs []Obs, nodes int) []float64 {
	blocks, arms := 0, 0
	for _, o := range obs {
		blocks, arms = max(blocks, o.Block+1), max(arms, o.Arm+1)
	}
	block, arm, node := make([]float64, blocks), make([]float64, arms), make([]float64, nodes)
	count := make([]float64, max(blocks, arms, nodes))
	for range 200 {
		project(block, count, obs, func(o Obs) (int, float64) { return o.Block, o.Y - node[o.Node] - arm[o.Arm] })
		project(arm, count, obs, func(o Obs) (int, float64) { return o.Arm, o.Y - node[o.Node] - block[o.Block] })
		moved := project(node, count, obs, func(o Obs) (int, float64) { return o.Node, o.Y - block[o.Block] - arm[o.Arm] })
		if moved < 1e-12 {
			break
		}
	}
	mean, seen := 0.0, 0.0
	for i, v := range node {
		if count[i] > 0 {
			mean += v
			seen++
		}
	}
	for i := range node {
		if count[i] > 0 {
			node[i] -= mean / seen
		}
	}
	return node
}

// project sets each effect to the mean residual of its observations and
// returns the largest change. count is scratch and holds the numbers of
// observations afterwards.
func project(effect, count []float64, obs []Obs, residual func(Obs) (int, float64)) (moved float64) {
	sum := make([]float64, len(effect))
	clear(count)
	for _, o := range obs {
		i, r := residual(o)
		sum[i] += r
		count[i]++
	}
	for i, n := range count[:len(effect)] {
		if n > 0 {
			v := sum[i] / n
			moved = math.Max(moved, math.Abs(v-effect[i]))
			effect[i] = v
		}
	}
	return moved
}
