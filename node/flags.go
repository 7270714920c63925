package node

import (
	"ledgerlab/node/config"
	"ledgerlab/node/memory"
	"ledgerlab/node/peer"
	"ledgerlab/node/record"
	"ledgerlab/node/rotate"
	"ledgerlab/store/pebbledb"
)

// joinFlags makes every hot flag act on its part, and every change a record.
func (n *Node) joinFlags() error {
	n.flags.SetSequence(func() uint32 { return n.openSeq() })
	n.flags.Watch(func(c config.Change) {
		n.records.Flag(&record.Flag{Key: c.Key, OldValue: c.Old, NewValue: c.New, FromSeq: c.Seq})
	})
	n.joinMemoryFlags()
	n.joinPlant()
	n.joinCacheFlags()
	n.joinStoreFlags()
	n.joinTrafficFlags()
	n.joinConsensusFlags()
	return nil
}

// refused logs a value that the registry allowed and the part did not: a fault
// of the flag table.
func (n *Node) refused(key string, err error) {
	if err != nil {
		n.log.Error("flag not taken", "key", key, "err", err)
	}
}

func (n *Node) joinMemoryFlags() {
	n.flags.Subscribe("go.gogc", func(v config.Value) { setGOGC(v.Int()) })
	n.flags.Subscribe("go.memlimit", func(v config.Value) { setMemLimit(v.Bytes()) })
	for _, key := range []string{"trim.trigger", "trim.method", "trim.pad", "trim.policy", "trim.min_interval"} {
		n.flags.Subscribe(key, func(config.Value) {
			o, err := trimOptions(n.flags)
			if err == nil {
				err = n.trimmer.Configure(func(have *memory.Options) { *have = o })
			}
			n.refused(key, err)
		})
	}
}

func (n *Node) joinCacheFlags() {
	target := func(config.Value) {
		n.store.family.Tree().SetTarget(n.flags.Int("cache.tree.size"), n.flags.Duration("cache.tree.age"))
	}
	n.flags.Subscribe("cache.tree.size", target)
	n.flags.Subscribe("cache.tree.age", target)
	n.flags.Subscribe("cache.expire_all", func(v config.Value) {
		n.store.family.SetExpireAll(v.Bool())
	})
	n.flags.Subscribe("cache.sweep_interval", func(v config.Value) { n.refused("cache.sweep_interval", n.sweeper.SetInterval(v.Duration())) })
}

func (n *Node) joinStoreFlags() {
	n.flags.Subscribe("store.freshen", func(v config.Value) {
		f, err := rotate.ParseFreshen(v.String())
		if err == nil {
			n.rotator.SetFreshen(f)
		}
		n.refused("store.freshen", err)
	})
	n.flags.Subscribe("store.advisory_delete", func(v config.Value) { n.rotator.SetAdvisory(v.Bool()) })
	n.flags.Subscribe("store.can_delete", func(v config.Value) { n.refused("store.can_delete", n.rotator.SetCanDelete(uint32(v.Int()))) })
	for _, key := range []string{"store.fault", "store.fault_delay"} {
		n.flags.Subscribe(key, func(config.Value) {
			err := setFault(n.store.disk, n.flags)
			n.refused(key, err)
			if err == nil {
				f := n.flags.Enum("store.fault")
				n.records.Fault(&record.Fault{Kind: "store", Target: f, Active: f != pebbledb.FaultNone, Detail: "ordered by store.fault"})
			}
		})
	}
}

func (n *Node) joinTrafficFlags() {
	n.flags.Subscribe("open.batch_interval", func(v config.Value) { n.refused("open.batch_interval", n.door.SetBatchInterval(v.Duration())) })
	n.flags.Subscribe("verify.batch", func(v config.Value) { n.refused("verify.batch", n.door.SetVerifyBatch(v.Int())) })
	n.flags.Subscribe("relay.queue_limit", func(v config.Value) { n.refused("relay.queue_limit", n.jobs.SetQueueLimit(v.Int())) })
	if n.overlay == nil {
		return
	}
	n.flags.Subscribe("relay.mode", func(v config.Value) {
		mode, err := peer.ParseRelayMode(v.String())
		if err == nil {
			err = n.overlay.SetMode(mode)
		}
		n.refused("relay.mode", err)
	})
	n.flags.Subscribe("relay.flush", func(v config.Value) { n.refused("relay.flush", n.overlay.SetFlush(v.Duration())) })
}

func (n *Node) joinConsensusFlags() {
	for _, f := range config.Flags() {
		if f.Component != "consensus" {
			continue
		}
		n.flags.Subscribe(f.Name, func(config.Value) {
			p, err := consensusParms(n.flags)
			if err == nil {
				err = n.driver.SetParms(p)
			}
			n.refused(f.Name, err)
		})
	}
	n.flags.Subscribe("consensus.delay", func(v config.Value) { n.driver.SetDelay(v.Duration()) })
}
