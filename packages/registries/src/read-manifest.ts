import { isRecord } from "@capstan/formats";

export interface OciManifest {
  readonly digest: string;
  readonly configType: string;
  readonly layers: readonly { digest: string; mediaType: string; size: number }[];
  readonly annotations: Readonly<Record<string, string>>;
}

export const manifestTypes =
  "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";
export const indexTypes =
  "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json";

export function readManifest(content: Record<string, unknown>): Omit<OciManifest, "digest"> {
  const config = isRecord(content.config) ? content.config : {};
  const layers = Array.isArray(content.layers) ? content.layers.filter(isRecord) : [];
  const annotations = isRecord(content.annotations) ? content.annotations : {};
  return {
    configType: String(config.mediaType ?? ""),
    layers: layers.map(({ digest, mediaType, size }) => ({
      digest: String(digest ?? ""),
      mediaType: String(mediaType ?? ""),
      size: Number(size ?? 0),
    })),
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, String(value)]),
    ),
  };
}

/** One manifest of an index, and the platform that it is for: `linux/amd64`, `linux/arm64/v8`. */
export interface PlatformManifest {
  readonly digest: string;
  readonly platform: string;
}

/** Of an index: what it has for platforms; nothing where it is a manifest. Attestations are for none. */
export function platformManifests(content: Record<string, unknown>): PlatformManifest[] | undefined {
  if (!Array.isArray(content.manifests)) return undefined;
  return content.manifests.filter(isRecord).flatMap(({ digest, platform }) => {
    const found = platformOf(platform);
    return found === undefined ? [] : [{ digest: String(digest), platform: found }];
  });
}

/** As it stands in an index, and in the configuration of an image. */
export function platformOf(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value.os !== "string" || typeof value.architecture !== "string")
    return undefined;
  if (value.os === "unknown") return undefined;
  const variant = typeof value.variant === "string" && value.variant !== "" ? `/${value.variant}` : "";
  return `${value.os}/${value.architecture}${variant}`;
}

/** `linux/arm64` means every variant of it; one that is named means itself. */
export function isPlatformOf(platform: string, wanted: string): boolean {
  return platform === wanted || (wanted.split("/").length === 2 && platform.startsWith(`${wanted}/`));
}
