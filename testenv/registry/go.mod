// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/registry

go 1.26.0

require github.com/distribution/distribution/v3 v3.1.2

tool github.com/distribution/distribution/v3/cmd/registry
