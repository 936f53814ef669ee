// go-template plays Go's text/template with sprig's functions, as Argo CD's ApplicationSets do: a request a line of
// standard input, {"template","data","missingKey"}, and an answer a line of standard output, {"output"} or {"error"}.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

type request struct {
	Template   string `json:"template"`
	Data       any    `json:"data"`
	MissingKey string `json:"missingKey"`
}

type answer struct {
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
}

func play(asked request) answer {
	functions := sprig.GenericFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(functions, name)
	}
	read := template.New("").Funcs(functions)
	if asked.MissingKey != "" {
		read = read.Option("missingkey=" + asked.MissingKey)
	}
	read, err := read.Parse(asked.Template)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var output strings.Builder
	if err := read.Execute(&output, asked.Data); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: output.String()}
}

func main() {
	// A map within itself overflows the stack; that need not take a gigabyte.
	debug.SetMaxStack(16 << 20)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			answers.Encode(answer{Error: "not a request: " + err.Error()})
			continue
		}
		answers.Encode(play(asked))
	}
}
