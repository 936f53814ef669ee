// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/jsonnet

go 1.26.0

require github.com/google/go-jsonnet v0.22.0

tool github.com/google/go-jsonnet/cmd/jsonnet
