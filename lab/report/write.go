package report

import (
	"fmt"
	"os"
	"path/filepath"

	"ledgerlab/lab"
)

// Files of a report.
const (
	FileHTML  = "report.html"
	FileMD    = "report.md"
	FileBench = "bench.txt"
	FileJUnit = "junit.xml"
	DirFigs   = "figures"
)

// Write writes every form of the report into a judged results folder.
func Write(dir string) error {
	story, err := lab.ReadStory(dir)
	if err != nil {
		return err
	}
	figs, err := drawAll(story)
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, DirFigs), 0o755); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	for _, f := range figs {
		if err := os.WriteFile(filepath.Join(dir, DirFigs, f.Name+".svg"), f.SVG, 0o644); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	html, err := renderHTML(story, figs)
	if err != nil {
		return err
	}
	junit, err := renderJUnit(story)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		FileHTML: html, FileMD: renderMarkdown(story, figs), FileBench: renderBench(story), FileJUnit: junit,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Files lists the paths of a written report that are there.
func Files(dir string) []string {
	var out []string
	for _, name := range []string{FileHTML, FileMD, lab.FileVerdict, FileBench, FileJUnit, "runs.csv", "runs.parquet"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}
