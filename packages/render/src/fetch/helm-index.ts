import { isRecord, parseYaml } from "@capstan/model";

export interface ChartVersion {
  version: string;
  urls: readonly string[];
  /** SHA-256 of the archive, where the index gives it. */
  digest: string | undefined;
  created: string;
  description: string;
}

export type HelmIndex = ReadonlyMap<string, readonly ChartVersion[]>;

/** index.yaml of a Helm repository. */
export function readHelmIndex(text: string, file: string): HelmIndex {
  const content = parseYaml(text, { file });
  const entries = isRecord(content) && isRecord(content.entries) ? content.entries : {};
  const index = new Map<string, ChartVersion[]>();
  for (const [chart, versions] of Object.entries(entries))
    index.set(chart, (Array.isArray(versions) ? versions : []).filter(isRecord).map(readVersion));
  return index;
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
