import { createGitRepository, type GitRepository } from "@capstan/testkit";

const fileCount = 3_000;
const fileBytes = 4_500;

export const pathOf = (index: number): string => `apps/app-${index}`;
export const pathsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => pathOf(index));

export const configMap = (index: number, value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `app-${index}` },
    data: { value },
  });

/** 3,000 files and 13 MB, of which each application has one; text that compresses as manifests do. */
export async function createBigRepository(
  applications: number,
  more: Readonly<Record<string, string>> = {},
): Promise<GitRepository> {
  const files: Record<string, string> = { ...more };
  for (let index = 0; index < applications; index += 1)
    files[`${pathOf(index)}/value.json`] = configMap(index, "first");
  for (let index = applications; index < fileCount; index += 1) {
    const folder = `library/part-${index % 100}/section-${index % 7}`;
    const line = `key-${index}: value ${(index * 7919) % 104_729} of ${index}\n`;
    files[`${folder}/file-${index}.yaml`] = line.repeat(Math.ceil(fileBytes / line.length));
  }
  return createGitRepository(files);
}
