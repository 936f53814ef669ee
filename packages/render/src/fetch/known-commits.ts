import { BoundedMap } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { type GitCommit, type GitTag, readCommit, readTag } from "./git-objects.ts";
import { type GitObject, ObjectLost, type ObjectReader } from "./object-reader.ts";

/** Characters of their messages. */
const maxMessages = 100_000;
/** Of a commit or a tag, with its message. */
const maxObjectBytes = 4 * 2 ** 20;
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

  async tag(id: string, signal: AbortSignal): Promise<GitTag> {
    const { type, data } = await this.#object(id, signal);
    if (type !== "tag") throw new ObjectLost(this.#reader, id);
    return readTag(data);
  }

  /** Whose id is an annotated tag's means the commit that this leads to, as for git. */
  async #find(id: string, signal: AbortSignal, tags = 0): Promise<GitCommit> {
    const { type, data } = await this.#object(id, signal);
    if (type === "commit") return readCommit(data);
    if (type === "tag" && tags < maxTags) return this.#find(readTag(data).object, signal, tags + 1);
    const problem = `${id} is no commit but a ${type}: name a commit, a branch or a tag`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.targetRevision", problem });
  }

  async #object(id: string, signal: AbortSignal): Promise<GitObject> {
    const bytes = (await this.#reader.size(id, signal)) ?? 0;
    if (bytes > maxObjectBytes) {
      const file = `object ${id}`;
      throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes, limitBytes: maxObjectBytes });
    }
    const object = await this.#reader.read(id, signal);
    if (!object) throw new ObjectLost(this.#reader, id);
    return object;
  }

  forget(): void {
    this.#read = new BoundedMap(maxMessages);
  }
}
