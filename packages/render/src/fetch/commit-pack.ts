import { delimiter, flush, type Packet, readPackets, textOf, writePacket } from "./git-packets.ts";

export interface WantedCommit {
  readonly sha: string;
  /** How many commits back, itself counted. */
  readonly depth: number;
  /** Commits that are here. */
  readonly haves: readonly string[];
  /** Before which nothing is here. */
  readonly shallow: readonly string[];
  /** What is not wanted of them (git-rev-list(1), --filter). */
  readonly filter: string | undefined;
}

/** What a server sends of a commit. */
export interface CommitPack {
  readonly pack: Buffer;
  /** How many objects are in it. */
  readonly objects: number;
  /** Commits before which there is nothing here with it, and those before which there is something now. */
  readonly shallow: readonly string[];
  readonly unshallow: readonly string[];
}

/**
 * The request for a commit, of the protocol's second version: it asks for the pack at once, with whatever of `haves` the
 * server knows taken to be here. https://git-scm.com/docs/gitprotocol-v2#_fetch
 */
export function writeWant({ sha, depth, haves, shallow, filter }: WantedCommit): string {
  const lines = [
    ...["thin-pack", "no-progress", "ofs-delta"],
    ...shallow.map((id) => `shallow ${id}`),
    `deepen ${depth}`,
    ...(filter === undefined ? [] : [`filter ${filter}`]),
    `want ${sha}`,
    ...haves.map((id) => `have ${id}`),
    "done",
  ];
  return [
    writePacket("command=fetch\n"),
    delimiter,
    ...lines.map((line) => writePacket(`${line}\n`)),
    flush,
  ].join("");
}

/** lacking: the server does not give that commit. Undefined: it is no such answer. */
export function readPack(body: Buffer): CommitPack | "lacking" | undefined {
  const packets = readPackets(body);
  if (!packets) return undefined;
  const [first] = packets;
  if (first instanceof Buffer && notHere.test(textOf(first))) return "lacking";
  const sections = sectionsOf(packets);
  if (!sections || [...sections.keys()].some((name) => !known.has(name))) return undefined;
  const borders = readBorders((sections.get("shallow-info") ?? []).map(textOf));
  const pack = packOf(sections.get("packfile") ?? []);
  return pack && borders && { pack, objects: pack.readUInt32BE(countAt), ...borders };
}

const notHere = /^ERR upload-pack: not our ref [0-9a-f]{40}$/;
const known = new Set(["shallow-info", "packfile"]);
const border = /^(un)?shallow [0-9a-f]{40}$/;
/** Of a pack: its sign, its version and how many objects follow (gitformat-pack(5)). */
const signature = "PACK";
const countAt = 8;
const headBytes = 12;

/** Sections by the name that each begins with, one flush behind them all. */
function sectionsOf(packets: readonly Packet[]): Map<string, Buffer[]> | undefined {
  const sections = new Map<string, Buffer[]>();
  let section: Buffer[] | undefined;
  for (const packet of packets.slice(0, -1)) {
    if (packet === "flush") return undefined;
    if (packet === "delimiter") section = undefined;
    else if (section) section.push(packet);
    else {
      const name = textOf(packet);
      if (sections.has(name)) return undefined;
      section = [];
      sections.set(name, section);
    }
  }
  return packets.at(-1) === "flush" ? sections : undefined;
}

function readBorders(lines: readonly string[]): Pick<CommitPack, "shallow" | "unshallow"> | undefined {
  if (!lines.every((line) => border.test(line))) return undefined;
  const of = (kind: string) =>
    lines.filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length));
  return { shallow: of("shallow "), unshallow: of("unshallow ") };
}

/** The first byte of a line says whether it is of the pack (1), for a person (2), or an error (3). */
function packOf(lines: readonly Buffer[]): Buffer | undefined {
  if (lines.some((line) => line[0] !== 1 && line[0] !== 2)) return undefined;
  const pack = Buffer.concat(lines.filter((line) => line[0] === 1).map((line) => line.subarray(1)));
  const isPack = pack.length > headBytes && pack.toString("latin1", 0, signature.length) === signature;
  return isPack ? pack : undefined;
}
