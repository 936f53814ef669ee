import type { Connection } from "../../streams/session.ts";
import type { Pod } from "../kinds.ts";
import { nothingRuns } from "../simulation.ts";

const mostRead = 16_384;

/** What answers behind a port of a simulated Pod: HTTP with a page that says so, anything else with one line. */
export async function answerPort(pod: Pod, { port, input, write }: Connection): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata;
  const text = `capstan: port ${port} of Pod ${namespace}/${name} is ${nothingRuns}\n`;
  let seen = "";
  for await (const piece of input) {
    seen += Buffer.from(piece).toString("latin1");
    if (!/^[A-Z]{0,20}(?: |$)/.test(seen)) break;
    if (seen.includes("\r\n\r\n") || seen.length > mostRead) break;
  }
  if (seen === "") return;
  const isHttp = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/.test(seen);
  const body = seen.startsWith("HEAD ") ? "" : text;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nx-capstan-simulated: true\r\nconnection: close\r\n\r\n`;
  write(Buffer.from(isHttp ? head + body : text));
}
