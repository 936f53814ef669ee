import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";

export interface ChartVersion {
  version: string;
  urls: readonly string[];
  /** SHA-256 of the archive, where the index gives it. */
  digest: string | undefined;
  created: string;
  description: string;
  /** Of a registry: the digest of the manifest that the version's tag means now. */
  manifest?: string;
}

/** What a repository says of its charts. */
export interface HelmIndex {
  get(chart: string): readonly ChartVersion[] | undefined;
  /** Of its charts. */
  names(): readonly string[];
  /** What it takes in memory, about. */
  readonly characters: number;
}

/** What is read as one YAML text: more takes seconds. */
const maxYamlCharacters = 8 * 2 ** 20;
const wanted = new Set(["version", "urls", "digest", "created", "description"]);

/**
 * index.yaml of a Helm repository. As `helm repo index` writes it, only what is asked for is read, and of that only the
 * fields that count: an index of ten megabytes would take seconds. One that is written otherwise is read whole.
 */
export function readHelmIndex(text: string, file: string): HelmIndex {
  const places = findCharts(text);
  if (!places) return readWhole(text, file);
  const known = new Map<string, readonly ChartVersion[]>();
  return {
    characters: text.length,
    names: () => [...places.keys()],
    get(chart) {
      const place = places.get(chart);
      if (!place || known.has(chart)) return known.get(chart);
      const content = parseBounded(onlyWanted(text.slice(place.from, place.to)), file);
      const versions = isRecord(content) ? readVersions(content[chart]) : [];
      known.set(chart, versions);
      return versions;
    },
  };
}

function readWhole(text: string, file: string): HelmIndex {
  const content = parseBounded(text, file);
  const entries = isRecord(content) && isRecord(content.entries) ? content.entries : {};
  const index = new Map<string, readonly ChartVersion[]>();
  for (const [chart, versions] of Object.entries(entries)) index.set(chart, readVersions(versions));
  return { characters: text.length, names: () => [...index.keys()], get: (chart) => index.get(chart) };
}

function parseBounded(text: string, file: string): unknown {
  if (text.length <= maxYamlCharacters) return parseYaml(text, { file });
  const [bytes, limitBytes] = [text.length, maxYamlCharacters];
  throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes, limitBytes });
}

/** Where each chart's versions stand; nothing where the text is not as helm writes it. */
function findCharts(text: string): Map<string, { from: number; to: number }> | undefined {
  const found = new Map<string, { from: number; to: number }>();
  const start = text.startsWith("entries:\n") ? 0 : text.indexOf("\nentries:\n") + 1;
  if (start === 0 && !text.startsWith("entries:\n")) return undefined;
  // An alias may stand for what another chart says.
  if (/[:-] +[&*]\w/.test(text)) return undefined;
  let last: { from: number; to: number } | undefined;
  for (let from = text.indexOf("\n", start) + 1; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end + 1;
    const isOutside = text[from] !== " " && text[from] !== "\n";
    if (isOutside) break;
    if (text[from + 1] === " " && !isBelow(text.slice(from + 2, from + 4))) {
      const name = /^ {2}(?:"([^"\\]+)"|'([^']+)'|([\w.-][\w./-]*)): *\n?$/.exec(text.slice(from, to));
      if (!name) return undefined;
      last = { from, to };
      found.set(name[1] ?? name[2] ?? name[3] ?? "", last);
    }
    if (last) last.to = to;
    else if (to - from > 1) return undefined;
    from = to;
  }
  return found;
}

/** After two spaces: a list's item, a deeper line or none. */
function isBelow(rest: string): boolean {
  return rest === "" || /^(?:[ \n]|-[ \n]|-$)/.test(rest);
}

/** The first line names the chart; then come items, "  - key: …" and "    key: …", and what is deeper. */
function onlyWanted(text: string): string {
  const lines = text.split("\n");
  const kept = lines.slice(0, 1);
  let isWanted = false;
  for (const line of lines.slice(1)) {
    const [, dash, key] = /^ {2}(- | {2})([\w-]+):/.exec(line) ?? [];
    if (key !== undefined) isWanted = wanted.has(key);
    else if (/^ {2}-/.test(line)) return text;
    if (dash === "- ") kept.push("  - capstan: 0");
    if (isWanted) kept.push(dash === "- " ? `    ${line.slice(4)}` : line);
  }
  return kept.join("\n");
}

function readVersions(versions: unknown): ChartVersion[] {
  return (Array.isArray(versions) ? versions : []).filter(isRecord).map(readVersion);
}

function readVersion(entry: Record<string, unknown>): ChartVersion {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const urls = Array.isArray(entry.urls) ? entry.urls.filter((url) => typeof url === "string") : [];
  const digest = text(entry.digest).replace(/^sha256:/, "");
  return {
    version: text(entry.version),
    urls,
    digest: digest === "" ? undefined : digest,
    created: text(entry.created),
    description: text(entry.description),
  };
}

/** "v1.0.0" and "1.0.0" are one version, "+" in it may be written "_". */
export function sameVersion(left: string, right: string): boolean {
  const plain = (version: string) => version.replace(/^v/, "").replaceAll("_", "+");
  return plain(left) === plain(right);
}
