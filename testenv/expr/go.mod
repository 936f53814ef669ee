// A small program that compares expressions with the real ones. Nothing of it is needed to run Capstan.
module capstan.dev/testenv/expr

go 1.26.0

require github.com/expr-lang/expr v1.17.7
