package peer

import (
	"errors"
	"math"
	"time"
)

// Charges for what costs us work in vain. rippled: Fees.cpp of the resource manager.
const (
	ChargeUselessData      = 150
	ChargeMalformed        = 200
	ChargeInvalidData      = 400
	ChargeInvalidSignature = 2000
)

// Balance of charges: it decays by half in about 22 s, and at chargeDrop the session ends. rippled: Tuning.h.
const (
	chargeWindow = 32 * time.Second
	chargeDrop   = 25_000
)

var errCharged = errors.New("too much work in vain")

// Charge books work in vain against a peer; too much in too short a time ends its session, which is counted. The peer
// may come back; its balance stays.
func (o *Overlay) Charge(id ID, points int) {
	if int(id) >= len(o.peers) {
		return
	}
	p := o.peers[id]
	now := o.now()
	p.mu.Lock()
	p.mu.balance = p.mu.balance*math.Exp(-now.Sub(p.mu.balanceAt).Seconds()/chargeWindow.Seconds()) + float64(points)
	p.mu.balanceAt = now
	over := p.mu.balance >= chargeDrop
	p.mu.Unlock()
	if !over {
		return
	}
	if s := p.session.Load(); s != nil && s.ctx.Err() == nil {
		o.stats.Charged.Add(1)
		s.cancel(errCharged)
	}
}
