// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/crane

go 1.26.0

require github.com/google/go-containerregistry v0.22.1

tool github.com/google/go-containerregistry/cmd/crane
