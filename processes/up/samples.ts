import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Manifest, parseManifests } from "@capstan/model";
import { writeWhole } from "../surroundings/data-folder.ts";

const run = promisify(execFile);
const examples = join(import.meta.dirname, "..", "..", "examples");

const identity = {
  GIT_AUTHOR_NAME: "Capstan",
  GIT_AUTHOR_EMAIL: "samples@capstan.dev",
  GIT_COMMITTER_NAME: "Capstan",
  GIT_COMMITTER_EMAIL: "samples@capstan.dev",
  GIT_CONFIG_NOSYSTEM: "1",
  HOME: "/dev/null",
};

export interface Samples {
  /** To be created; none on a later start: what the person did with them since stays. */
  applications: readonly Manifest[];
  /** Call when they are created: until then a killed start begins again. */
  done(): Promise<void>;
}

/** The repository of the sample applications. */
export const samplesFolder = ({ dataDir }: { dataDir: string }): string => join(dataDir, "samples");

/** Makes a git repository of examples/apps below the data folder, and Applications of it in that namespace. */
export async function prepareSamples({
  dataDir,
  namespace,
}: {
  dataDir: string;
  namespace: string;
}): Promise<Samples> {
  const repository = samplesFolder({ dataDir });
  const mark = join(dataDir, "samples-created");
  if (existsSync(mark)) return { applications: [], done: async () => undefined };
  if (!existsSync(repository)) await createRepository(repository);
  return {
    applications: await readSampleApplications(pathToFileURL(repository).href, namespace),
    done: () => writeWhole(mark, ""),
  };
}

async function createRepository(repository: string): Promise<void> {
  const partial = `${repository}.part`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await cp(join(examples, "apps"), partial, { recursive: true });
  const git = (...args: string[]) => run("git", args, { cwd: partial, env: { ...process.env, ...identity } });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("-c", "maintenance.auto=false", "commit", "--quiet", "--message=Sample applications");
  await rename(partial, repository);
}

async function readSampleApplications(url: string, namespace: string): Promise<readonly Manifest[]> {
  const file = join(examples, "applications.yaml");
  const text = (await readFile(file, "utf8")).replaceAll("${REPOSITORY}", url);
  return parseManifests(text, { file }).map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }));
}
