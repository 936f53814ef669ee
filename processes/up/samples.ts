import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Manifest, parseManifests } from "@capstan/model";

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

/**
 * Makes a git repository of examples/apps below the data folder and returns the Applications of it;
 * nothing when it is there already: what the person did with it since stays.
 */
export async function createSamples(dataDir: string): Promise<readonly Manifest[]> {
  const repository = join(dataDir, "samples");
  if (await stat(repository).catch(() => undefined)) return [];
  const partial = `${repository}.part`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await cp(join(examples, "apps"), partial, { recursive: true });
  const git = (...args: string[]) => run("git", args, { cwd: partial, env: { ...process.env, ...identity } });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Sample applications");
  await rename(partial, repository);
  return readSampleApplications(pathToFileURL(repository).href);
}

async function readSampleApplications(url: string): Promise<readonly Manifest[]> {
  const file = join(examples, "applications.yaml");
  const text = (await readFile(file, "utf8")).replaceAll("${REPOSITORY}", url);
  return parseManifests(text, { file });
}
