/**
 * `npm run testenv [-- --list] [group…]`: builds the real programs into testenv/bin/. A group is built again only when
 * the digest of its go.mod, go.sum, own Go files (or commit), flags and Go differs from the one kept beside them.
 *
 * Ends with 0 when all are built, 1 when one does not compile, 2 on a wrong call, and 3 when one cannot be had on
 * this machine: Go is absent, a module cannot be fetched, memory or disk do not suffice.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programFlags } from "@capstan/testkit/program-flags";
import { type Built, bin, buildProgram, flagsOf } from "./build-program.ts";
import { checkOut } from "./check-out.ts";
import { lackingDebianPrograms } from "./debian-programs.ts";
import { folderOf, type Group, groups } from "./groups.ts";
import { joinDocuments } from "./join-documents.ts";

const usage = `npm run testenv [-- --list] [group…]
  Builds the real programs that tests run against into testenv/bin/ (default: all groups).
  --list   say which groups there are, what each gives, and which are built
  --help   this
  Groups: ${groups.map(({ name }) => name).join(", ")}`;

function digestOf(group: Group, go: string): string {
  const hash = createHash("sha256").update(JSON.stringify([group, flagsOf(group), go]));
  for (const file of group.repository ? [] : ["go.mod", "go.sum", ...ownFilesOf(group)])
    hash.update(readFileSync(join(folderOf(group), file)));
  return hash.digest("hex");
}

/** Of programs that are ours, within the group's folder. */
function ownFilesOf(group: Group): string[] {
  const folders = group.programs.map((program) => program.package).filter((name) => /^\.(\/|$)/.test(name));
  return folders.flatMap((name) => globSync(join(name, "*.go"), { cwd: folderOf(group) }).sort());
}

const markOf = ({ name }: Group): string => join(bin, `.${name}`);

function isBuilt(group: Group, digest: string): boolean {
  const files = [...group.programs, ...(group.documents ?? [])];
  const isThere = files.every(({ name }) => existsSync(join(bin, name)));
  return isThere && existsSync(markOf(group)) && readFileSync(markOf(group), "utf8") === digest;
}

/** Version and platform of the Go that would build, or undefined where there is none. */
function goOfThisMachine(): string | undefined {
  const { status, stdout } = spawnSync("go", ["env", "GOVERSION", "GOOS", "GOARCH"], { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

function list(go: string): void {
  for (const group of groups) {
    const state = isBuilt(group, digestOf(group, go)) ? "built" : "not built";
    const programs = group.programs.flatMap(({ name, links = [] }) => [name, ...links]);
    console.log(`${group.name.padEnd(13)} ${state.padEnd(10)} ${programs.join(" ")}`);
  }
}

function sayWhatDebianHas(): void {
  const absent = lackingDebianPrograms();
  if (absent.length === 0) return;
  for (const { program, wantedBy } of absent)
    console.log(`${program} is not installed; wanted by ${wantedBy}`);
  console.log(`  apt-get install ${absent.map((one) => one.package).join(" ")}`);
}

async function buildGroup(group: Group, go: string): Promise<Built> {
  const digest = digestOf(group, go);
  if (isBuilt(group, digest)) {
    console.log(`${group.name}: up to date`);
    return "built";
  }
  const checkout = group.repository && (await checkOut(group.repository));
  if (group.repository && checkout === undefined) return "cannot be had";
  for (const program of group.programs) {
    const built = await buildProgram(group, program, checkout);
    if (built !== "built") return built;
  }
  for (const documents of group.documents ?? []) await joinDocuments(group, documents);
  writeFileSync(markOf(group), digest);
  return "built";
}

async function main(): Promise<number> {
  const options = { list: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values: flags, positionals: wanted } = programFlags({
    options,
    strict: false,
    allowPositionals: true,
  });
  const known = [...Object.keys(options), ...groups.map(({ name }) => name)];
  const unknown = [...Object.keys(flags), ...wanted].filter((name) => !known.includes(name));
  if (flags.help || unknown.length > 0) {
    if (unknown.length > 0) console.error(`there is no group or flag ${unknown.join(", ")}`);
    console.log(usage);
    return unknown.length > 0 ? 2 : 0;
  }
  const go = goOfThisMachine();
  if (flags.list) list(go ?? "");
  if (go === undefined)
    console.error(
      "The real programs are built with Go 1.26 or newer: install it (https://go.dev/dl) and put it on PATH",
    );
  sayWhatDebianHas();
  if (flags.list) return 0;
  if (go === undefined) return 3;
  mkdirSync(bin, { recursive: true });
  const outcomes: Built[] = [];
  for (const group of groups)
    if (wanted.length === 0 || wanted.includes(group.name)) outcomes.push(await buildGroup(group, go));
  if (outcomes.includes("does not compile")) return 1;
  return outcomes.includes("cannot be had") ? 3 : 0;
}

process.exitCode = await main();
