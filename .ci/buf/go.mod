module ledgerlab/ci/buf

go 1.26
