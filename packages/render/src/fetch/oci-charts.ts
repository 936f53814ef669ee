import { CapstanError, type Repository } from "@capstan/model";
import type { RenderMetrics } from "../metrics.ts";
import { countedOci } from "./count-requests.ts";
import type { ChartVersion } from "./helm-index.ts";
import { type OciOptions, openOci } from "./oci-access.ts";

const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** Whether it answers and takes the credentials. */
export function testRegistry(
  options: OciOptions & { metrics: Pick<RenderMetrics, "oci"> | undefined },
): Promise<void> {
  const { clock, metrics, repository } = options;
  const asked = { url: repository.url, request: "test-repo" } as const;
  return countedOci({ clock, metrics }, asked, () => openOci("", options).ping());
}

/** Tags are versions; what may not stand in a tag stands as "_" (Helm: pkg/registry). */
export async function ociVersions(chart: string, options: OciOptions): Promise<ChartVersion[]> {
  const tags = await openOci(chart, options).tags();
  return tags.map((tag) => ({
    version: tag.replaceAll("_", "+"),
    urls: [],
    digest: undefined,
    created: "",
    description: "",
  }));
}

/** As a version stands in a tag. */
export function ociTag(version: string): string {
  return version.replaceAll("+", "_");
}

/** The packed chart of a version; `manifest`: the digest that its tag was found to mean. */
export async function ociArchive(
  {
    chart,
    version,
    manifest: digest = ociTag(version),
    maxBytes,
  }: { chart: string; version: string; manifest?: string | undefined; maxBytes: number },
  options: OciOptions,
): Promise<Buffer> {
  const repository = openOci(chart, options);
  const manifest = await repository.manifest(digest);
  const layer = manifest.layers.find(({ mediaType }) => mediaType === chartLayer);
  if (layer) return repository.blob(layer.digest, maxBytes);
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `chart ${chart} ${version}`,
    problem: "what the registry has under this tag is no Helm chart",
  });
}

export function isOciRepository({ type, url }: Repository): boolean {
  return type === "oci" || /^oci:\/\//i.test(url);
}
