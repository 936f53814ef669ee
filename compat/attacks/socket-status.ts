import type { WebSocket } from "ws";

/** Status of the refusal; 101 where it opened, and then it is closed. */
export async function socketStatus(socket: WebSocket): Promise<number> {
  const status = await new Promise<number>((resolve, reject) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.once("error", reject);
  });
  socket.terminate();
  return status;
}
