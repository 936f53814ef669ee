// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/sops

go 1.26.0

require github.com/getsops/sops/v3 v3.13.3

tool github.com/getsops/sops/v3/cmd/sops
