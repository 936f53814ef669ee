import { hash } from "node:crypto";

/** What is pushed to a registry under one tag. */
export interface TestImage {
  /** Of the manifest or index. */
  readonly digest: string;
  readonly mediaType: string;
  readonly body: string;
  /** By digest: manifests of an index, which are pushed first. */
  readonly manifests: ReadonlyMap<string, { mediaType: string; body: string }>;
  readonly blobs: ReadonlyMap<string, string>;
}

export interface TestImageSketch {
  /** RFC 3339. */
  created?: string;
  /** `os/architecture`; several make an index. */
  platforms?: readonly string[];
  /** Makes another image of the same. */
  salt?: string;
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";
const digestOf = (text: string): string => `sha256:${hash("sha256", text, "hex")}`;

/** An image of the OCI specification with one layer, or an index of such. */
export function sketchImage(sketch: TestImageSketch = {}): TestImage {
  const { created = "2026-01-01T00:00:00Z", platforms = ["linux/amd64"], salt = "" } = sketch;
  const blobs = new Map<string, string>();
  const manifests = new Map<string, { mediaType: string; body: string }>();
  const described = (body: string, mediaType: string) => {
    const digest = digestOf(body);
    return { mediaType, digest, size: Buffer.byteLength(body) };
  };
  const listed = platforms.map((platform) => {
    const [os = "", architecture = "", variant] = platform.split("/");
    const own = { os, architecture, ...(variant ? { variant } : {}) };
    const layer = `layer ${platform} ${salt}`;
    const config = JSON.stringify({
      created,
      ...own,
      config: {},
      rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
    });
    for (const blob of [layer, config]) blobs.set(digestOf(blob), blob);
    const body = JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described(config, "application/vnd.oci.image.config.v1+json"),
      layers: [described(layer, "application/vnd.oci.image.layer.v1.tar")],
    });
    manifests.set(digestOf(body), { mediaType: manifestType, body });
    return { ...described(body, manifestType), platform: own };
  });
  const [only] = manifests.values();
  if (platforms.length === 1 && only)
    return { digest: digestOf(only.body), ...only, manifests: new Map(), blobs };
  const body = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: listed });
  return { digest: digestOf(body), mediaType: indexType, body, manifests, blobs };
}

/** Pushes by the API of registries (OCI distribution specification 1.1, "Pushing"). */
export async function pushImage(
  url: string,
  { name, tag, image }: { name: string; tag: string; image: TestImage },
): Promise<void> {
  const send = async (path: string | URL, init: RequestInit) => {
    const answer = await fetch(new URL(path, url), init);
    if (!answer.ok) throw new Error(`${init.method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    return answer;
  };
  for (const [digest, body] of image.blobs) {
    const { headers } = await send(`/v2/${name}/blobs/uploads/`, { method: "POST" });
    const place = new URL(headers.get("location") ?? "", url);
    place.searchParams.set("digest", digest);
    await send(place, { method: "PUT", body, headers: { "content-type": "application/octet-stream" } });
  }
  const put = (reference: string, { mediaType, body }: { mediaType: string; body: string }) =>
    send(`/v2/${name}/manifests/${reference}`, {
      method: "PUT",
      body,
      headers: { "content-type": mediaType },
    });
  for (const [digest, manifest] of image.manifests) await put(digest, manifest);
  await put(tag, image);
}
