// expr plays the expr language, as Argo CD's deep links and notifications do: a request a line of standard input,
// {"source","env"}, and an answer a line of standard output, {"value"} or {"error"}. A value is written with the kind
// of each of its parts, so that an integer is not taken for a float.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
)

type request struct {
	Source string         `json:"source"`
	Env    map[string]any `json:"env"`
}

type answer struct {
	Value string `json:"value"`
	Error string `json:"error,omitempty"`
}

// Numbers of JSON are integers where they can be, as in objects of Kubernetes.
func typed(value any) any {
	switch one := value.(type) {
	case json.Number:
		if whole, err := strconv.ParseInt(one.String(), 10, 64); err == nil {
			return whole
		}
		float, _ := one.Float64()
		return float
	case []any:
		for at := range one {
			one[at] = typed(one[at])
		}
	case map[string]any:
		for key := range one {
			one[key] = typed(one[key])
		}
	}
	return value
}

func show(value any) string {
	if value == nil {
		return "nil"
	}
	at := reflect.ValueOf(value)
	switch at.Kind() {
	case reflect.Bool:
		return fmt.Sprintf("%v", value)
	case reflect.Int, reflect.Int64:
		return fmt.Sprintf("i%d", at.Int())
	case reflect.Uint8:
		return fmt.Sprintf("i%d", at.Uint())
	case reflect.Float64:
		return "f" + strconv.FormatFloat(at.Float(), 'g', -1, 64)
	case reflect.String:
		text, _ := json.Marshal(at.String())
		return string(text)
	case reflect.Slice, reflect.Array:
		parts := []string{}
		for index := 0; index < at.Len(); index++ {
			parts = append(parts, show(at.Index(index).Interface()))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.Map:
		parts := []string{}
		for _, key := range at.MapKeys() {
			parts = append(parts, show(key.Interface())+":"+show(at.MapIndex(key).Interface()))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprintf("%v", value)
}

func play(asked request) answer {
	typed(asked.Env)
	value, err := expr.Eval(asked.Source, asked.Env)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: show(value)}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			os.Exit(1)
		}
		if err := answers.Encode(play(asked)); err != nil {
			os.Exit(1)
		}
	}
}
