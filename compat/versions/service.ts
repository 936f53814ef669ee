import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { eventually } from "@capstan/testkit";

/** A Pod as a Service knows it. */
export interface Endpoint {
  readonly port: number;
  /** Of its readiness probe. */
  readonly probe: string;
}

/** What a Service does: new connections go to Pods that are ready, in turn; one that is there stays where it is. */
export interface TestService extends AsyncDisposable {
  readonly port: number;
  add(endpoint: Endpoint): void;
  /** The Pod is no more. */
  remove(endpoint: Endpoint): void;
  untilReady(endpoint: Endpoint): Promise<unknown>;
}

const [probeMs, probeLimitMs, startMs] = [250, 1_000, 60_000];

export async function openService(): Promise<TestService> {
  const endpoints = new Set<Endpoint>();
  const ready = new Set<Endpoint>();
  /** One after the other: an answer that was late would say what is not true any more. */
  const probed = new Set<Endpoint>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((socket) => {
    turn += 1;
    const chosen = [...ready][turn % ready.size];
    const to = connect({ host: "127.0.0.1", port: chosen?.port ?? 1 });
    for (const [one, other] of [
      [socket, to],
      [to, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.once("close", () => {
        sockets.delete(one);
        other.destroySoon();
      });
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const look = async (endpoint: Endpoint): Promise<void> => {
    if (probed.has(endpoint)) return;
    probed.add(endpoint);
    const signal = AbortSignal.timeout(probeLimitMs);
    const isReady = await fetch(endpoint.probe, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    probed.delete(endpoint);
    if (isReady && endpoints.has(endpoint)) ready.add(endpoint);
    else ready.delete(endpoint);
  };
  const looking = setInterval(() => {
    for (const endpoint of endpoints) void look(endpoint);
  }, probeMs);
  return {
    port: typeof address === "object" && address ? address.port : 0,
    add: (endpoint) => void endpoints.add(endpoint),
    remove(endpoint) {
      endpoints.delete(endpoint);
      ready.delete(endpoint);
    },
    untilReady: (endpoint) =>
      eventually(() => ready.has(endpoint) || undefined, {
        signal: AbortSignal.timeout(startMs),
        describe: () => `${endpoint.probe} is not ready`,
      }),
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
