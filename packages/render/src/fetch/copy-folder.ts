import { createHash } from "node:crypto";

/** Readable for a person who looks into the data folder, and without clashes. */
export function copyFolder(key: string): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
  const name = key
    .replace(/.*[/:]/, "")
    .replace(/[^\w.-]/g, "")
    .slice(0, 40);
  return `${name}-${digest}.git`;
}
