import { BoundedMap } from "@capstan/flow";
import { type GitCommit, readCommit } from "./git-objects.ts";
import { ObjectLost, type ObjectReader } from "./object-reader.ts";

/** Characters of their messages. */
const maxMessages = 100_000;

/** Commits of one repository: each is read once, however many ask for what is in it. */
export class KnownCommits {
  readonly #reader: ObjectReader;
  #read = new BoundedMap<GitCommit>(maxMessages);

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  async commit(sha: string, signal: AbortSignal): Promise<GitCommit> {
    const known = this.#read.get(sha);
    if (known) return known;
    const object = await this.#reader.read(sha, signal);
    if (object?.type !== "commit") throw new ObjectLost(this.#reader, sha);
    const commit = readCommit(object.data);
    this.#read.set(sha, commit, commit.message.length + 1);
    return commit;
  }

  forget(): void {
    this.#read = new BoundedMap(maxMessages);
  }
}
