import { once } from "node:events";
import { createServer } from "node:net";

export interface CountingListener extends Disposable {
  readonly port: number;
  /** Of all that came. */
  connections(): number;
}

/** A server of this machine, which nobody should be led to: it only counts who comes. */
export async function countingListener(): Promise<CountingListener> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    connections: () => connections,
    [Symbol.dispose]: () => void server.close(),
  };
}
