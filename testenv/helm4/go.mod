// A real program that tests run against. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/helm4

go 1.26.0

require helm.sh/helm/v4 v4.3.1

tool helm.sh/helm/v4/cmd/helm
