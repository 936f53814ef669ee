import { once } from "node:events";
import { connect, createServer, type NetConnectOpts } from "node:net";

/** Ports of the loopback that nothing listened on a moment ago; all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address === "object") ports.push(address.port);
  }
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  return ports;
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
