import { isAbsolute, resolve } from "node:path";

/** What a command did to a path; paths are absolute, with links as they were written. */
export interface Touch {
  readonly act: "look" | "open" | "list" | "create" | "execute";
  readonly path: string;
  /** Whether something was there. */
  readonly found: boolean;
}

export interface Trace {
  readonly touches: readonly Touch[];
  /** Addresses that were spoken to. */
  readonly network: readonly string[];
}

interface Line {
  readonly call: string;
  readonly args: string;
  readonly result: string;
  readonly failed: boolean;
}

const shape = /^(\w+)\((.*)\)\s+= (-?\d+|\?)(?:<([^>]*)>)?/s;
/** AT_FDCWD</dir>, "path" or 5</dir>, "path" or only "path". */
const firstPath = /^(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"(\.\.\.)?/s;

/** Reads what strace -ff -y wrote, by process; a process begins in the directory in which it was forked. */
export function readTraces(files: ReadonlyMap<number, string>, startDirectory: string): Trace {
  const touches: Touch[] = [];
  const network = new Set<string>();
  const children = new Set<number>();
  const lines = new Map([...files].map(([pid, text]) => [pid, text.split("\n").flatMap(readLine)]));
  for (const found of lines.values())
    for (const line of found) if (isFork(line)) children.add(Number(line.result));
  const waiting: [number, string][] = [...files.keys()]
    .filter((pid) => !children.has(pid))
    .map((pid) => [pid, startDirectory]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    let [, directory] = next;
    for (const line of lines.get(next[0]) ?? []) {
      if (isFork(line)) waiting.push([Number(line.result), directory]);
      else if (isNetwork(line)) network.add(addressOf(line.args));
      else directory = readCall(line, directory, touches);
    }
  }
  return { touches, network: [...network] };
}

function readLine(text: string): Line[] {
  const [, call, args, result] = shape.exec(text) ?? [];
  if (call === undefined || args === undefined || result === undefined) return [];
  return [{ call, args, result, failed: result.startsWith("-") }];
}

function isFork({ call, failed }: Line): boolean {
  return !failed && /^(clone3?|v?fork)$/.test(call);
}

function isNetwork({ call, args }: Line): boolean {
  return /^(connect|sendto|sendmsg)$/.test(call) && /sa_family=AF_(INET6?|VSOCK)/.test(args);
}

function addressOf(args: string): string {
  const [, port = ""] = /htons\((\d+)\)/.exec(args) ?? [];
  const [, host = "a host"] = /inet_addr\("([^"]*)"\)|AF_INET6, "([^"]*)"/.exec(args) ?? [];
  return port === "" ? host : `${host}:${port}`;
}

/** Adds what a call touched; gives the directory in which the process is after it. */
function readCall({ call, args, failed }: Line, directory: string, touches: Touch[]): string {
  if (/^getdents(64)?$/.test(call)) {
    const listed = /^\d+<([^>]*)>/.exec(args)?.[1];
    if (listed?.startsWith("/")) touches.push({ act: "list", path: listed, found: true });
    return directory;
  }
  if (call === "fchdir") return (!failed && /^\d+<([^>]*)>/.exec(args)?.[1]) || directory;
  const [, base = directory, quoted] = firstPath.exec(args) ?? [];
  if (quoted === undefined || quoted === "") return directory;
  const text = unquote(quoted);
  const path = isAbsolute(text) ? text : `${base}/${text}`;
  touches.push({ act: actOf(call, args, failed), path, found: !failed });
  return call === "chdir" && !failed ? resolve(path) : directory;
}

function actOf(call: string, args: string, failed: boolean): Touch["act"] {
  if (/^(open|openat|openat2|creat)$/.test(call)) {
    const isNew = call === "creat" || /O_CREAT/.test(args);
    return isNew && !failed && /O_TRUNC|O_EXCL/.test(args) ? "create" : "open";
  }
  if (/^(mkdir|mknod|symlink|link|rename)/.test(call)) return "create";
  return /^execve/.test(call) ? "execute" : "look";
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };

/** C's escapes, bytes in octal. */
function unquote(text: string): string {
  if (!text.includes("\\")) return text;
  const bytes = text.replace(/\\([0-7]{1,3}|.)/gs, (_whole, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
  );
  return Buffer.from(bytes, "latin1").toString();
}
