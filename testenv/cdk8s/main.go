// An application of cdk8s in Go.
package main

import (
	"os"

	"capstan.dev/testenv/cdk8s/parts"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
)

func main() {
	app := cdk8s.NewApp(nil)
	chart := cdk8s.NewChart(app, jsii.String("web"), &cdk8s.ChartProps{
		Labels: &map[string]*string{"tier": jsii.String("web")},
	})
	parts.Settings(chart, os.Getenv("ARGOCD_APP_NAME"))
	app.Synth()
}
