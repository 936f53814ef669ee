import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A server of the attacker's while something is tried. */
export async function withServer(
  listener: RequestListener,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** One at the address that team's project permits: `work` gets that of the repository. */
export function withRepository(
  listener: RequestListener,
  work: (repoURL: string) => Promise<void>,
): Promise<void> {
  return withServer(listener, (url) => work(`${url}/team-charts`));
}
