// The OpenTelemetry collector's own OTLP receiver, by gRPC and HTTP: what it takes it prints, a line of JSON a message.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("otlp-receiver GRPC-ADDRESS HTTP-ADDRESS")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": os.Args[1]},
		"http": map[string]any{"endpoint": os.Args[2]},
	}}).Unmarshal(config)
	check(err)
	var printing sync.Mutex
	print, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
		if err != nil {
			return err
		}
		printing.Lock()
		defer printing.Unlock()
		_, err = fmt.Println(string(text))
		return err
	})
	check(err)
	receiver, err := factory.CreateTraces(ctx, receivertest.NewNopSettings(component.MustNewType("otlp")), config, print)
	check(err)
	check(receiver.Start(ctx, componenttest.NewNopHost()))
	fmt.Fprintln(os.Stderr, "otlp-receiver is ready")
	<-ctx.Done()
	check(receiver.Shutdown(context.Background()))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
