import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Case, CaseFiles } from "./case.ts";

const corpus = join(import.meta.dirname, "..", "..", "..", "..", "shared", "corpus");

/** Folders of the corpus that render without a network, each an application. */
const samples = [
  "argocd-example-apps/guestbook",
  "argocd-example-apps/helm-guestbook",
  "argocd-example-apps/jsonnet-guestbook",
  "argocd-example-apps/kustomize-guestbook",
  "argocd-example-apps/pre-post-sync",
  "argocd-example-apps/sync-waves",
  "argocd-example-apps/helm-hooks",
  "argocd-example-apps/sock-shop",
] as const;

export async function corpusCases(): Promise<Case[]> {
  if (!existsSync(corpus)) {
    console.log(`skipped: the samples of ${corpus} are not there`);
    return [];
  }
  return Promise.all(
    samples.map(async (sample) => ({
      name: `corpus-${sample.split("/").at(-1)}`,
      files: await filesOf(join(corpus, sample)),
      steps: [{ sync: { prune: true } }, { sync: {} }],
    })),
  );
}

async function filesOf(folder: string): Promise<CaseFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(
    async (path) => [`app/${relative(folder, path)}`, await readFile(path, "utf8")] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}
