/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out because the registry
 * in use does not have them: `npm ci` refuses a lock file without them. Run after any `npm install`; the
 * check (`--check`) fails when one is missing, and when package.json says nothing of a package's install script: `npm ci`
 * warns of it then.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { onlyChecks } from "@capstan/testkit/program-flags";

const isCheck = onlyChecks();

interface Locked {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = "package-lock.json";
const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(file, "utf8"));
const { allowScripts }: { allowScripts: Record<string, boolean> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const platforms = [
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
  "aix",
];
const processors = [
  "arm64",
  "arm",
  "x64",
  "ia32",
  "ppc64",
  "riscv64",
  "s390x",
  "loong64",
  "mips64el",
  "wasm32",
];

/** Platform packages say in their names what they are for. */
function constraintsOf(name: string): Pick<Locked, "os" | "cpu" | "libc"> {
  const words = name.split(/[/-]/);
  const os = platforms.filter((one) => words.includes(one));
  const cpu = processors.filter((one) => words.includes(one));
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.includes("gnu")
      ? ["glibc"]
      : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}

const missing: string[] = [];
for (const parent of Object.values({ ...lock.packages }))
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key]) continue;
    missing.push(name);
    lock.packages[key] = {
      version,
      ...constraintsOf(name),
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
    };
  }
const sorted = Object.entries(lock.packages).toSorted(([left], [right]) => (left < right ? -1 : 1));
if (isCheck) {
  const unsaid = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([key]) => key.replace(/^.*node_modules\//, ""))
    .filter((name) => allowScripts[name] === undefined);
  if (missing.length > 0)
    console.error(`package-lock.json lacks ${missing.join(", ")}: node tools/complete-lockfile.ts`);
  if (unsaid.length > 0)
    console.error(
      `package.json, allowScripts: say whether the install script of ${unsaid.join(", ")} is run`,
    );
  process.exitCode = missing.length + unsaid.length > 0 ? 1 : 0;
} else if (missing.length > 0) {
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
  console.log(`added ${missing.length} packages of other platforms to package-lock.json`);
}
