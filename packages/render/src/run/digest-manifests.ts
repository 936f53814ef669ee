import { hash } from "node:crypto";
import { canonicalJson } from "@capstan/formats";
import type { GeneratedManifest } from "@capstan/plugin-kit";
import type { RenderedManifest } from "@capstan/wire";
import { refuseHuge, refuseTooMany } from "./refuse-huge.ts";

export function digestManifests(manifests: readonly GeneratedManifest[]): {
  rendered: RenderedManifest[];
  bytes: number;
} {
  let bytes = 0;
  const rendered = manifests.map((one) => {
    const json = canonicalJson(one.manifest);
    bytes += json.length;
    refuseHuge(one, json);
    refuseTooMany(manifests.length, bytes);
    return { ...one, digest: hash("sha256", json, "base64url") };
  });
  return { rendered, bytes };
}
