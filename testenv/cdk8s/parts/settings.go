package parts

import (
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
)

// Settings adds a ConfigMap that says whose it is.
func Settings(scope constructs.Construct, who string) {
	object := cdk8s.NewApiObject(scope, jsii.String("settings"), &cdk8s.ApiObjectProps{
		ApiVersion: jsii.String("v1"),
		Kind:       jsii.String("ConfigMap"),
	})
	data := map[string]*string{"who": jsii.String(who)}
	object.AddJsonPatch(cdk8s.JsonPatch_Add(jsii.String("/data"), data))
}
