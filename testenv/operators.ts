/**
 * The operators and charts that compat/operators installs, as names and digests: a repository, a commit, a folder, and
 * git's digest of that folder. Where a repository is mirrored, git's own url.<mirror>.insteadOf says so.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bin } from "./build-program.ts";

const run = promisify(execFile);

/** For each command of git: where nobody answers, that is said. */
const limitMs = 180_000;

export interface Operator {
  readonly name: string;
  readonly url: string;
  readonly commit: string;
  /** Within the repository; "." for all of it. */
  readonly folder: string;
  /** Of the folder, where the chart has links to what lies beside it. */
  readonly chart?: string;
  /** git's digest of the folder (a tree). */
  readonly tree: string;
  /** Default chart: installed with helm. Manifests are applied with kubectl. */
  readonly kind?: "manifests";
  /** Where the chart wants to be; default: a namespace of its name. */
  readonly namespace?: string;
  /** What the chart has no default for and cannot be installed without. */
  readonly set?: readonly string[];
}

export async function readOperators(): Promise<readonly Operator[]> {
  return JSON.parse(await readFile(join(import.meta.dirname, "operators.json"), "utf8"));
}

/** Its folder on this machine, fetched where it is not yet here; a text: why it cannot be had. */
export async function fetchOperator(operator: Operator): Promise<{ folder: string } | { problem: string }> {
  const { url, commit, folder, tree } = operator;
  const kept = join(bin, ".operators", tree);
  if (existsSync(kept)) return { folder: kept };
  const dir = `${kept}.${process.pid}`;
  const git = (...args: readonly string[]) =>
    run("git", ["-C", dir, ...args], { maxBuffer: 1 << 26, timeout: limitMs });
  try {
    await mkdir(dir, { recursive: true });
    await git("init", "--quiet");
    await git("remote", "add", "origin", url);
    // The folder's files alone: some of these repositories are large, and snapshots may lack other folders' files.
    await git("fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit);
    const { stdout } = await git("rev-parse", folder === "." ? `${commit}^{tree}` : `${commit}:${folder}`);
    if (stdout.trim() !== tree) return { problem: `its folder ${folder} is ${stdout.trim()}, not ${tree}` };
    const files = join(dir, "files");
    await mkdir(files);
    await git(`--work-tree=${files}`, "read-tree", "-m", "-u", tree);
    await rename(files, kept);
    return { folder: kept };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
