// Package experiments embeds the experiments that come with the lab, one YAML
// file for a question. A file on disk with the same schema works as well:
// ledgerlab run ./mine.yaml.
package experiments

import "embed"

// FS holds the *.yaml files at its root.
//
//go:embed *.yaml
var FS embed.FS
