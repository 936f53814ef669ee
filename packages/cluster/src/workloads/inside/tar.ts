/** The `tar` that `kubectl cp` runs in a container: `tar cf - PATH…` and `tar -xmf - -C FOLDER`, nothing more. */
import { posix } from "node:path";
import { Readable } from "node:stream";
import type { Headers, Pack } from "tar-stream";
import type { Terminal } from "../../streams/session.ts";
import { nothingRuns } from "../simulation.ts";
import { onlyThere, pathOf, type Surroundings } from "./commands.ts";
import { noRoom } from "./copied-files.ts";
import type { Files } from "./files-of.ts";

const mostEntryBytes = 8 << 20;
/** Of one archive, read to its end where it does not fit; headers that never end do not pass it either. */
const mostArchiveBytes = 64 << 20;
/** GNU tar's own for what could not be done. */
const failed = 2;

interface Asked {
  readonly does: "pack" | "unpack";
  readonly folder: string;
  readonly paths: readonly string[];
}

/** Undefined for what kubectl does not ask. */
function readWords(words: readonly string[]): Asked | undefined {
  const [mode = "", archive, ...rest] = words.filter((word) => !/^--no-same-/.test(word));
  const does = /^-?cf$/.test(mode) ? "pack" : /^-?xm?f$/.test(mode) ? "unpack" : undefined;
  if (does === undefined || archive !== "-") return undefined;
  const [flag, folder = ""] = rest;
  if (flag !== "-C")
    return does === "pack" && rest.length > 0 ? { does, folder: ".", paths: rest } : plain(rest);
  return rest.length >= 2 ? { does, folder, paths: rest.slice(2) } : undefined;
}

const plain = (rest: readonly string[]): Asked | undefined =>
  rest.length === 0 ? { does: "unpack", folder: ".", paths: [] } : undefined;

/** Returns the exit code. What kubectl shows of it is what goes to standard error. */
export async function runTar(
  words: readonly string[],
  around: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const asked = readWords(words);
  if (asked === undefined) {
    terminal.err(`tar: this container is ${nothingRuns}; tar knows "cf - PATH…" and "xf - [-C FOLDER]"\n`);
    return failed;
  }
  const folder = pathOf(asked.folder, around);
  if (around.files.list(folder) === undefined) {
    terminal.err(`tar: ${asked.folder}: Cannot open: No such file or directory (${onlyThere})\n`);
    return failed;
  }
  const within = { ...around, folder };
  return asked.does === "pack" ? packAll(asked.paths, within, terminal) : unpackAll(within, terminal);
}

async function packAll(
  paths: readonly string[],
  around: Surroundings,
  { out, err }: Terminal,
): Promise<number> {
  const { pack } = await import("tar-stream");
  const archive = pack();
  let code = 0;
  // First: kubectl is gone once it has the archive.
  err(`capstan: copied from a container that is ${nothingRuns}\n`);
  for (const path of paths) {
    // Names in an archive are relative; GNU tar says so.
    if (path.startsWith("/")) err("tar: Removing leading `/' from member names\n");
    const name = posix.normalize(path).replace(/^\/+/, "");
    if (addTo(archive, around.files, { path: pathOf(path, around), name })) continue;
    err(`tar: ${path}: Cannot stat: No such file or directory (${onlyThere})\n`);
    code = failed;
  }
  archive.finalize();
  for await (const piece of archive) out(piece);
  return code;
}

interface Member {
  readonly path: string;
  readonly name: string;
}

function addTo(archive: Pack, files: Files, { path, name }: Member): boolean {
  const content = files.read(path);
  const names = files.list(path);
  if (content !== undefined) archive.entry({ name, mode: 0o644 }, content);
  else if (names !== undefined) {
    archive.entry({ name: `${name}/`, type: "directory", mode: 0o755 });
    for (const one of names)
      addTo(archive, files, { path: posix.join(path, one), name: posix.join(name, one) });
  } else return false;
  return true;
}

async function unpackAll(around: Surroundings, { input, err, signal }: Terminal): Promise<number> {
  const { extract } = await import("tar-stream");
  const archive = extract();
  const source = Readable.from(bounded(input), { signal });
  source.on("error", (error) => archive.destroy(error));
  source.pipe(archive);
  let code = 0;
  let isFull = false;
  try {
    for await (const entry of archive) {
      if (isFull) {
        // What kubectl still sends is read to its end: it would write on and never hear why.
        entry.resume();
        continue;
      }
      const problem = await keep(entry, around);
      if (problem === undefined) continue;
      err(`tar: ${entry.header.name}: ${problem}\n`);
      code = failed;
      isFull = problem === noRoom;
    }
  } catch (error) {
    signal.throwIfAborted();
    err(`tar: the archive cannot be read: ${error instanceof Error ? error.message : error}\n`);
    return failed;
  }
  err(`capstan: copied into a container that is ${nothingRuns}\n`);
  return code;
}

async function* bounded(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of input) {
    bytes += piece.length;
    if (bytes > mostArchiveBytes) throw new Error(`more than ${mostArchiveBytes >> 20} MiB`);
    yield piece;
  }
}

/** A text: why it is not kept. */
async function keep(
  entry: AsyncIterable<Buffer> & { readonly header: Headers; resume(): void },
  around: Surroundings,
): Promise<string | undefined> {
  const { name, type = "file", size = 0 } = entry.header;
  const path = pathOf(name, around);
  if (type === "directory") {
    entry.resume();
    return around.files.write(path);
  }
  if (type !== "file") {
    entry.resume();
    return `left out: a simulated container keeps files and folders, no ${type}`;
  }
  if (size > mostEntryBytes) {
    entry.resume();
    return noRoom;
  }
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece);
  return around.files.write(path, Buffer.concat(pieces));
}
