import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type NetConnectOpts } from "node:net";

/**
 * Below those that Linux gives to whoever wants any (net.ipv4.ip_local_port_range begins at 32,768): else a test beside
 * this one is given the port before the server that it is meant for listens.
 */
const [lowest, highest] = [10_000, 32_000];

/** Ports of the loopback that nothing listened on a moment ago; all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries > mostTries) throw new Error(`no port from ${lowest} to ${highest} of 127.0.0.1 is free`);
    const port = randomInt(lowest, highest);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const mostTries = 1_000;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!listening) return false;
  server.close();
  await once(server, "close");
  return true;
}

/** Whether anybody takes a connection there. */
export function isListening(to: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(to);
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
