import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

export interface PluginMetrics extends AsyncDisposable {
  onCall(method: string, ms: number, failed: boolean): void;
  readonly port: number | undefined;
}

/** Counts calls; serves /metrics and /healthz where a port is given. */
export async function startMetrics(port: number | undefined): Promise<PluginMetrics> {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const labelNames = ["grpc_service", "grpc_method", "grpc_code"];
  const handled = new Counter({
    name: "grpc_server_handled_total",
    help: "Calls that have ended, by method and whether they failed.",
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: "grpc_server_handling_seconds",
    help: "Time of calls.",
    labelNames: labelNames.slice(0, 2),
    buckets: [0.005, 0.05, 0.5, 1, 5, 15, 60],
    registers,
  });
  const onCall = (method: string, ms: number, failed: boolean) => {
    const [, grpc_service = "", grpc_method = ""] = method.split("/");
    handled.inc({ grpc_service, grpc_method, grpc_code: failed ? "Error" : "OK" });
    seconds.observe({ grpc_service, grpc_method }, ms / 1000);
  };
  if (port === undefined) return { onCall, port, [Symbol.asyncDispose]: async () => undefined };
  const server = createServer(async (request, response) => {
    if (request.url === "/healthz") return void response.end("ok\n");
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    response.setHeader("content-type", registry.contentType);
    response.end(await registry.metrics());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, resolve));
  const address: AddressInfo | string | null = server.address();
  return {
    onCall,
    port: typeof address === "object" ? address?.port : undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
