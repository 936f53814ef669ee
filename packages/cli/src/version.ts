import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Of the workspace that this file stands in. */
export async function clientVersion(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, "..", "..", "..", "package.json"), "utf8");
  const { version }: { version?: string } = JSON.parse(text);
  return `v${version ?? "0.0.0"}`;
}
