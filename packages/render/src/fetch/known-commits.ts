import { BoundedMap } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { type GitCommit, readCommit, readTag } from "./git-objects.ts";
import { ObjectLost, type ObjectReader } from "./object-reader.ts";

/** Characters of their messages. */
const maxMessages = 100_000;
/** With its message. */
const maxCommitBytes = 4 * 2 ** 20;
/** A tag may name another tag. */
const maxTags = 8;

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
    const commit = await this.#find(sha, signal);
    this.#read.set(sha, commit, commit.message.length + 1);
    return commit;
  }

  /** Whose id is an annotated tag's means the commit that this leads to, as for git. */
  async #find(id: string, signal: AbortSignal, tags = 0): Promise<GitCommit> {
    const bytes = (await this.#reader.size(id, signal)) ?? 0;
    if (bytes > maxCommitBytes)
      throw new CapstanError({
        code: "FILE_TOO_LARGE",
        file: `commit ${id}`,
        bytes,
        limitBytes: maxCommitBytes,
      });
    const object = await this.#reader.read(id, signal);
    if (!object) throw new ObjectLost(this.#reader, id);
    if (object.type === "commit") return readCommit(object.data);
    if (object.type === "tag" && tags < maxTags)
      return this.#find(readTag(object.data).object, signal, tags + 1);
    const problem = `${id} is no commit but a ${object.type}: name a commit, a branch or a tag`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.targetRevision", problem });
  }

  forget(): void {
    this.#read = new BoundedMap(maxMessages);
  }
}
