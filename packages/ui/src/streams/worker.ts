/// <reference lib="webworker" />
import { Hub } from "./hub.ts";
import { servePort } from "./serve-port.ts";

/** Of all windows of this browser that show this server. */
declare const self: SharedWorkerGlobalScope;

const hub = new Hub();
self.onconnect = ({ ports: [port] }) => {
  if (port) servePort(port, hub);
};
