import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Descriptor } from "@capstan/registries";

interface Manifest {
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
  readonly manifests?: readonly Descriptor[];
}

/**
 * Pushes to a registry that asks for nothing, over plain text on the loopback and TLS elsewhere (OCI distribution
 * specification 1.1, "Pushing"); others take the layout from `skopeo copy oci:dist/image docker://…`.
 */
export async function pushLayout(layout: string, place: string, tag: string): Promise<string> {
  const [, host = "", name = ""] = /^([^/]+)\/([a-z0-9._/-]+)$/.exec(place) ?? [];
  if (name === "") throw new Error(`--push: ${place} is not HOST/NAME`);
  const isLoopback = /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host);
  const url = `${isLoopback ? "http" : "https"}://${host}`;
  const file = ({ digest }: Descriptor): string =>
    join(layout, "blobs", "sha256", digest.slice("sha256:".length));
  const send = async (path: string | URL, init: RequestInit): Promise<Response> => {
    const answer = await fetch(new URL(path, url), init);
    if (!answer.ok && answer.status !== 404)
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
    return answer;
  };
  const pushBlob = async (blob: Descriptor): Promise<void> => {
    const there = await send(`/v2/${name}/blobs/${blob.digest}`, { method: "HEAD" });
    if (there.ok) return;
    const { headers } = await send(`/v2/${name}/blobs/uploads/`, { method: "POST" });
    const upload = new URL(headers.get("location") ?? "", url);
    upload.searchParams.set("digest", blob.digest);
    const body = await openAsBlob(file(blob));
    await send(upload, { method: "PUT", body, headers: { "content-type": "application/octet-stream" } });
  };
  const pushManifest = async (manifest: Descriptor, reference: string): Promise<void> => {
    const body = await readFile(file(manifest), "utf8");
    const { config, layers = [], manifests = [] }: Manifest = JSON.parse(body);
    for (const blob of [...layers, ...(config ? [config] : [])]) await pushBlob(blob);
    for (const one of manifests) await pushManifest(one, one.digest);
    const headers = { "content-type": manifest.mediaType };
    await send(`/v2/${name}/manifests/${reference}`, { method: "PUT", body, headers });
  };
  const { manifests }: { manifests: readonly Descriptor[] } = JSON.parse(
    await readFile(join(layout, "index.json"), "utf8"),
  );
  const [top] = manifests;
  if (top === undefined) throw new Error(`${layout} holds no image`);
  await pushManifest(top, tag);
  return `${place}:${tag}@${top.digest}`;
}
