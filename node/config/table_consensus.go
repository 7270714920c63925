package config

import "time"

// consensusFlags lists the constants of ConsensusParms.h and Validations.h, each
// with xrpld's value, and the lab's own delay.
func consensusFlags() []Flag {
	const src, comp = "xrpl-facts 6.1", "consensus"
	span := func(name, dflt, doc string) Flag {
		return Flag{
			Name: "consensus." + name, Kind: KindDuration, Min: float64(time.Millisecond), Max: float64(time.Hour),
			Default: dflt, Component: comp, Hot: true, MayHash: true, Source: src, Doc: doc,
		}
	}
	share := func(name, dflt string, most float64, doc string) Flag {
		return Flag{Name: "consensus." + name, Kind: KindRatio, Min: 0, Max: most, Default: dflt, Component: comp, Hot: true, MayHash: true, Source: src, Doc: doc}
	}
	count := func(name, dflt, doc string) Flag {
		return Flag{Name: "consensus." + name, Kind: KindInt, Min: 1, Max: 1000, Default: dflt, Component: comp, Hot: true, MayHash: true, Source: src, Doc: doc}
	}
	return []Flag{
		span("min_consensus", "1.95s", "Shortest time of the establish phase."),
		span("max_consensus", "15s", "Time of the establish phase after which it is over whether or not there is agreement, within the abandon rule."),
		span("min_close", "2s", "Shortest time that a ledger with transactions stays open."),
		span("idle_interval", "15s", "Time that a ledger without transactions stays open."),
		span("granularity", "1s", "Period of the heartbeat that drives the rounds."),
		span("propose_freshness", "20s", "Age at which a peer's position is dropped."),
		span("propose_interval", "12s", "Age at which the own position is sent again."),
		share("min_pct", "80%", 1, "Share of the positions that must agree for consensus."),
		count("abandon_factor", "10", "Multiple of the last round's time after which a round is given up, within the bounds max_consensus and abandon."),
		span("abandon", "2m", "Longest time before a round is given up."),
		span("av_min_time", "5s", "Least time taken for the last round when vote thresholds rise with the share of it that passed."),
		share("av_init_pct", "50%", 1, "Yes votes that a disputed transaction needs at first."),
		share("av_mid_time", "50%", 10, "Share of the last round's time after which av_mid_pct holds."),
		share("av_mid_pct", "65%", 1, "Yes votes needed in the middle of a round."),
		share("av_late_time", "85%", 10, "Share of the last round's time after which av_late_pct holds."),
		share("av_late_pct", "70%", 1, "Yes votes needed late in a round."),
		share("av_stuck_time", "200%", 10, "Share of the last round's time after which av_stuck_pct holds."),
		share("av_stuck_pct", "95%", 1, "Yes votes needed in a stuck round."),
		share("av_close_time_pct", "75%", 1, "Share of the positions that must agree on the close time."),
		count("av_min_rounds", "2", "Heartbeats for which a vote threshold stays before it may rise."),
		count("av_stalled_rounds", "4", "Heartbeats without a changed vote after which a dispute counts as stalled."),
		span("validation_wall", "5m", "Most that a validation's signing time may lie behind the network's clock."),
		span("validation_local", "3m", "Most that the time at which a validation was first seen may lie back."),
		span("validation_early", "3m", "Most that a validation's signing time may lie ahead."),
		span("validation_expires", "10m", "Time for which a set of validations is kept."),
		span("validation_freshness", "20s", "Age up to which a validation counts towards what peers are doing now."),
		{
			Name: "consensus.delay", Kind: KindDuration, Max: float64(time.Minute), Default: "0s", Component: "node/rcl", Hot: true, MayHash: true, Source: "seed 002, slow validator",
			Doc: "Time by which this node holds back its own proposals and validations: a slow validator.",
		},
	}
}
