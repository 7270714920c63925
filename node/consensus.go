package node

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ledgerlab/consensus"
	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/memory"
	"ledgerlab/node/metrics"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rcl"
	"ledgerlab/node/record"
)

// newDriver makes the consensus driver and the transaction sets it votes on.
func (n *Node) newDriver() error {
	parms, err := consensusParms(n.flags)
	if err != nil {
		return err
	}
	o := rcl.Default()
	o.Parms, o.Standalone, o.Delay = parms, n.cfg.Standalone, n.flags.Duration("consensus.delay")
	if o.Cookie, err = n.cookie(); err != nil {
		return err
	}
	for _, v := range n.cfg.Validators {
		key, err := protocol.DecodeNodePublic(v)
		if err != nil {
			return fmt.Errorf("validators: %s: %w", v, err)
		}
		o.Trusted = append(o.Trusted, key)
	}
	if len(n.cfg.Peers) == 0 {
		o.PeersMin = 0
	}
	n.sets = rcl.NewSets(rcl.SetsConfig{
		Env: n.store.env, Parse: protocol.ParseTransaction, Lookup: n.door.Find, Unseen: n.door.FromSet, Log: n.log,
	})
	n.ledgers = &rclChain{n: n, known: make(map[protocol.Hash]*rcl.Ledger)}
	d := rcl.Deps{
		Chain: n.ledgers, Open: &rclOpen{n: n}, Net: nobody{}, Sets: n.sets, Verify: crypto.VerifyDigest,
		ShareTx: n.shareTx, Hooks: n.rclHooks(), Log: n.log,
	}
	if n.overlay != nil {
		d.Net = n.overlay
	}
	if n.cfg.Role == config.RoleValidator && !n.cfg.Standalone {
		d.Signer, d.Signed = signer{n.key}, n.signedLog()
	}
	n.driver, err = rcl.New(o, d)
	return err
}

// cookie tells this process from another that runs with the same key.
func (n *Node) cookie() (uint64, error) {
	if n.opt.Entropy == nil {
		return n.opt.Run, nil
	}
	var b [8]byte
	if _, err := n.opt.Entropy.Read(b[:]); err != nil {
		return 0, fmt.Errorf("validation cookie: %w", err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

// consensusParms reads the consensus flags.
func consensusParms(reg *config.Registry) (consensus.Parms, error) {
	p := consensus.DefaultParms()
	pct := func(key string) int { return int(reg.Ratio("consensus."+key)*100 + 0.5) }
	p.MinConsensus, p.MaxConsensus = reg.Duration("consensus.min_consensus"), reg.Duration("consensus.max_consensus")
	p.MinClose, p.IdleInterval = reg.Duration("consensus.min_close"), reg.Duration("consensus.idle_interval")
	p.Granularity = reg.Duration("consensus.granularity")
	p.ProposeFreshness, p.ProposeInterval = reg.Duration("consensus.propose_freshness"), reg.Duration("consensus.propose_interval")
	p.MinConsensusPct, p.AbandonFactor = pct("min_pct"), reg.Int("consensus.abandon_factor")
	p.AbandonConsensus, p.AvMinConsensusTime = reg.Duration("consensus.abandon"), reg.Duration("consensus.av_min_time")
	p.Avalanche[consensus.AvInit].WeightPct = pct("av_init_pct")
	p.Avalanche[consensus.AvMid].TimePct, p.Avalanche[consensus.AvMid].WeightPct = pct("av_mid_time"), pct("av_mid_pct")
	p.Avalanche[consensus.AvLate].TimePct, p.Avalanche[consensus.AvLate].WeightPct = pct("av_late_time"), pct("av_late_pct")
	p.Avalanche[consensus.AvStuck].TimePct, p.Avalanche[consensus.AvStuck].WeightPct = pct("av_stuck_time"), pct("av_stuck_pct")
	p.AvCloseTimePct = pct("av_close_time_pct")
	p.AvMinRounds, p.AvStalledRounds = reg.Int("consensus.av_min_rounds"), reg.Int("consensus.av_stalled_rounds")
	p.ValidationCurrentWall, p.ValidationCurrentLocal = reg.Duration("consensus.validation_wall"), reg.Duration("consensus.validation_local")
	p.ValidationCurrentEarly, p.ValidationSetExpires = reg.Duration("consensus.validation_early"), reg.Duration("consensus.validation_expires")
	p.ValidationFreshness = reg.Duration("consensus.validation_freshness")
	if err := p.Validate(); err != nil {
		return p, fmt.Errorf("consensus flags: %w", err)
	}
	return p, nil
}

// signer signs with the validator's key.
type signer struct{ k *crypto.KeyPair }

func (s signer) Public() []byte                    { return s.k.Public }
func (s signer) SignDigest(h protocol.Hash) []byte { return s.k.SignDigest(h) }

// signedFile remembers the newest validation in one small file, replaced whole.
// It is not synced: the operating system keeps it through a crash of the process,
// and after a crash of the machine the rule that a signing time never goes back
// protects the chain.
type signedFile struct {
	path  string
	fault func(error) // told when it cannot be written
}

func (f signedFile) Load() ([]byte, error) {
	b, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

func (f signedFile) Store(raw []byte) error {
	tmp := f.path + ".tmp"
	err := os.WriteFile(tmp, raw, 0o644)
	if err == nil {
		err = os.Rename(tmp, f.path)
	}
	if err != nil {
		f.fault(err)
	}
	return err
}

// signedLog is nil without a data folder: nothing survives such a node anyway.
func (n *Node) signedLog() rcl.SignedLog {
	if n.cfg.DataDir == "" {
		return nil
	}
	return signedFile{filepath.Join(n.cfg.DataDir, "last-validation"), func(err error) {
		n.end(fmt.Errorf("a validation cannot be remembered, so none may be sent: %w", err))
	}}
}

// nobody is the network of a stand-alone node.
type nobody struct{}

func (nobody) BroadcastProposal([]byte, peer.Mask)                        {}
func (nobody) BroadcastValidation([]byte, peer.Mask)                      {}
func (nobody) BroadcastHaveSet(protocol.Hash)                             {}
func (nobody) SetStatus(peer.Status)                                      {}
func (nobody) Ask(peer.ID, peer.Request, func(peer.Response, error)) bool { return false }
func (nobody) Peers() []peer.Info                                         { return nil }

func (n *Node) rclHooks() rcl.Hooks {
	return rcl.Hooks{
		Round: func(i rcl.RoundInfo) {
			r := roundRecord(i)
			n.records.Round(r)
			n.metrics.ObserveRound(metrics.RoundInfo{
				Establish: i.Establish, Round: i.Open + i.Establish + i.Build + i.Accept, SetAcquire: i.SetAcquire,
				End: r.EndRule, Disputes: i.Disputes,
			})
		},
		Mode: func(i rcl.ModeInfo) {
			n.records.Mode(&record.Mode{OldMode: i.From.String(), NewMode: i.To.String(), Reason: i.Reason, SpentNs: i.Lasted.Nanoseconds()})
			if i.To == rcl.ModeFull {
				go n.trigger(memory.SyncFull)
			}
		},
		StepOut: func(i rcl.StepOutInfo) {
			n.records.Mode(&record.Mode{OldMode: "proposing", NewMode: i.To, Reason: i.Reason})
		},
		Divergence: func(i rcl.DivergenceInfo) {
			n.records.Fault(&record.Fault{
				Kind: "divergence", Target: fmt.Sprint(i.Seq), Active: true,
				Detail: fmt.Sprintf("built %s, the quorum validated %s; set differs %t, close time differs %t", i.Ours, i.Theirs, i.SetDiffers, i.CloseTimeDiffers),
			})
		},
	}
}
