// notifications sends messages as Argo CD's notifications controller does, by its services themselves: a request a
// line of standard input, {"type","service","config","name","template","vars","recipient"}, and an answer a line of
// standard output, {"error"}, empty where it was sent. State between messages (Slack's threads) lasts as long as the
// program. Fixed addresses (api.telegram.org, …) are reached by HTTPS_PROXY.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/Masterminds/sprig/v3"
	"github.com/argoproj/notifications-engine/pkg/services"
	log "github.com/sirupsen/logrus"
	"sigs.k8s.io/yaml"
)

type request struct {
	Type string `json:"type"`
	// Name of the service's entry, which is the key of a webhook's part of a template.
	Service string `json:"service"`
	// YAML, as in service.<type>.<name>.
	Config string `json:"config"`
	// Of the template.
	Name string `json:"name"`
	// YAML, as in template.<name>.
	Template  string         `json:"template"`
	Vars      map[string]any `json:"vars"`
	Recipient string         `json:"recipient"`
}

type answer struct {
	Error string `json:"error"`
}

type author struct{ Message, Author string }

func send(asked request) error {
	notification := services.Notification{}
	if err := yaml.Unmarshal([]byte(asked.Template), &notification); err != nil {
		return err
	}
	functions := sprig.GenericFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	templater, err := notification.GetTemplater(asked.Name, functions)
	if err != nil {
		return err
	}
	if asked.Vars == nil {
		asked.Vars = map[string]any{}
	}
	asked.Vars["repo"] = map[string]any{"GetCommitMetadata": func(revision string) author {
		return author{Message: "message of " + revision, Author: "author of " + revision}
	}}
	message := services.Notification{}
	if err := templater(&message, asked.Vars); err != nil {
		return err
	}
	service, err := services.NewService(asked.Type, []byte(asked.Config))
	if err != nil {
		return err
	}
	return service.Send(message, services.Destination{Service: asked.Service, Recipient: asked.Recipient})
}

// Some services take for granted that a template has a part for them.
func guarded(asked request) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	return send(asked)
}

func main() {
	log.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			os.Exit(1)
		}
		said := answer{}
		if err := guarded(asked); err != nil {
			said.Error = err.Error()
		}
		if err := answers.Encode(said); err != nil {
			os.Exit(1)
		}
	}
}
