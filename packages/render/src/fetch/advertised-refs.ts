import type { Clock } from "@capstan/flow";
import { CapstanError, type Repository } from "@capstan/model";
import { type Packet, readPackets, textOf } from "./git-packets.ts";
import { refsQuestion } from "./git-redirects.ts";
import type { HttpGit } from "./http-git.ts";
import { type RemoteRefs, readRemoteRefs } from "./remote-refs.ts";

export interface RefsAsking {
  repository: Repository;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs: number;
}

const service = "git-upload-pack";
/** About 250,000 references, which are read in a quarter of a second; of more, git is asked. */
const maxBytes = 16 * 2 ** 20;

/**
 * What a remote over HTTP has, by the one request that `git ls-remote` makes for it. Undefined: git is to be asked.
 * Rejects with TIMED_OUT, as git would wait as long once more, and where no token is to be had.
 * https://git-scm.com/docs/gitprotocol-http#_discovering_references
 */
export async function askRefs(
  http: HttpGit,
  url: string,
  { clock, ...asking }: RefsAsking,
): Promise<RemoteRefs | undefined> {
  const begun = clock.now();
  const answerType = `application/x-${service}-advertisement`;
  const question = { address: refsQuestion(url), answerType, maxBytes, read: readAdvertisement };
  const refs = await http.ask(url, question, asking);
  const { timeoutMs: afterMs } = asking;
  if (!refs && clock.now() - begun >= afterMs)
    throw new CapstanError({ code: "TIMED_OUT", what: "git", afterMs });
  return refs;
}

/**
 * The references in an answer of the protocol's first version; undefined where it is none, or not all of one.
 * https://git-scm.com/docs/gitprotocol-pack#_reference_discovery
 */
export function readAdvertisement(body: Buffer): RemoteRefs | undefined {
  const [announced, refs, ...more] = sectionsOf(readPackets(body) ?? []) ?? [];
  if (announced?.join() !== `# service=${service}` || refs === undefined || more.length > 0) return undefined;
  const [first = "", capabilities = ""] = (refs[0] ?? "").split("\0");
  if (/\bobject-format=(?!sha1\b)/.test(capabilities)) return undefined;
  const lines = [first, ...refs.slice(1)].filter((line) => !/^(shallow |0{40} )/.test(line));
  if (!lines.every((line) => reference.test(line))) return undefined;
  return readRemoteRefs(lines.map((line) => line.replace(" ", "\t")).join("\n"));
}

/** A name holds neither spaces nor what no terminal shows (git check-ref-format). */
const reference = /^[0-9a-f]{40} [^\0-\x20\x7f]+$/;

/** The lines up to each flush; undefined where they do not end with one. */
function sectionsOf(packets: readonly Packet[]): string[][] | undefined {
  const sections: string[][] = [];
  let section: string[] = [];
  for (const packet of packets) {
    if (packet === "delimiter") return undefined;
    if (packet === "flush") {
      sections.push(section);
      section = [];
    } else section.push(textOf(packet));
  }
  return section.length === 0 ? sections : undefined;
}
