import { BoundedMap } from "@capstan/flow";

/** Of one container; of all of a cluster, where those that were used longest ago make room. */
const mostBytes = 8 << 20;
const mostBytesOfAll = 32 << 20;
/** What each folder of an entry's path costs beside its content: empty files have their price too. */
const stepBytes = 256;

export const noRoom = `No space left on device: a simulated container keeps ${mostBytes >> 20} MiB`;

/** What was copied into one container: files, and folders without content. */
export interface Copies {
  get(path: string): Buffer | undefined;
  entries(): Iterable<[string, Buffer | undefined]>;
  /** False where there is no room for it. */
  add(path: string, content: Buffer | undefined): boolean;
}

interface Kept {
  readonly files: Map<string, Buffer | undefined>;
  readonly bytes: number;
}

/** What `kubectl cp` brought, in memory alone: a container that starts anew has none of it. */
export class CopiedFiles {
  readonly #all = new BoundedMap<Kept>(mostBytesOfAll);

  /** `life` names a container from its start to its end. */
  of(life: string): Copies {
    const kept = (): Kept => this.#all.get(life) ?? { files: new Map(), bytes: 0 };
    return {
      get: (path) => kept().files.get(path),
      entries: () => kept().files.entries(),
      add: (path, content) => {
        const { files, bytes } = kept();
        const weight = bytes + costOf(path, content) - (files.has(path) ? costOf(path, files.get(path)) : 0);
        if (weight > mostBytes) return false;
        this.#all.set(life, { files: files.set(path, content), bytes: weight }, weight);
        return true;
      },
    };
  }
}

const costOf = (path: string, content: Buffer | undefined): number =>
  stepBytes * path.split("/").length + path.length + (content?.length ?? 0);
