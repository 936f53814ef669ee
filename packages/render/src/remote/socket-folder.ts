import { type Dirent, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import type { ServerPlace } from "./plugin-server.ts";

const ending = ".sock";

/** So long after a change a file system may give the next one the same time. */
const settledMs = 2_000;

/**
 * The sidecars of a folder: every socket in it, in the order of file names (Argo CD: util/app/discovery
 * DetectConfigManagementPlugin). Looked at with each asking, because sidecars come and go, and read where it has changed.
 */
export class SocketFolder {
  readonly #folder: string;
  readonly #clock: Clock;
  #known: { readonly changed: number; readonly places: readonly ServerPlace[] } | undefined;

  /** The clock is that of the file system. */
  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  async read(): Promise<readonly ServerPlace[]> {
    const changed = changeOf(this.#folder);
    if (this.#known?.changed === changed) return this.#known.places;
    const isSettled = this.#clock.now() - changed > settledMs;
    const places = await readSockets(this.#folder);
    this.#known = isSettled ? { changed, places } : undefined;
    return places;
  }
}

/** Milliseconds since 1970; 0: it is not there. */
function changeOf(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function readSockets(folder: string): Promise<ServerPlace[]> {
  const items = await readdir(folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const names = items.filter((item) => item.isSocket() && item.name.endsWith(ending)).map(({ name }) => name);
  const places = await Promise.all(names.sort().map((name) => readPlace(join(folder, name), name)));
  return places.filter((place) => place !== undefined);
}

async function readPlace(path: string, file: string): Promise<ServerPlace | undefined> {
  try {
    const { ino, ctimeMs } = await stat(path);
    const name = file.slice(0, -ending.length);
    return {
      name,
      address: `unix://${path}`,
      shown: path,
      identity: `${ino} ${ctimeMs}`,
      security: "plaintext",
    };
  } catch (error) {
    if (isAbsent(error)) return undefined; // removed since it was listed
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
