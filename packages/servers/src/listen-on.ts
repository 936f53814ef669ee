import type { Server } from "node:net";

/** Waits until the server listens; `port` 0 is any free one. */
export async function listenOn(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return addressOf(server, { host, port });
}

/** Where people reach a server that listens. */
export function addressOf(server: Server, { host, port }: { host: string; port: number }) {
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return { url: `http://${shown.includes(":") ? `[${shown}]` : shown}:${bound}`, port: bound };
}
