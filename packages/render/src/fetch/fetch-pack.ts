import { withoutEndSlashes } from "@capstan/formats";
import { CapstanError, withoutUserinfo } from "@capstan/model";
import { writeRef } from "./bare-folder.ts";
import { type CommitPack, readPack, writeWant } from "./commit-pack.ts";
import { readBorder, withParents, writeBorder } from "./copy-history.ts";
import type { FetchFrom, GitHere } from "./fetch-from.ts";
import type { HttpGitQuestion } from "./http-git.ts";
import type { ObjectReader } from "./object-reader.ts";

/** A copy with some commits, and nothing else at work in it. */
export interface CopyWithCommits {
  readonly dir: string;
  /** The newest is the last one. */
  readonly commits: readonly string[];
  readonly run: GitHere;
  readonly reader: Pick<ObjectReader, "size">;
  /** What is not in it of its commits. */
  readonly filter: string | undefined;
}

export interface WantedRef {
  readonly sha: string;
  readonly ref: string;
}

interface Taking {
  readonly wanted: WantedRef;
  readonly copy: CopyWithCommits;
  readonly signal: AbortSignal;
}

/** As many as git itself names at first. */
const haves = 16;
/** It is in memory as a whole; what is larger git writes to the disk as it comes. */
const maxBytes = 4 * 2 ** 20;
/** As git itself: fewer become files of their own (fetch.unpackLimit). */
const unpackLimit = 100;
const service = "git-upload-pack";
/** Git gives up a server that is silent for as long. */
const longestMs = 15_000;

/**
 * The way on which a commit beside others is asked for by one request of Capstan's own, and where that is not answered as
 * by git's server, or by more than is taken into memory, by git, which takes five programs and three requests for it.
 */
export function packFirst(wanted: WantedRef, copy: CopyWithCommits, from: FetchFrom): FetchFrom {
  return {
    ...from,
    following: (ask) =>
      from.following(async (url) => {
        const question = await packQuestion(url, { wanted, copy, signal: from.signal });
        const answer = await from.askHttp(url, question, longestMs);
        if (answer === "lacking") throw lacking(from.url, wanted.sha);
        if (answer === undefined) await ask(url);
      }),
  };
}

/** The server has every commit that it has by its id (gitprotocol-v2(5), fetch). */
function lacking(url: string, revision: string): CapstanError {
  return new CapstanError({ code: "REVISION_MISSING", repository: withoutUserinfo(url), revision });
}

async function packQuestion(
  url: string,
  { wanted, copy, signal }: Taking,
): Promise<HttpGitQuestion<"taken" | "lacking">> {
  const shallow = await readBorder(copy.dir);
  const { commits, filter } = copy;
  const want = { sha: wanted.sha, depth: withParents, haves: commits.slice(-haves), shallow, filter };
  return {
    address: `${withoutEndSlashes(url)}/${service}`,
    post: writeWant(want),
    headers: { "content-type": `application/x-${service}-request`, "git-protocol": "version=2" },
    answerType: `application/x-${service}-result`,
    maxBytes,
    async read(body) {
      const pack = readPack(body);
      if (pack === undefined || pack === "lacking") return pack;
      await takeIn(pack, shallow, { wanted, copy, signal });
      return "taken";
    },
  };
}

/** Rejects where it is not all that the commit needs. The ref is written last: it says that all is here. */
async function takeIn(
  { pack, objects, ...borders }: CommitPack,
  shallow: readonly string[],
  { wanted, copy, signal }: Taking,
): Promise<void> {
  const border = [...new Set([...shallow, ...borders.shallow])];
  if (border.length > shallow.length) await writeBorder(copy.dir, border);
  await copy.run(takingIn(copy, objects), { stdin: pack });
  if ((await copy.reader.size(wanted.sha, signal)) === undefined)
    throw new Error(`commit ${wanted.sha} is not in its pack`);
  const gone = new Set(borders.unshallow);
  if (gone.size > 0)
    await writeBorder(
      copy.dir,
      border.filter((id) => !gone.has(id)),
    );
  await writeRef(copy.dir, wanted);
}

/**
 * As git does it (fetch-pack.c, get_pack). What leads to an object that is neither in the pack nor here is refused; of a
 * copy that lacks some (--promisor) only the reading shows.
 */
function takingIn({ filter }: CopyWithCommits, objects: number): readonly string[] {
  if (filter !== undefined) return ["index-pack", "--stdin", "--fix-thin", "--promisor"];
  return objects < unpackLimit
    ? ["unpack-objects", "-q", "--strict"]
    : ["index-pack", "--stdin", "--fix-thin", "--strict"];
}
