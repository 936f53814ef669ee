import type { Socket } from "node:net";
import { normalize } from "node:path";

/** The longest path of the system, the token and the rest. */
const maxLine = 8_192;
const lengthDigits = 4;

export interface GitRequest {
  readonly service: "upload-pack" | "receive-pack";
  readonly token: string;
  /** Absolute and normalised. */
  readonly folder: string;
  /** Of the protocol. */
  readonly version: number;
}

/**
 * Reads the first line of git's own protocol and leaves what follows it in the socket.
 * https://git-scm.com/docs/pack-protocol#_git_transport
 *
 * @throws Error for anything but `git-upload-pack /TOKEN/PATH` and `git-receive-pack /TOKEN/PATH`
 */
export async function readGitRequest(socket: Socket): Promise<GitRequest> {
  const line = await readLine(socket);
  const [, service, token = "", path = ""] =
    /^git-(upload-pack|receive-pack) \/([0-9a-f]+)(\/[^\0]*)(?:\0|\n|$)/.exec(line) ?? [];
  if (service !== "upload-pack" && service !== "receive-pack")
    throw new Error("it asks for no repository of this machine");
  const version = Number(/\0version=([012])(?:\0|$)/.exec(line)?.[1] ?? 0);
  return { service, token, folder: normalize(path), version };
}

/** Ends with a sentence that git prints as "fatal: remote error: …". */
export function sayGitError(socket: Socket, problem: string): void {
  const line = `ERR ${problem.replaceAll("\n", "; ")}`;
  const length = Buffer.byteLength(line) + lengthDigits;
  socket.end(`${length.toString(16).padStart(lengthDigits, "0")}${line}`);
  // Its other side is seen to end only where what it sends is read.
  socket.resume();
}

async function readLine(socket: Socket): Promise<string> {
  let held = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    held = Buffer.concat([held, chunk]);
    if (held.length < lengthDigits) continue;
    const digits = held.toString("latin1", 0, lengthDigits);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 0;
    if (length <= lengthDigits || length > maxLine) throw new Error("it does not speak git's protocol");
    if (held.length < length) continue;
    if (held.length > length) socket.unshift(held.subarray(length));
    return held.toString("utf8", lengthDigits, length);
  }
  throw new Error("it ended in the middle of a line");
}
