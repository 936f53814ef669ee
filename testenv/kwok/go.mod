// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/kwok

go 1.26.0

require sigs.k8s.io/kwok v0.8.0

tool sigs.k8s.io/kwok/cmd/kwok
