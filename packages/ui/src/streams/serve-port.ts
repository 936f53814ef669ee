import type { Opened, StreamOpener, ToWindow, ToWorker } from "./stream-port.ts";

/** A window says that it lives each minute, also in the background; what crashed or sleeps does not. */
const silentMs = 200_000;

/** Serves one window's streams. */
export function servePort(port: MessagePort, streams: StreamOpener): void {
  const open = new Map<number, Opened>();
  const tell = (message: ToWindow) => port.postMessage(message);
  let silence: ReturnType<typeof setTimeout> | undefined;
  const closeAll = () => {
    for (const stream of open.values()) stream.close();
    open.clear();
  };
  const hear = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      // A window that only slept asks again.
      for (const id of open.keys())
        tell({ id, ended: { status: 0, request: "", message: "The page slept." } });
      closeAll();
    }, silentMs);
  };
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    hear();
    if ("open" in data) {
      const id = data.open;
      const stream = streams.open(data.ask, {
        open: () => tell({ id, opened: true }),
        message: (message) => tell({ id, message }),
        end: (ended) => {
          open.delete(id);
          tell({ id, ended });
        },
      });
      open.set(id, stream);
    } else if ("close" in data) {
      open.get(data.close)?.close();
      open.delete(data.close);
    } else if (data.does === "forget") streams.forget();
    else if (data.does === "leave") closeAll();
  };
  hear();
}
