import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "../binaries/bundled-tools.ts";
import { quoteForShell } from "../binaries/quote-for-shell.ts";

/**
 * A helm that kustomize accepts. Before 5.8 it asks for the version with a flag that helm 4 has no more, and takes
 * only 3 for an answer (kustomize api/internal/builtins HelmChartInflationGenerator checkHelmVersion).
 * It is kept in `folder`, because temporary file systems often permit no programs.
 */
export async function helmForKustomize(helm: string, folder: string): Promise<string> {
  const program = quoteForShell(helm);
  const answer = `if [ "$1" = version ]; then ${program} "$@" 2>/dev/null || echo v3.18.0; exit; fi`;
  const script = `#!/bin/sh\n${answer}\nexec ${program} "$@"\n`;
  const file = join(folder, `helm-for-kustomize-${hash("sha256", script).slice(0, 12)}`);
  if (await isThere(file)) return file;
  await mkdir(folder, { recursive: true });
  const fresh = `${file}.${randomUUID()}.new`;
  await writeFile(fresh, script, { mode: 0o755 });
  await rename(fresh, file);
  return file;
}
