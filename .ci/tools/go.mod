module ledgerlab/ci/tools

go 1.26
