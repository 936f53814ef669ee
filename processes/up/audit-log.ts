import { createWriteStream, renameSync, statSync, type WriteStream } from "node:fs";
import type { AuditEvent, AuditOptions } from "@capstan/cluster";
import type { Log } from "@capstan/plugin-kit";

/** A file that has grown to this becomes `<file>.1`, in place of the one before. */
const maxBytes = 256 * 2 ** 20;
/** What a slow disk has not taken yet; past it events are dropped, which is said once. */
const maxWaitingBytes = 64 * 2 ** 20;

/**
 * Every request to the embedded cluster as a line of JSON (audit.k8s.io/v1 Event, level Metadata), for whom Capstan
 * asked in the annotation `capstan.dev/for`: kube-apiserver's --audit-log-path.
 */
export function openAuditLog(path: string, log: Log): AuditOptions & AsyncDisposable {
  let file = open(path, log);
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let isBehind = false;
  const write = (event: AuditEvent): void => {
    if (file.writableLength > maxWaitingBytes) {
      if (!isBehind) log.warn({ path }, "the disk does not take the audit log: requests are missing in it");
      isBehind = true;
      return;
    }
    isBehind = false;
    const line = `${JSON.stringify(event)}\n`;
    size += Buffer.byteLength(line);
    file.write(line);
    if (size < maxBytes) return;
    file.end();
    renameSync(path, `${path}.1`);
    [file, size] = [open(path, log), 0];
  };
  return {
    write,
    annotations: { "x-capstan-for": "capstan.dev/for" },
    [Symbol.asyncDispose]: () => new Promise((resolve) => file.end(() => resolve())),
  };
}

function open(path: string, log: Log): WriteStream {
  const file = createWriteStream(path, { flags: "a", mode: 0o600 });
  file.on("error", (error) => log.error({ error, path }, "the audit log cannot be written"));
  return file;
}
