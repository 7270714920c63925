package main

import "github.com/spf13/cobra"

// nodeVerbs are the verbs that start nodes or speak to them, and those that
// look at files.
func (a *app) nodeVerbs() []*cobra.Command {
	return []*cobra.Command{
		a.upCmd(), a.statusCmd(), a.restartCmd(), a.killCmd(), a.downCmd(),
		a.setCmd(), a.sweepCmd(), a.trimCmd(), a.rotateCmd(), a.memoryCmd(), a.workingSetCmd(), a.eventsCmd(), a.waitsCmd(), a.faultCmd(),
		a.doctorCmd(), a.heapCmd(),
		a.loadCmd(), a.verifyCmd(), a.inspectCmd(), a.checkCmd(), a.stateCmd(), a.nodeCmd(),
	}
}
