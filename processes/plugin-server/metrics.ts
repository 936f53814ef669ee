import type { CallEnd, CallFacts } from "@capstan/plugin-kit/server";
import { serveObserved } from "@capstan/servers/observed-server";
import { Counter, Histogram, type Registry } from "prom-client";
import { processRegistry } from "../surroundings/process-registry.ts";

export interface PluginMetrics extends AsyncDisposable {
  onCall(call: CallFacts, end?: CallEnd): void;
  readonly port: number | undefined;
}

const kinds: Readonly<Record<CallFacts["kind"], string>> = {
  unary: "unary",
  client_streaming: "client_stream",
  server_streaming: "server_stream",
  bidi_streaming: "bidi_stream",
};
/** In the order of google.golang.org/grpc/codes. */
const codes =
  "OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated".split(
    " ",
  );

/** Counts calls by the names of go-grpc-prometheus, which argocd-cmp-server uses. */
function callMetrics(registry: Registry): PluginMetrics["onCall"] {
  const registers = [registry];
  const labelNames = ["grpc_type", "grpc_service", "grpc_method"];
  const started = new Counter({
    name: "grpc_server_started_total",
    help: "Calls that have begun.",
    labelNames,
    registers,
  });
  const handled = new Counter({
    name: "grpc_server_handled_total",
    help: "Calls that have ended, by how.",
    labelNames: [...labelNames, "grpc_code"],
    registers,
  });
  const seconds = new Histogram({
    name: "grpc_server_handling_seconds",
    help: "Time of calls.",
    labelNames,
    buckets: [0.005, 0.05, 0.5, 1, 5, 15, 60],
    registers,
  });
  return ({ service: grpc_service, method: grpc_method, kind }, end) => {
    const labels = { grpc_type: kinds[kind], grpc_service, grpc_method };
    if (!end) {
      started.inc(labels);
      return;
    }
    handled.inc({ ...labels, grpc_code: codes[end.code] ?? "Unknown" });
    seconds.observe(labels, end.ms / 1000);
  };
}

/** Serves /metrics and /healthz where a port is given. */
export async function startMetrics(port: number | undefined): Promise<PluginMetrics> {
  const metrics = processRegistry();
  const onCall = callMetrics(metrics);
  if (port === undefined) return { onCall, port, [Symbol.asyncDispose]: async () => undefined };
  const observed = await serveObserved({ metrics }, { host: "::", port });
  return {
    onCall,
    port: observed.port,
    [Symbol.asyncDispose]: () => observed[Symbol.asyncDispose](),
  };
}
